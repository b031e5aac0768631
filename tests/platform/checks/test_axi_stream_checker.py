# SPDX-License-Identifier: Apache-2.0
"""axi_stream_checker: silent as long as a MAC port keeps the rules, and then not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest

from tests.platform.checks.checker_bench import Play, build, player
from tests.support.harness import SEEDS

pytestmark = pytest.mark.slow

SIZE = 8  # bytes of a beat
NAME = "bench.check_mac0_tx: MAC port 0, transmit: "


@dataclass(frozen=True)
class Line:
    """A MAC port in one cycle."""

    data: int = 0
    keep: int = (1 << SIZE) - 1
    valid: bool = True
    ready: bool = True
    last: bool = False
    user: bool = False


IDLE = Line(valid=False)


@dataclass(frozen=True)
class Port:
    play: Play

    def says(self, lines: Iterable[Line]) -> list[str]:
        """The checker's messages, without the port's name, which is always included."""
        found = self.play(
            (
                (((line.user << 1 | line.last) << 1 | line.ready) << 1 | line.valid) << SIZE
                | line.keep
            )
            << 8 * SIZE
            | line.data
            for line in lines
        )
        assert all(line.startswith(NAME) for line in found)
        return [line.removeprefix(NAME) for line in found]


@pytest.fixture
def transmit(tmp_path: Path) -> Port:
    return Port(player(build("axi_stream", DataWidth=8 * SIZE), tmp_path))


@pytest.fixture
def receive(tmp_path: Path) -> Port:
    program = build("axi_stream", DataWidth=8 * SIZE, MayPause=1, NeverWaits=1)
    return Port(player(program, tmp_path))


def frame(length: int) -> list[Line]:
    lines = [Line(data=n) for n in range(-(-length // SIZE))]
    lines[-1] = replace(lines[-1], last=True, keep=(1 << (length - 1) % SIZE + 1) - 1)
    return lines


@pytest.mark.parametrize("seed", SEEDS)
def test_good_frames(transmit: Port, receive: Port, seed: int) -> None:
    random = Random(seed)
    to_mac: list[Line] = []
    from_mac: list[Line] = []
    for length in random.sample(range(1, 41), 40):
        for line in frame(length):
            to_mac += [replace(line, ready=False)] * random.choice([0, 0, 1, 5])
            from_mac += [replace(IDLE, data=7, keep=2)] * random.choice([0, 0, 1, 5])
            to_mac.append(line)
            from_mac.append(replace(line, user=line.last and random.random() < 0.5))
        to_mac += [replace(IDLE, keep=5, last=True)] * random.choice([0, 0, 3])
    assert transmit.says(to_mac) == []
    assert receive.says(from_mac) == []


def test_tvalid_falls(transmit: Port) -> None:
    first, *_ = lines = frame(20)
    fell = ["tvalid fell before the beat was taken"]
    assert transmit.says([replace(first, ready=False), IDLE, *lines]) == fell


@pytest.mark.parametrize(
    "other", [{"data": 9}, {"keep": 1}, {"last": False}, {"user": True}], ids=str
)
def test_a_beat_changes_while_it_waits(transmit: Port, other: dict[str, int]) -> None:
    (line,) = frame(8)
    lines = [replace(line, ready=False, **other), line]  # type: ignore[arg-type]
    assert transmit.says(lines) == ["a beat changed while it waited"]


def test_tuser_counts_with_the_last_beat(transmit: Port) -> None:
    lines = frame(16)
    assert transmit.says([replace(lines[0], ready=False, user=True), *lines]) == []


@pytest.mark.parametrize("keep", [0, 0b10, 0b101, 0b1111_1110])
def test_tkeep_with_a_hole(transmit: Port, keep: int) -> None:
    (line,) = frame(8)
    assert transmit.says([replace(line, keep=keep)]) == ["tkeep has a hole or is empty"]


def test_a_beat_that_is_not_full(transmit: Port) -> None:
    lines = frame(16)
    found = transmit.says([replace(lines[0], keep=0x7F), lines[1]])
    assert found == ["a beat inside a frame is not full"]


def test_a_pause_inside_a_frame(transmit: Port, receive: Port) -> None:
    lines = frame(24)
    for pause in (1, 2):
        broken = [*lines[:pause], IDLE, *lines[pause:]]
        assert transmit.says([*broken, *lines]) == ["tvalid fell inside a frame"]
        assert receive.says(broken) == []
        # A frame that a reset has cut off is marked bad.
        assert transmit.says([*broken[:-1], replace(broken[-1], user=True), *lines]) == []


def test_tready_falls_before_a_mac(receive: Port) -> None:
    lines = frame(16)
    found = receive.says([replace(lines[0], ready=False), *lines])
    assert found == ["tready fell, but a MAC cannot wait"]
    assert receive.says([replace(IDLE, ready=False), *lines]) == []
