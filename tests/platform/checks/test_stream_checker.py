# SPDX-License-Identifier: Apache-2.0
"""stream_checker: silent as long as the rules are kept, and then not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from tests.platform.checks.checker_bench import Play, build, player
from tests.support.harness import SEEDS, Beats, Message, pack_meta

pytestmark = pytest.mark.slow

WIDTHS = (64, 512)


@dataclass(frozen=True)
class Line:
    """A stream in one cycle."""

    beat: int
    valid: bool = True
    ready: bool = True
    next: int = 5


@dataclass(frozen=True)
class Stream:
    """The checker of one stream."""

    beats: Beats
    play: Play

    def says(self, lines: Iterable[Line]) -> list[str]:
        width = self.beats.layout.width
        return self.play(
            ((line.next << 1 | line.ready) << 1 | line.valid) << width | line.beat for line in lines
        )

    def message(self, length: int, *, says: int | None = None) -> list[Line]:
        """A message as it should be; `says`: but for its `length`."""
        payload = bytes(range(1, 252)) * (length // 251 + 1)
        meta = pack_meta(length=length if says is None else says)
        return [Line(beat) for beat in self.beats.beats(Message(payload[:length], meta))]

    def change(self, line: Line, **fields: int) -> Line:
        beat = self.beats.layout.unpack(line.beat) | fields
        return replace(line, beat=self.beats.layout.pack(**beat))

    def traffic(
        self, random: Random, lengths: Iterable[int], *, gap: float, stall: float
    ) -> list[Line]:
        """Messages that follow the rules; don't-care fields are noise."""
        lines = []
        for length in lengths:
            meta = pack_meta(length=length, csum=random.getrandbits(16))
            hop = random.randrange(7)
            for beat in self.beats.beats(Message(random.randbytes(length), meta), random):
                while random.random() < gap:
                    noise = random.getrandbits(self.beats.layout.width)
                    lines.append(Line(noise, False, random.random() < 0.5, random.getrandbits(3)))
                while random.random() < stall:
                    lines.append(Line(beat, ready=False, next=hop))
                lines.append(Line(beat, next=hop))
        return lines


@pytest.fixture(params=WIDTHS)
def stream(request: pytest.FixtureRequest, tmp_path: Path) -> Stream:
    program = build("stream", DataWidth=request.param)
    return Stream(Beats(request.param), player(program, tmp_path))


def named(what: str) -> list[str]:
    return [f"bench.check_app_out: {what}"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("gap", "stall"), [(0, 0), (0.5, 0), (0, 0.5), (0.3, 0.3), (0.1, 0.9)])
def test_good_streams_pass(stream: Stream, seed: int, gap: float, stall: float) -> None:
    random = Random(seed)
    size = stream.beats.size
    lengths = [*range(4 * size + 2), *[0] * 20, *[1] * 20, *[size] * 20, 9600]
    random.shuffle(lengths)
    assert stream.says(stream.traffic(random, lengths, gap=gap, stall=stall)) == []


def test_valid_falls(stream: Stream) -> None:
    first, *_ = lines = stream.message(20)
    dropped = [replace(first, ready=False), replace(first, valid=False), *lines]
    assert stream.says(dropped) == named("valid fell before the beat was taken")
    whole = [replace(first, ready=False), *lines, replace(first, valid=False)]
    assert stream.says(whole) == []


@pytest.mark.parametrize("field", ["data", "last", "bytes", "kind", "length", "meta"])
def test_first_beat_changes_while_it_waits(stream: Stream, field: str) -> None:
    (line,) = stream.message(3)
    value = stream.beats.layout.get(line.beat, field)
    other = stream.change(line, **{field: value ^ 1 << 1 if field == "meta" else value ^ 1})
    found = stream.says([replace(other, ready=False), line])
    assert found == named("a beat changed while it waited")


@pytest.mark.parametrize("index", [1, 2])
def test_later_beat_changes_while_it_waits(stream: Stream, index: int) -> None:
    lines = stream.message(3 * stream.beats.size)
    other = stream.change(lines[index], data=7)
    lines.insert(index, replace(other, ready=False))
    assert stream.says(lines) == named("a beat changed while it waited")


def test_metadata_of_later_beats_may_change(stream: Stream) -> None:
    lines = stream.message(2 * stream.beats.size)
    other = stream.change(lines[1], kind=7, length=9, meta=(1 << 64) - 1)
    assert stream.says([lines[0], replace(other, ready=False), lines[1]]) == []
    # and the number of bytes of a beat that is not the last one.
    other = stream.change(lines[0], bytes=1)
    assert stream.says([replace(other, ready=False), *lines]) == []


