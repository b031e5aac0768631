"""ipv4_options: every number of options, every payload length, every width."""

from __future__ import annotations

from random import Random

import pytest
from harness import META_BITS, PACES, WIDTHS, Beats, Bench, Benches, Message

MAX_WORDS = 10


def formats(width: int) -> tuple[Beats, Beats]:
    return (
        Beats(width, ("words", 4), first_only=["words"]),
        Beats(width, ("first", 1), ("sum", 21)),
    )


def check(bench: Bench, sent: dict[int, list[Message]]) -> None:
    for stream, width in enumerate(WIDTHS):
        got = formats(width)[1].messages(bench.items(stream))
        assert len(got) == len(sent[stream])
        for before, after in zip(sent[stream], got, strict=True):
            options = 4 * before.side["words"]
            assert after.payload == before.payload[options:]
            assert after.meta == before.meta
            if len(before.payload) >= options:
                words = (before.payload[i : i + 2] for i in range(0, options, 2))
                assert after.side["sum"] == sum(int.from_bytes(word, "big") for word in words)


def message(random: Random, words: int, length: int) -> Message:
    return Message(random.randbytes(length), random.getrandbits(META_BITS), {"words": words})


@pytest.mark.parametrize("words", range(1, MAX_WORDS + 1))
def test_every_payload_length(benches: Benches, words: int) -> None:
    random = Random(words)
    bench = benches("ipv4_options", seed=words)
    for pace in PACES[:4]:
        bench.forget()
        bench.pace(**pace)
        sent: dict[int, list[Message]] = {}
        for stream, width in enumerate(WIDTHS):
            lengths = list(range(4 * words, 4 * words + 2 * width // 8 + 2))
            random.shuffle(lengths)
            sent[stream] = [message(random, words, length) for length in lengths]
            bench.push(formats(width)[0].stream(sent[stream], random), stream)
        bench.drain()
        check(bench, sent)
        assert bench.status == 0


def test_packets_cut_short_do_no_harm(benches: Benches) -> None:
    """A header that tells of more options than there are: what follows is right again."""
    random = Random(1)
    bench = benches("ipv4_options")
    bench.pace(gap=0.2, stall=0.2)
    sent: dict[int, list[Message]] = {}
    for stream, width in enumerate(WIDTHS):
        sent[stream] = []
        for _ in range(200):
            words = random.randrange(1, MAX_WORDS + 1)
            sent[stream].append(message(random, words, random.randrange(4 * words)))
            sent[stream].append(message(random, words, random.randrange(4 * words, 200)))
        bench.push(formats(width)[0].stream(sent[stream], random), stream)
    bench.drain()
    check(bench, sent)


def test_reset_inside_a_packet(benches: Benches) -> None:
    random = Random(2)
    bench = benches("ipv4_options")
    for _ in range(20):
        sent: dict[int, list[Message]] = {}
        for after_reset in (False, True):
            bench.pace(gap=0.2, stall=0.3)
            for stream, width in enumerate(WIDTHS):
                sent[stream] = [message(random, random.randrange(1, 11), 90) for _ in range(5)]
                bench.push(formats(width)[0].stream(sent[stream], random), stream)
            if not after_reset:
                bench.run(random.randrange(1, 60))
                bench.reset(1)
        bench.drain()
        check(bench, sent)
        bench.forget()
