# SPDX-License-Identifier: Apache-2.0
"""stream_checker and layer_checker: silent as long as the rules are kept, and then not.

A test writes what the streams do in every cycle; the messages of the checker come back.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from harness import SEEDS, Beats, Message, pack_meta

from bombus.base import paths
from bombus.base.cache import cached_directory, content_key
from bombus.simulator import verilator

BENCHES = Path(__file__).parent / "checkers"
COMMON = paths.RTL / "common"
_MESSAGE = re.compile(r"Error: .*?Assertion failed in (.*)")
WIDTHS = (64, 512)

Play = Callable[[Iterable[int]], list[str]]


def build(name: str, **parameters: int) -> Path:
    """The program that plays a trace to a checker."""
    files = [
        COMMON / "bombus_pkg.sv",
        paths.RTL / "noc" / "noc_pkg.sv",
        COMMON / f"{name}_checker.sv",
        BENCHES / "trace_player.sv",
        BENCHES / f"{name}.sv",
    ]
    options = [
        *("--binary", "--assert", "-Wno-fatal", "--top-module", "bench", f"-I{COMMON}"),
        *("-CFLAGS", "-std=c++20"),  # for coroutines: the bench makes its own clock
        *(f"-G{key}={value}" for key, value in parameters.items()),
    ]
    headers = [COMMON / "bombus_types.svh"]
    key = content_key(
        [verilator.version(), *options], [(file.name, file) for file in (*files, *headers)]
    )

    def make(folder: Path) -> None:
        program = str(verilator.root() / "bin" / "verilator")
        result = subprocess.run(
            [program, *options, "--Mdir", ".", "-o", "bench", *map(str, files)],
            cwd=folder,
            env=verilator.verilator_environment(),
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, result.stdout + result.stderr

    return cached_directory(f"benches/{name}_checker-{key}", make) / "bench"


def player(program: Path, folder: Path) -> Play:
    def play(trace: Iterable[int]) -> list[str]:
        """What the checker says of a trace, a line for each message."""
        file = folder / "trace"
        file.write_text("".join(f"{line:x}\n" for line in trace))
        result = subprocess.run(
            [str(program), f"+trace={file}", "+verilator+error+limit+1000000"],
            check=True,
            capture_output=True,
            text=True,
        )
        found = _MESSAGE.findall(result.stdout)
        assert len(found) == result.stdout.count("Error"), result.stdout
        return found

    return play


# ---- stream_checker ----


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
        """Messages that keep the rules; what does not count is noise."""
        lines = []
        for length in lengths:
            meta = pack_meta(length=length, csum=random.getrandbits(16))
            hop = random.getrandbits(3)
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
    # While nothing is on offer it does not count, neither to accuse nor to excuse.
    gap = Line(0, valid=False, next=2)
    assert stream.says([first, gap, second, gap, third]) == []
    assert stream.says([first, gap, replace(second, next=2), replace(third, next=2)]) == changed
    # Another message may go elsewhere.
    assert stream.says([first, second, third, *map(replace, stream.message(3))]) == []
    assert stream.says([first, second, third, replace(stream.message(3)[0], next=0)]) == []


def test_kind_that_the_layer_does_not_send_there(stream: Stream) -> None:
    lines = [replace(line, next=2) for line in stream.message(2 * stream.beats.size)]
    other = stream.change(lines[0], kind=6)
    assert stream.says([other, lines[1], *lines]) == named(
        "a message of kind 6, which the layer does not send there"
    )
    # It counts with a first beat only, and for this next hop.
    assert stream.says([lines[0], stream.change(lines[1], kind=6)]) == []
    assert stream.says([replace(other, next=1), replace(lines[1], next=1)]) == []


def test_more_bytes_than_fit(stream: Stream) -> None:
    size = stream.beats.size
    (line,) = stream.message(size, says=size + 1)
    found = stream.says([stream.change(line, bytes=size + 1)])
    assert found == named(f"the last beat has {size + 1} bytes, more than fit")


@pytest.mark.parametrize("beats", [0, 1, 3])
def test_wrong_length(stream: Stream, beats: int) -> None:
    length = beats * stream.beats.size + 5
    assert stream.says(stream.message(length, says=length + 1)) == named(
        f"a message of {length} bytes says that it has {length + 1}"
    )
    assert stream.says(stream.message(length, says=length - 1)) == named(
        f"a message of {length} bytes says that it has {length - 1}"
    )


def test_no_end(stream: Stream) -> None:
    size = stream.beats.size
    lines = stream.message(2 * size)
    lines[1] = stream.change(lines[1], last=0)
    assert stream.says(lines) == named(
        f"a message of {2 * size} bytes does not end where it should"
    )
    # An empty beat behind the last byte is none of the message's.
    lines.append(stream.change(lines[1], last=1, bytes=0, data=0))
    assert len(stream.says(lines)) == 1


def test_empty_message_in_two_beats(stream: Stream) -> None:
    (line,) = stream.message(0)
    found = stream.says([stream.change(line, last=0), stream.change(line, last=1, bytes=0)])
    size = stream.beats.size
    assert found == [
        *named("a message of 0 bytes does not end where it should"),
        *named(f"a message of {size} bytes says that it has 0"),
    ]


@pytest.mark.parametrize("length", [0, 1, 7])
def test_bytes_behind_the_last(stream: Stream, length: int) -> None:
    (line,) = stream.message(length)
    data = stream.beats.layout.get(line.beat, "data")
    for bit in (8 * length, 8 * stream.beats.size - 1):
        bad = stream.change(line, data=data | 1 << bit)
        assert stream.says([bad]) == named("bytes behind the last one are not zero")


def test_a_message_behind_a_bad_one_is_judged_on_its_own(stream: Stream) -> None:
    good = stream.message(3 * stream.beats.size)
    assert len(stream.says(good + stream.message(5, says=4) + good)) == 1


# ---- layer_checker ----

BUSY = 20


class Layer:
    """The streams of a layer in every cycle: four inputs and two outputs."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.lines: list[int] = []

    def cycle(self, count: int = 1, *, idle: bool = False, **streams: str) -> Layer:
        """`count` cycles. A stream (`in0`, `out1`): `offered`, `taken`, `last` (and taken)."""
        line = idle << 18
        for name, state in streams.items():
            base, number = (0, 4) if name.startswith("in") else (12, 2)
            index = int(name[-1])
            line |= 1 << base + index
            line |= int(state != "offered") << base + number + index
            line |= int(state == "last") << base + 2 * number + index
        self.lines += [line] * count
        return self

    def says(self) -> list[str]:
        found = self.play(self.lines)
        self.lines = []
        return found


