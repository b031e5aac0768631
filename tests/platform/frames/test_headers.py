# SPDX-License-Identifier: Apache-2.0
"""strip and prepend: every header length at every data width."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.support.harness import (
    META_BITS,
    PACES,
    SEEDS,
    WIDTHS,
    Beats,
    Bench,
    Benches,
    Message,
    consecutive,
)

pytestmark = pytest.mark.slow

# As in benches/strip.sv and benches/prepend.sv: one stream each.
LENGTHS = (2, 4, 6, 8, 12, 14, 16, 20, 24, 28, 32, 64)
MAX_LENGTH = max(LENGTHS)

# 256 bits between 128 and 512 is left to `make test-all`.
of_widths = pytest.mark.parametrize(
    "width",
    [pytest.param(width, marks=pytest.mark.sweep if width == 256 else ()) for width in WIDTHS],
)


def payloads(random: Random, size: int, extra: int) -> Iterator[bytes]:
    """Every length from nothing to three beats behind a header of `extra` bytes, shuffled."""
    lengths = list(range(extra + 3 * size + 2))
    random.shuffle(lengths)
    for length in lengths:
        yield random.randbytes(length)


def strip_formats(width: int) -> tuple[Beats, Beats]:
    return (
        Beats(width, ("keep", 1), first_only=["keep"]),
        Beats(width, ("first", 1), ("header", 8 * MAX_LENGTH)),
    )


def prepend_formats(width: int) -> tuple[Beats, Beats]:
    return (
        Beats(width, ("skip", 1), ("header", 8 * MAX_LENGTH), first_only=["header"]),
        Beats(width, ("first", 1)),
    )


def strip_messages(random: Random, size: int, header: int) -> list[Message]:
    return [
        Message(payload, random.getrandbits(META_BITS), {"keep": int(random.random() < 0.25)})
        for payload in payloads(random, size, header)
    ]


def prepend_messages(random: Random, size: int, header: int) -> list[Message]:
    return [
        Message(
            payload,
            random.getrandbits(META_BITS),
            {"skip": int(random.random() < 0.25), "header": random.getrandbits(8 * header)},
        )
        for payload in payloads(random, size, 0)
    ]


def sent_and_received(
    bench: Bench, formats: tuple[Beats, Beats], sent: list[list[Message]], random: Random
) -> Iterator[tuple[int, Message, Message]]:
    """Length of the header, input and output of each message, with the same metadata."""
    format_in, format_out = formats
    for stream, messages in enumerate(sent):
        bench.push(format_in.stream(messages, random), stream)
    bench.drain()
    for stream, header in enumerate(LENGTHS):
        got = format_out.messages(bench.items(stream))
        for before, after in zip(sent[stream], got, strict=True):
            assert after.meta == before.meta
            yield header, before, after


def check_strip(bench: Bench, width: int, seed: int) -> None:
    random = Random(seed)
    sent = [strip_messages(random, width // 8, header) for header in LENGTHS]
    for header, before, after in sent_and_received(bench, strip_formats(width), sent, random):
        keep = before.side["keep"]
        assert after.payload == (before.payload if keep else before.payload[header:])
        if not keep and len(before.payload) >= header:
            assert after.side["header"] == int.from_bytes(before.payload[:header], "little")


def check_prepend(bench: Bench, width: int, seed: int) -> None:
    random = Random(seed)
    sent = [prepend_messages(random, width // 8, header) for header in LENGTHS]
    for header, before, after in sent_and_received(bench, prepend_formats(width), sent, random):
        front = b"" if before.side["skip"] else before.side["header"].to_bytes(header, "little")
        assert after.payload == front + before.payload


CHECKS = {"strip": check_strip, "prepend": check_prepend}


@of_widths
@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_length(benches: Benches, name: str, width: int, seed: int) -> None:
    bench = benches(name, seed=seed, DataWidth=width)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        CHECKS[name](bench, width, seed)


@of_widths
@pytest.mark.parametrize("name", CHECKS)
def test_reset_in_the_middle_of_traffic(benches: Benches, name: str, width: int) -> None:
    bench = benches(name, DataWidth=width)
    random = Random(width)
    formats = {"strip": strip_formats, "prepend": prepend_formats}[name]
    make = {"strip": strip_messages, "prepend": prepend_messages}[name]
    for round_ in range(20):
        for stream, header in enumerate(LENGTHS):
            messages = make(random, width // 8, header)
            bench.push(formats(width)[0].stream(messages, random), stream)
        bench.pace(gap=0.3, stall=random.choice([0.0, 0.5, 1.0]))
        bench.run(random.randrange(5, 60))
        bench.reset(1)
        bench.pace(gap=0.3, stall=0.3)
        if round_ % 4 == 0:
            CHECKS[name](bench, width, round_)


@of_widths
def test_strip_never_stops_its_input(benches: Benches, width: int) -> None:
    random = Random(width)
    bench = benches("strip", DataWidth=width)
    for stream, header in enumerate(LENGTHS):
        messages = strip_messages(random, width // 8, header)
        messages += [Message(random.randbytes(min(width // 8, 20)), 0, {"keep": 0})] * 50
        bench.push(strip_formats(width)[0].stream(messages, random), stream)
    bench.drain()
    for stream in range(len(LENGTHS)):
        assert consecutive(bench.taken(stream))


@of_widths
def test_prepend_leaves_no_gap(benches: Benches, width: int) -> None:
    random = Random(width)
    bench = benches("prepend", DataWidth=width)
    for stream, header in enumerate(LENGTHS):
        messages = prepend_messages(random, width // 8, header)
        messages += [Message(bytes(8), 0, {"skip": 0, "header": 0})] * 50
        bench.push(prepend_formats(width)[0].stream(messages, random), stream)
    bench.drain()
    for stream in range(len(LENGTHS)):
        received = bench.received(stream)
        assert consecutive([cycle for cycle, _ in received])
        assert received[0].cycle == bench.taken(stream)[0] or LENGTHS[stream] >= width // 8
