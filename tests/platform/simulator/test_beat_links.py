# SPDX-License-Identifier: Apache-2.0
"""Links of beats: when a beat arrives, errors, rates, links that go down, and bad calls."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bombus.simulator.beat_links import Beat
from bombus.simulator.build import Library
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

pytestmark = pytest.mark.slow

PACE = 0x804  # register: in how many of 256 cycles each link sends a beat


def opened(library: Library, *, pace: int = 256, **options: float) -> Simulation:
    """A simulation whose link0 is up."""
    simulation = Simulation(library)
    simulation.write_register(PACE, pace)
    simulation.beat_links["link0"].configure(**options)  # type: ignore[arg-type]
    simulation.beat_links["link0"].set_up(True)
    simulation.advance(4)
    simulation.run_beats(0)
    return simulation


def test_a_beat_arrives_in_its_cycle(beat_board: Library) -> None:
    with opened(beat_board, pace=0) as simulation:
        now = simulation.cycle
        far = now + 500
        simulation.run_beats(0, {"link0": [Beat(now, 1 << 127), Beat(now + 2, 5), Beat(far, 6)]})
        for cycle, data, valid in ((now, 1 << 127, 1), (now + 1, None, 0), (now + 2, 5, 1)):
            assert simulation.cycle == cycle
            simulation.advance(1)
            assert simulation.read_pin("link0_rx_valid_i") == valid
            if data is not None:
                assert simulation.read_pin("link0_rx_data_i") == data
        simulation.advance(far - simulation.cycle)  # idle, and no cycle is skipped
        assert not simulation.read_pin("link0_rx_valid_i")
        simulation.advance(1)
        assert simulation.read_pin("link0_rx_valid_i")
        assert simulation.beat_links["link0"].statistics().received == 3
        assert simulation.counters()["node"]["from_link0"] == 3


def test_beats_leave_with_the_cycle_of_their_arrival(beat_board: Library) -> None:
    with opened(beat_board, latency=75) as simulation:
        now = simulation.cycle
        sent = simulation.run_beats(100)["link0"]
        assert [beat.cycle for beat in sent] == [now + 75 + n for n in range(100)]
        assert len({beat.data for beat in sent}) == 100
        assert simulation.run_beats(0)["link0"] == []


@pytest.mark.parametrize("rate", [0.5, 0.3, 0.999, 1e-3])
def test_rate(beat_board: Library, rate: float) -> None:
    with opened(beat_board, rate=rate) as simulation:
        sent = simulation.run_beats(10_000)["link0"]
        assert abs(len(sent) - 10_000 * rate) <= 2
        assert simulation.errors()["tx_data_changed"] == 0


@pytest.mark.parametrize("rate", [1e-4, 0.01, 0.5, 1.0])
def test_bit_errors(beat_board: Library, rate: float) -> None:
    def run(errors: float, seed: int, pieces: int) -> list[Beat]:
        with opened(beat_board, bit_errors=errors, seed=seed) as simulation:
            beats: list[Beat] = []
            for _ in range(pieces):
                beats += simulation.run_beats(4000 // pieces)["link0"]
            flipped = simulation.beat_links["link0"].statistics().flipped_bits
            right.append(flipped)
            return beats

    right: list[int] = []
    clean, wrong, again, other = run(0, 1, 1), run(rate, 1, 1), run(rate, 1, 40), run(rate, 2, 1)
    assert wrong == again
    assert (wrong != other) == (rate < 1)
    flipped = [bin(a.data ^ b.data).count("1") for a, b in zip(clean, wrong, strict=True)]
    assert right[0] == 0
    bits = 128 * len(clean)
    assert abs(sum(flipped) - rate * bits) <= 6 * (rate * (1 - rate) * bits) ** 0.5
    # Each bit is as likely as the others.
    assert len({place for a, b in zip(clean, wrong, strict=True) if (place := a.data ^ b.data)}) > (
        10 if rate < 1 else 0
    )


def test_a_link_that_goes_down(beat_board: Library) -> None:
    with opened(beat_board, latency=75) as simulation:
        link = simulation.beat_links["link0"]
        now = simulation.cycle
        link.set_up(False, cycle=now + 50)
        link.set_up(True, cycle=now + 80)
        arriving = [Beat(now + n, n) for n in range(100)]
        sent = simulation.run_beats(100, {"link0": arriving})["link0"]
        assert [beat.cycle - now - 75 for beat in sent] == [*range(50), *range(80, 100)]
        assert link.statistics().lost == 30
        assert link.statistics().received == 70
        assert sum(simulation.errors().values()) == 0


def test_digests_differ_with_a_bit_and_with_a_cycle(beat_board: Library) -> None:
    def digest(*beats: tuple[int, int]) -> int:
        with opened(beat_board, pace=0) as simulation:
            now = simulation.cycle
            given = [Beat(now + cycle, data) for cycle, data in beats]
            simulation.run_beats(20, {"link0": given})
            return simulation.beat_links["link0"].statistics().received_digest

    assert digest((3, 7), (4, 8)) == digest((3, 7), (4, 8))
    assert len({digest((3, 7), (4, 8)), digest((3, 7), (4, 9)), digest((3, 7), (5, 8))}) == 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.run_beats(1, {"link0": [Beat(s.cycle - 1, 0)]}), "is given when only those"),
        (
            lambda s: s.run_beats(1, {"link0": [Beat(s.cycle + 1, 0)] * 2}),
            "is given when only those",
        ),
        (lambda s: s.run_beats(1, {"link9": []}), "no link 'link9'"),
        (lambda s: s.run_beats(1, {"link3": [Beat(s.cycle, 1 << 96)]}), "does not fit into the 96"),
        (lambda s: s.beat_links["link0"].configure(latency=0), "latency is at least 1"),
        (lambda s: s.beat_links["link0"].configure(rate=0), "rate is above 0"),
        (lambda s: s.beat_links["link0"].configure(rate=float("nan")), "rate is above 0"),
        (lambda s: s.beat_links["link0"].configure(bit_errors=1.5), "bit_errors"),
        (lambda s: s.beat_links["link0"].set_up(False, cycle=1), "in the past"),
        (lambda s: s.write_pin("link0_up_i", 1), "belongs to link link0"),
    ],
)
def test_bad_calls(beat_board: Library, call: Callable[[Simulation], object], message: str) -> None:
    with opened(beat_board) as simulation:
        with pytest.raises(SimulationError, match=message):
            call(simulation)
        simulation.run_beats(10)


def test_no_call_passes_the_horizon(beat_board: Library) -> None:
    with opened(beat_board, pace=0) as simulation:
        native = simulation._native
        native.call("set_horizon", simulation.cycle + 10, native.ffi.NULL, native.ffi.NULL)
        simulation.advance(10)
        end = simulation.cycle
        for call in (
            lambda: simulation.advance(1),
            lambda: simulation.read_register(PACE),
            lambda: simulation.elapse(us=1),
            simulation.reset_core,
        ):
            with pytest.raises(SimulationError, match="needs beats of links"):
                call()
            assert simulation.cycle == end
