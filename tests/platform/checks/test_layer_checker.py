# SPDX-License-Identifier: Apache-2.0
"""layer_checker: silent as long as the promises are kept, and then not."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.platform.checks.checker_bench import Play, build, player
from tests.support.harness import SEEDS

pytestmark = pytest.mark.slow

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


def test_input_that_starves_while_an_output_is_stopped_now_and_then(layer: Layer) -> None:
    for _ in range(2 * BUSY):
        layer.cycle(14, in1="offered").cycle(in1="offered", out1="offered")
    assert layer.says() == waits(1)
    # Stalled for as long in total, but it moves from time to time.
    for _ in range(2 * BUSY):
        layer.cycle(14, in1="offered").cycle(in1="offered", out1="offered").cycle(in1="taken")
    assert layer.says() == []


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
    # It has arrived: no longer an excuse.
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
    # One has arrived: there is room for another, whatever waits.
    layer.cycle(in3="last").cycle(BUSY + 1, **stopped).cycle()
    assert layer.says() == waits(3)
    # Idle, and full again.
    layer.cycle(2, in3="last").cycle(idle=True).cycle(BUSY + 1, **stopped).cycle()
    assert layer.says() == waits(3)
    layer.cycle(2, in3="last").cycle(idle=True).cycle(3, in3="taken").cycle(2, in3="last")
    assert layer.cycle(10 * BUSY, **stopped).says() == []


@pytest.fixture
def server(tmp_path: Path) -> Layer:
    return Layer(player(build("layer", MaxBusyCycles=BUSY, Serves=1), tmp_path))


def test_a_server_that_answers_all(server: Layer) -> None:
    server.cycle(3, in3="last").cycle(3, out0="last").cycle(5, idle=True)
    server.cycle(in3="last", idle=True).cycle(out0="last")  # in the first idle cycle
    # Two beats each; the answer is sent while the request arrives.
    server.cycle(in3="taken").cycle(in3="last", out0="taken").cycle(out0="last")
    server.cycle(in3="taken").cycle(10, idle=True).cycle(in3="last", out0="last")
    assert server.cycle(5, idle=True).says() == []


def test_a_server_that_loses_a_request(server: Layer) -> None:
    lost = (
        "bench.check_app.gen_input[3]: input 3: {} messages have no answer, and the layer is idle"
    )
    server.cycle(3, in3="last").cycle(out0="last").cycle(50).cycle(5, idle=True)
    assert server.says() == [lost.format(2)]
    # Reported once; later ones are judged separately.
    server.cycle(in3="last").cycle(5, idle=True).cycle(in3="last").cycle(out0="last")
    assert server.cycle(5, idle=True).says() == [lost.format(1)]
    server.cycle(in3="taken").cycle(in3="last").cycle(out0="taken").cycle(idle=True)
    assert server.says() == [lost.format(1)]


def test_a_server_that_answers_nothing_that_was_asked(server: Layer) -> None:
    nothing = "bench.check_app.gen_input[3]: input 3: an answer without a request"
    server.cycle(in3="last").cycle(2, out0="last").cycle(2, out1="last")
    assert server.cycle(idle=True).says() == [nothing]


def test_room_of_a_server_that_is_never_idle(server: Layer) -> None:
    stopped = {"in3": "offered", "out0": "offered"}
    server.cycle(2, in3="last").cycle(2, out0="last").cycle(in3="last")
    assert server.cycle(BUSY + 1, **stopped).cycle().says() == waits(3)
    server.cycle(3, in3="last").cycle(out0="last")
    assert server.cycle(10 * BUSY, **stopped).says() == []
    # The second of two has begun: the rest of it has room.
    server.cycle(in3="last").cycle(in3="taken")
    assert server.cycle(BUSY + 1, **stopped).cycle().says() == waits(3)


@pytest.fixture
def forwarder(tmp_path: Path) -> Layer:
    return Layer(player(build("layer", MaxBusyCycles=BUSY, Forwards=1), tmp_path))


NOT_ITS_OWN = [
    "bench.check_app.gen_forwards: sends a message that it has not taken, has already sent, or "
    "held while idle"
]


def test_a_layer_that_passes_on_what_it_takes(forwarder: Layer) -> None:
    # Two beats on one output, one on the other, while others arrive.
    forwarder.cycle(in1="taken").cycle(in1="last", out1="taken").cycle(in3="last", out1="last")
    forwarder.cycle(out0="offered").cycle(out0="last").cycle(5, idle=True)
    # A layer may say that it is busy a cycle after it has taken; some is dropped, some shortened.
    forwarder.cycle(in3="last", idle=True).cycle(out0="last").cycle(3, in3="last").cycle(
        out0="last"
    )
    forwarder.cycle(idle=True).cycle(2, in3="taken").cycle(in3="last").cycle(out0="last")
    # Idle while the rest of a message is still to come.
    forwarder.cycle(idle=True).cycle(in3="taken").cycle(idle=True).cycle(out0="taken")
    forwarder.cycle(in3="last", idle=True).cycle(out0="last")
    assert forwarder.cycle(5, idle=True).says() == []


def test_a_layer_that_forwards_and_sends_something_else(forwarder: Layer) -> None:
    # A message of its own; one twice; one that is longer; two for one; and one held while idle.
    assert forwarder.cycle(out0="last").says() == NOT_ITS_OWN
    assert forwarder.cycle(in3="last").cycle(2, out0="last").says() == NOT_ITS_OWN
    forwarder.cycle(idle=True).cycle(in3="last").cycle(out0="taken").cycle(out0="last")
    assert forwarder.says() == NOT_ITS_OWN
    forwarder.cycle(idle=True).cycle(in3="taken").cycle(in3="last").cycle(2, out0="last")
    assert forwarder.says() == NOT_ITS_OWN
    forwarder.cycle(in3="last").cycle(idle=True).cycle(out0="last")
    assert forwarder.says() == NOT_ITS_OWN


@pytest.fixture
def fork(tmp_path: Path) -> Layer:
    return Layer(player(build("layer", MaxBusyCycles=BUSY, Exact=1), tmp_path))


def inexact(output: int, text: str) -> list[str]:
    return [f"bench.check_app.gen_exact[{output}].gen_each[1].gen_one: output {output}{text}"]


def test_a_fork(fork: Layer) -> None:
    # Two beats; one copy later than the other; while the next message arrives.
    fork.cycle(in1="taken", out0="taken").cycle(in1="last", out0="last", out1="taken")
    fork.cycle(in1="last", out1="last").cycle(out0="last").cycle(3).cycle(out1="last")
    fork.cycle(5, idle=True).cycle(in1="last", out0="last", out1="last", idle=True)
    # It keeps as many copies as it likes while the output itself is stalled.
    fork.cycle(4, in1="last").cycle(10 * BUSY, out0="offered", out1="offered")
    fork.cycle(4, out0="last", out1="last").cycle(5, idle=True)
    assert fork.says() == []


def test_a_fork_that_is_not_exact(fork: Layer) -> None:
    lacks = ": 1 messages lack for input 1 in an idle layer"
    assert fork.cycle(in1="last").cycle(out0="last").cycle(3, idle=True).says() == inexact(1, lacks)
    more = ": more messages than input 1 has taken"
    fork.cycle(in1="last").cycle(out0="last", out1="last").cycle(out0="last")
    assert fork.says() == inexact(0, more)
    held = " holds a message back while another output is stalled"
    fork.cycle(in1="last").cycle(BUSY + 1, out0="offered", in2="taken")
    assert fork.cycle(out0="last", out1="last").says() == inexact(1, held)
    # An input that the layer may wait for lacks a message.
    fork.cycle(in1="last").cycle(10 * BUSY, out0="offered").cycle(out0="last", out1="last")
    assert fork.says() == []


def breaks_off(output: int, reason: str = "another output") -> list[str]:
    place = f"bench.check_app.gen_end[{output}]"
    return [f"{place}: output {output} waits inside a message for {reason}"]


def test_a_copy_that_waits_for_the_other_one(layer: Layer) -> None:
    """A message goes to both outputs beat by beat: one holds its path while the other waits."""
    layer.cycle(in1="taken", out0="taken")
    assert layer.cycle(BUSY + 1, in1="offered", out1="offered").cycle().says() == breaks_off(0)
    # Not if its next beat has not come yet, if it offers it, or if it has ended.
    layer.cycle(in1="taken", out0="taken")
    assert layer.cycle(10 * BUSY, out1="offered").says() == []
    layer.cycle(out0="taken").cycle(10 * BUSY, out0="offered", out1="offered")
    assert layer.says() == []
    layer.cycle(out0="last")
    assert layer.cycle(10 * BUSY, out1="offered").says() == []


def test_an_output_that_begins_before_the_answer_has_arrived(layer: Layer) -> None:
    """It holds its path while it waits for the answer, which may need that path."""
    layer.cycle(out1="last").cycle(out0="taken").cycle(BUSY + 1).cycle()
    assert layer.says() == breaks_off(0, "a message on an input")
    # Nothing was requested; the answer is arriving, or has arrived; or the output has ended.
    layer.cycle(out0="taken").cycle(10 * BUSY).cycle(out1="last").cycle(BUSY, in2="offered")
    layer.cycle(in2="taken").cycle(10 * BUSY).cycle(in2="last").cycle(10 * BUSY)
    layer.cycle(out0="last", out1="last").cycle(10 * BUSY)
    assert layer.says() == []


def test_any_number_of_busy_cycles(tmp_path: Path) -> None:
    layer = Layer(player(build("layer", MaxBusyCycles=0), tmp_path))
    assert layer.cycle(10_000, in0="offered", in1="offered", in2="offered").says() == []
    layer.cycle(10_000)
    assert layer.cycle(in2="last").says() == unasked()  # credits are checked all the same


CREDITS = "bench.check_app.gen_output[1].gen_credits: "


def unasked() -> list[str]:
    return [CREDITS + "output 1: more answers than requests, from store"]


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
    # Any number of messages that are not requests.
    assert layer.cycle(100, out0="last").says() == []


def test_long_requests_and_answers(layer: Layer) -> None:
    """A request is outstanding from its first beat to the last beat of its answer."""
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
    # Later beats are judged as if it had not arrived.
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