def test_next_hop_changes(stream: Stream) -> None:
    first, second, third = stream.message(3 * stream.beats.size)
    changed = named("the next hop changed inside a message")
    assert stream.says([replace(first, next=1, ready=False), first, second, third]) == changed
    assert stream.says([first, second, replace(third, next=1)]) == changed
    # While nothing is offered, it is ignored in both directions.
    gap = Line(0, valid=False, next=2)
    assert stream.says([first, gap, second, gap, third]) == []
    assert stream.says([first, gap, replace(second, next=2), replace(third, next=2)]) == changed
    # Another message may go elsewhere.
    assert stream.says([first, second, third, *map(replace, stream.message(3))]) == []
    assert stream.says([first, second, third, replace(stream.message(3)[0], next=0)]) == []


def test_next_hop_that_the_layer_does_not_declare(stream: Stream) -> None:
    """Once a message, whatever its kind."""
    lines = [replace(line, next=7) for line in stream.message(2 * stream.beats.size)]
    other = stream.change(lines[0], kind=6)
    found = stream.says([*lines, other, lines[1], *stream.message(3)])
    assert found == named("a message by next hop 7, but the layer has only 7") * 2


def test_kind_that_the_layer_does_not_send_there(stream: Stream) -> None:
    lines = [replace(line, next=2) for line in stream.message(2 * stream.beats.size)]
    other = stream.change(lines[0], kind=6)
    assert stream.says([other, lines[1], *lines]) == named(
        "a message of kind 6, which the layer does not send there"
    )
    # It counts with a first beat only, and for this next hop.
    assert stream.says([lines[0], stream.change(lines[1], kind=6)]) == []
    assert stream.says([replace(other, next=1), replace(lines[1], next=1)]) == []


def test_payload_of_a_kind_that_has_none(stream: Stream) -> None:
    """Once a message, and only where the kind may be sent."""
    lines = stream.message(2 * stream.beats.size)
    other = stream.change(lines[0], kind=3)
    assert stream.says([other, lines[1], *lines]) == named(
        f"a message of kind 3 has {2 * stream.beats.size} bytes, but this kind has no payload"
    )
    (empty,) = stream.message(0)
    assert stream.says([stream.change(empty, kind=3), empty, *lines]) == []


def test_more_bytes_than_fit(stream: Stream) -> None:
    size = stream.beats.size
    (line,) = stream.message(size, says=size + 1)
    found = stream.says([stream.change(line, bytes=size + 1)])
    assert found == named(f"the last beat has {size + 1} bytes, more than fit")


@pytest.mark.parametrize("beats", [0, 1, 3])
def test_wrong_length(stream: Stream, beats: int) -> None:
    length = beats * stream.beats.size + 5
    assert stream.says(stream.message(length, says=length + 1)) == named(
        f"a message of {length} bytes has length {length + 1}"
    )
    assert stream.says(stream.message(length, says=length - 1)) == named(
        f"a message of {length} bytes has length {length - 1}"
    )


def test_no_end(stream: Stream) -> None:
    size = stream.beats.size
    lines = stream.message(2 * size)
    lines[1] = stream.change(lines[1], last=0)
    assert stream.says(lines) == named(
        f"a message of {2 * size} bytes does not end where it should"
    )
    # An empty beat after the last byte is not part of the message.
    lines.append(stream.change(lines[1], last=1, bytes=0, data=0))
    assert len(stream.says(lines)) == 1


def test_empty_message_in_two_beats(stream: Stream) -> None:
    (line,) = stream.message(0)
    found = stream.says([stream.change(line, last=0), stream.change(line, last=1, bytes=0)])
    size = stream.beats.size
    assert found == [
        *named("a message of 0 bytes does not end where it should"),
        *named(f"a message of {size} bytes has length 0"),
    ]


@pytest.mark.parametrize("length", [0, 1, 7])
def test_bytes_behind_the_last(stream: Stream, length: int) -> None:
    (line,) = stream.message(length)
    data = stream.beats.layout.get(line.beat, "data")
    for bit in (8 * length, 8 * stream.beats.size - 1):
        bad = stream.change(line, data=data | 1 << bit)
        assert stream.says([bad]) == named("bytes after the last one are not zero")


def test_a_message_behind_a_bad_one_is_judged_on_its_own(stream: Stream) -> None:
    good = stream.message(3 * stream.beats.size)
    assert len(stream.says(good + stream.message(5, says=4) + good)) == 1