@pytest.fixture
def layer(tmp_path: Path) -> Layer:
    return Layer(player(build("layer", MaxBusyCycles=BUSY), tmp_path))


def waits(index: int) -> list[str]:
    return [
        f"bench.check_app.gen_input[{index}]: input {index} waits for what it promised not to wait "
        "for"
    ]


@pytest.mark.parametrize("index", [1, 2])
def test_input_stopped_without_excuse(layer: Layer, index: int) -> None:
    name = f"in{index}"
    stopped, taken = {name: "offered"}, {name: "taken"}
    for _ in range(3):
        layer.cycle(BUSY, **stopped).cycle(**taken)
    assert layer.says() == []
    assert layer.cycle(BUSY + 1, **stopped).cycle(**taken).says() == waits(index)
    # Once for each stop.
    layer.cycle(5 * BUSY, **stopped).cycle(**taken).cycle(5 * BUSY, **stopped)
    assert layer.says() == 2 * waits(index)


@pytest.mark.parametrize(("index", "output"), [(1, "out1"), (0, "out0")])
def test_input_excused_by_an_output(layer: Layer, index: int, output: str) -> None:
    stopped = {f"in{index}": "offered", "in2": "taken"}
    layer.cycle(10 * BUSY, **stopped, **{output: "offered"})
    assert layer.cycle(BUSY, **stopped).says() == []
    # An output that moves is no excuse, nor is one that offers nothing.
    layer.cycle(BUSY + 1, **stopped, **{output: "taken"}).cycle()
    assert layer.says() == waits(index)


@pytest.mark.parametrize(("index", "output"), [(0, "out1"), (1, "out0"), (2, "out0"), (2, "out1")])
def test_input_that_promised_not_to_wait_for_an_output(
    layer: Layer, index: int, output: str
) -> None:
    others = {} if index == 2 else {"in2": "taken"}
    layer.cycle(BUSY + 1, **{f"in{index}": "offered", output: "offered"}, **others).cycle()
    assert layer.says() == waits(index)


def test_input_excused_by_a_missing_answer(layer: Layer) -> None:
    layer.cycle(out1="last")
    assert layer.cycle(10 * BUSY, in0="offered").says() == []
    # It has come: no excuse any more.
    layer.cycle(out1="last").cycle(10 * BUSY, in0="offered")
    layer.cycle(BUSY + 1, in0="offered", in2="taken").cycle()
    assert layer.says() == waits(0)
    # A message on another input is not the one that it waits for.
    layer.cycle(out1="last")
    assert layer.cycle(10 * BUSY, in0="offered", in1="taken").says() == []


def test_an_answer_that_was_not_asked_for_is_no_excuse(layer: Layer) -> None:
    assert layer.cycle(BUSY + 1, in0="offered").cycle().says() == waits(0)
    layer.cycle(out1="last").cycle(in2="last").cycle(BUSY + 1, in0="offered").cycle()
    assert layer.says() == waits(0)
    # A request that cannot go out yet counts.
    assert layer.cycle(10 * BUSY, in0="offered", out1="offered").says() == []


