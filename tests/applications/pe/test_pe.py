# SPDX-License-Identifier: Apache-2.0
"""The control interface of a processing element, cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from tests.support.harness import Bench, Benches, Layout

pytestmark = pytest.mark.slow

IN = Layout(
    *(("start", 1), ("done", 1), ("acknowledge", 1), ("read", 1)),
    *(("global_enable", 1), ("source_enable", 1), ("stop", 1), ("zero", 1), ("result", 8)),
)
OUT = Layout(
    *(("start", 1), ("idle", 1), ("pending", 1), ("interrupt", 1), ("answered", 1)),
    *(("busy", 1), ("ended", 1), ("refused", 1), ("stopped", 1), ("stop", 1)),
    *(("timer", 1), ("unused", 5), ("result", 8), ("cycles", 8)),
)


def wanted(inputs: Sequence[dict[str, int]]) -> Iterator[dict[str, int]]:
    """The outputs in the cycle after each of the inputs."""
    running = pending = starts = stops = answered = result = cycles = 0
    following = [*(each["start"] for each in inputs[1:]), 0]
    for now, starts_next in zip(inputs, following, strict=True):
        started = now["start"] & ~running
        ends = now["done"] & running & ~starts & 1
        ended, stopped = ends & ~stops & 1, ends & stops
        stops = running & ~ends & (stops | now["stop"]) & 1
        acknowledged = now["acknowledge"] & ~now["zero"]
        pending = ended | (pending & ~acknowledged & 1)
        answered = now["read"] & ~now["acknowledge"] & ~answered & 1
        cycles = 0 if started else cycles + running
        result = now["result"] if ended else result
        refused = now["start"] & running
        running = started | (running & ~ends & 1)
        starts = started
        yield {
            "start": starts,
            "idle": 1 - (running | starts_next),
            "pending": pending,
            "interrupt": pending & now["global_enable"] & now["source_enable"],
            "answered": answered,
            "busy": starts | ended | refused | stopped,
            "ended": ended,
            "refused": refused,
            "stopped": stopped,
            "stop": stops,
            "timer": running,
            "unused": 0,
            "result": result,
            "cycles": cycles % 256,
        }


def play(bench: Bench, inputs: Sequence[dict[str, int]]) -> list[dict[str, int]]:
    """Gives inputs in successive cycles; the outputs."""
    bench.push([IN.pack(**each) for each in inputs])
    bench.drain()
    cycles = bench.taken()
    assert cycles == list(range(cycles[0], cycles[0] + len(inputs)))
    return [OUT.unpack(item) for item in bench.items()]


@pytest.mark.parametrize("seed", [1, 2])
def test_every_cycle(benches: Benches, seed: int) -> None:
    """Starts while the kernel runs, ends and stops without a start, and acknowledgements without an
    interrupt among them.
    """
    random = Random(seed)
    inputs = [
        {
            "start": int(random.random() < 0.2),
            "done": int(random.random() < 0.2),
            "acknowledge": int(random.random() < 0.2),
            "stop": int(random.random() < 0.1),
            "read": int(random.random() < 0.3),
            "zero": int(random.random() < 0.3),
            "global_enable": int(random.random() < 0.8),
            "source_enable": int(random.random() < 0.8),
            "result": random.randrange(256),
        }
        for _ in range(20_000)
    ]
    bench = benches("pe")
    found = play(bench, inputs)
    assert found == list(wanted(inputs))
    events = ("ended", "refused", "stopped")
    assert bench.events[:3] == [sum(each[name] for each in found) for name in events]


def test_a_zero_acknowledges_nothing(benches: Benches) -> None:
    """A write of 0 to `pending` changes nothing; one of 1 does."""
    nothing = {**dict.fromkeys(IN.fields, 0), "global_enable": 1, "source_enable": 1}
    run = [{**nothing, "start": 1}, nothing, {**nothing, "done": 1}, nothing]
    zero, one = ({**nothing, "acknowledge": 1, "zero": each} for each in (1, 0))
    found = play(benches("pe"), [*run, zero, nothing, one, nothing])
    assert [each["pending"] for each in found[2:]] == [1, 1, 1, 1, 0, 0]
    assert [each["interrupt"] for each in found[2:]] == [1, 1, 1, 1, 0, 0]


@pytest.mark.parametrize("cycles", [1, 2, 200])
def test_duration(benches: Benches, cycles: int) -> None:
    nothing = dict.fromkeys(IN.fields, 0)
    waiting = [nothing] * (cycles - 1)
    inputs = [{**nothing, "start": 1}, nothing, *waiting, {**nothing, "done": 1}, nothing]
    assert play(benches("pe"), inputs)[-1]["cycles"] == cycles + 1


def test_arguments(benches: Benches) -> None:
    bench = benches("pe")
    for value in (0, 5, (1 << 64) - 2):
        bench.control(value)
        bench.run()
        assert bench.status == value | value + 1 << 64
