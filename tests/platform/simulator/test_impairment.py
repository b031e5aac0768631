# SPDX-License-Identifier: Apache-2.0
"""Loss, duplication, corruption, reordering and delay: repeatable, and each as asked."""

from __future__ import annotations

import re

import pytest

from bombus.base.errors import UserError
from bombus.simulator.build import Library
from bombus.simulator.impairment import Impairment
from bombus.simulator.simulation import Simulation

pytestmark = pytest.mark.slow

FRAMES = [number.to_bytes(4, "big") * 20 for number in range(1000)]


def through(
    library: Library, rx: Impairment | None = None, tx: Impairment | None = None, seed: int = 0
) -> list[tuple[bytes, int]]:
    with Simulation(library, seed=seed) as simulation:
        simulation.impair(rx, tx)
        received = simulation.exchange(FRAMES, capacity=4000).received
        simulation.check()
        return [(frame.data, frame.first_beat_cycle) for frame in received]


def contents(received: list[tuple[bytes, int]]) -> list[bytes]:
    return [data for data, _ in received]


EVERYTHING = Impairment(
    loss=0.1, duplicate=0.1, corrupt=0.1, bad_fcs=0.05, reorder=0.1, delay_us=3, jitter_us=2
)


@pytest.mark.parametrize("direction", ["rx", "tx"])
def test_same_seed_same_bytes(loopback: Library, direction: str) -> None:
    once = through(loopback, **{direction: EVERYTHING}, seed=7)
    assert once == through(loopback, **{direction: EVERYTHING}, seed=7)
    assert once != through(loopback, **{direction: EVERYTHING}, seed=8)


@pytest.mark.parametrize("direction", ["rx", "tx"])
def test_loss(loopback: Library, direction: str) -> None:
    received = contents(through(loopback, **{direction: Impairment(loss=0.2)}))
    assert 750 < len(received) < 850
    assert received == [frame for frame in FRAMES if frame in set(received)]


def test_directions_are_independent(loopback: Library) -> None:
    rx = set(contents(through(loopback, rx=Impairment(loss=0.5))))
    tx = set(contents(through(loopback, tx=Impairment(loss=0.5))))
    assert 200 < len(rx & tx) < 300


def test_one_impairment_leaves_the_choices_of_another_alone(loopback: Library) -> None:
    lost = set(contents(through(loopback, rx=Impairment(loss=0.2))))
    both = set(contents(through(loopback, rx=Impairment(loss=0.2, duplicate=0.3, reorder=0.2))))
    assert lost == both


def test_duplicates_follow_at_once(loopback: Library) -> None:
    received = contents(through(loopback, rx=Impairment(duplicate=0.2)))
    assert 1150 < len(received) < 1250
    assert sorted(received) == received
    assert set(received) == set(FRAMES)


def test_corruption_flips_one_bit(loopback: Library) -> None:
    received = contents(through(loopback, rx=Impairment(corrupt=0.2)))
    flipped = [
        (int.from_bytes(a) ^ int.from_bytes(b)).bit_count()
        for a, b in zip(FRAMES, received, strict=True)
    ]
    assert set(flipped) == {0, 1}
    assert 150 < sum(flipped) < 250


def test_bad_fcs_is_left_to_the_design(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.impair(rx=Impairment(bad_fcs=0.3))
        received = simulation.exchange(FRAMES).received
        marked = simulation.statistics()["bad_fcs"][0]
        assert 250 < marked < 350
        assert len(received) == len(FRAMES) - marked


def test_reordered_frames_are_overtaken_by_so_many(loopback: Library) -> None:
    received = contents(through(loopback, rx=Impairment(reorder=0.05, reorder_distance=3)))
    assert sorted(received) == FRAMES
    late = [i for i, frame in enumerate(received[:-1]) if received[i + 1] < frame]
    assert 20 < len(late) < 60


def test_a_held_frame_does_not_wait_for_ever(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.impair(rx=Impairment(reorder=1.0, reorder_distance=5, reorder_hold_us=20))
        simulation.send(bytes(64))
        frame = simulation.receive()
        assert frame is not None
        assert 20_000 <= frame.time_ns < 20_500
        assert simulation.evaluated_cycles < 1000


@pytest.mark.parametrize("direction", ["rx", "tx"])
def test_delay_is_virtual_time(loopback: Library, direction: str) -> None:
    with Simulation(loopback) as simulation:
        simulation.impair(**{direction: Impairment(delay_us=500)})
        start = simulation.time_ns
        simulation.send(bytes(64))
        assert simulation.receive(timeout_cycles=124_000) is None  # 496 us
        assert simulation.in_flight
        assert simulation.receive(timeout_cycles=2_000) is not None
        assert simulation.time_ns - start == pytest.approx(500_000, abs=500)
        assert simulation.evaluated_cycles < 1000


def test_words_of_the_command_line() -> None:
    parsed = Impairment.parse("loss=1%, delay_us=500,reorder=0.25,reorder-distance=3,seed=9")
    assert parsed == Impairment(loss=0.01, delay_us=500, reorder=0.25, reorder_distance=3, seed=9)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("lost=1", "unknown impairment 'lost'; did you mean 'loss'?"),
        ("loss=2,foo=1", "unknown impairment 'foo'; known: bad_fcs, corrupt, delay_us"),
        ("", "names no impairment; known: loss, "),
        (",", "names no impairment; known: loss, "),
        ("loss", "'loss' should be name=value, such as loss=1%"),
        ("loss=200%", "loss is a probability; should be from 0 to 1, or from 0% to 100%, not 2"),
        ("loss=much", "not a number"),
        ("loss=2", "probability"),
        ("loss=101%", "probability"),
        ("loss=nan", "probability"),
        ("loss=1%,loss=2%", "loss is given twice"),
        ("delay_us=-1", "delay_us should be from 0 to 1,000,000,000"),
        ("delay_us=inf", "delay_us should be from 0 to 1,000,000,000"),
        ("delay_us=nan", "delay_us should be from 0 to 1,000,000,000"),
        ("delay_us=5%", "not a number"),
        ("reorder-distance=0", "at least 1"),
        ("reorder-distance=1.5", "not a whole number"),
        ("seed=-1", "seed"),
    ],
)
def test_words_that_mean_nothing(words: str, complaint: str) -> None:
    with pytest.raises(
        UserError, match=f"^--impair-rx {re.escape(words)}: .*{re.escape(complaint)}"
    ):
        Impairment.parse(words, "--impair-rx")