def test_room_for_messages(layer: Layer) -> None:
    stopped = {"in3": "offered", "out0": "offered"}
    # Full: it waits for the output.
    layer.cycle(2, in3="last")
    assert layer.cycle(10 * BUSY, **stopped).says() == []
    # One has come: there is room for another, whatever waits.
    layer.cycle(in3="last").cycle(BUSY + 1, **stopped).cycle()
    assert layer.says() == waits(3)
    # Idle, and full again.
    layer.cycle(2, in3="last").cycle(idle=True).cycle(BUSY + 1, **stopped).cycle()
    assert layer.says() == waits(3)
    layer.cycle(2, in3="last").cycle(idle=True).cycle(3, in3="taken").cycle(2, in3="last")
    assert layer.cycle(10 * BUSY, **stopped).says() == []


def breaks_off(output: int) -> list[str]:
    return [
        f"bench.check_app.gen_end[{output}]: output {output} waits inside a message for another "
        "output"
    ]


def test_a_copy_that_waits_for_the_other_one(layer: Layer) -> None:
    """A message goes to both outputs, beat by beat: one holds its way while the other waits."""
    layer.cycle(in1="taken", out0="taken")
    assert layer.cycle(BUSY + 1, in1="offered", out1="offered").cycle().says() == breaks_off(0)
    # Not if its next beat has not come yet, if it offers it, or if it has ended.
    layer.cycle(in1="taken", out0="taken")
    assert layer.cycle(10 * BUSY, out1="offered").says() == []
    layer.cycle(out0="taken").cycle(10 * BUSY, out0="offered", out1="offered")
    assert layer.says() == []
    layer.cycle(out0="last")
    assert layer.cycle(10 * BUSY, out1="offered").says() == []


def test_any_number_of_busy_cycles(tmp_path: Path) -> None:
    layer = Layer(player(build("layer", MaxBusyCycles=0), tmp_path))
    assert layer.cycle(10_000, in0="offered", in1="offered", in2="offered").says() == []
    layer.cycle(10_000)
    assert layer.cycle(in2="last").says() == unasked()  # credits are checked all the same


CREDITS = "bench.check_app.gen_output[1].gen_credits: "


def unasked() -> list[str]:
    return [CREDITS + "an answer came to output 1, which has asked nothing"]


def too_many() -> list[str]:
    return [CREDITS + "output 1 has more requests outstanding than credits"]


def test_credits(layer: Layer) -> None:
    # All there are, and an answer in the cycle of a new request.
    layer.cycle(out1="last").cycle(out1="offered").cycle(out1="last").cycle(50)
    for _ in range(10):
        layer.cycle(out1="last", in2="last").cycle()
    layer.cycle(in2="last").cycle(in2="last")
    assert layer.says() == []
    # One too many, said once.
    layer.cycle(3, out1="last").cycle(50)
    assert layer.says() == too_many()
    # Any number of messages that are no requests.
    assert layer.cycle(100, out0="last").says() == []


def test_long_requests_and_answers(layer: Layer) -> None:
    """A request counts from its first beat, until the last beat of its answer."""
    for _ in range(10):
        layer.cycle(3, out1="taken").cycle(out1="last").cycle(3, in2="taken").cycle(in2="last")
    assert layer.says() == []
    layer.cycle(2, out1="last").cycle(out1="taken").cycle(9)
    assert layer.says() == too_many()
    layer.cycle(2, out1="last").cycle(in2="taken").cycle(out1="last")
    assert layer.says() == too_many()
    # The answer may come before the request has ended.
    assert layer.cycle(out1="taken").cycle(in2="last").cycle(out1="last").says() == []


def test_an_answer_that_nobody_asked_for(layer: Layer) -> None:
    assert layer.cycle(in2="last").cycle(100).says() == unasked()
    assert layer.cycle(out1="last").cycle(in2="last").cycle(in2="last").says() == unasked()
    # What follows is judged as if it had not come.
    layer.cycle(in2="last").cycle(2, out1="last").cycle(2, in2="last")
    assert layer.says() == unasked()
    # An answer that waits has not come yet.
    assert layer.cycle(5, in2="offered").cycle(out1="last").cycle(in2="last").says() == []


@pytest.mark.parametrize("seed", SEEDS)
def test_good_layers_pass(layer: Layer, seed: int) -> None:
    """Random traffic of a layer that keeps its word."""
    random = Random(seed)
    outstanding, stopped = 0, [0, 0, 0]
    for _ in range(20_000):
        streams: dict[str, str] = {}
        if random.random() < 0.5:
            streams["out0"] = random.choice(["offered", "taken", "last"])
        if outstanding < 2 and random.random() < 0.5:
            streams["out1"] = random.choice(["offered", "last"])
        if outstanding and random.random() < 0.3:
            streams["in2"] = "last"
        outstanding += (streams.get("out1") == "last") - (streams.get("in2") == "last")
        for index in (0, 1):
            if stopped[index] or random.random() < 0.7:
                is_stopped = stopped[index] < BUSY and random.random() < 0.9
                streams[f"in{index}"] = "offered" if is_stopped else "last"
                stopped[index] = stopped[index] + 1 if is_stopped else 0
        layer.cycle(**streams)
    assert layer.says() == []
