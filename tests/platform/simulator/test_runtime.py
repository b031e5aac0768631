# SPDX-License-Identifier: Apache-2.0
"""Frames, time, registers and protocol checks of the simulator, on the loopback design."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest
from scapy.all import Ether, Raw

from bombus.simulator.build import Library
from bombus.simulator.frames import latencies
from bombus.simulator.native import SimulationError
from bombus.simulator.simulation import Simulation

pytestmark = pytest.mark.slow

FAULT = 0x800
TIMER = 0x804
NEVER_ANSWERED = 0xFF8
REPEATS = 6  # fault: the first beat is repeated 600 times


def frames(count: int, seed: int = 1, low: int = 60, high: int = 300) -> list[bytes]:
    source = random.Random(seed)
    return [source.randbytes(source.randint(low, high)) for _ in range(count)]


def test_every_length_comes_back_whole(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        sent = [bytes(i % 251 for i in range(n)) for n in [*range(1, 300), 1514, 9014, 9600]]
        result = simulation.exchange(sent)
        assert [frame.data for frame in result.received] == sent
        simulation.check()


def test_a_frame_has_the_cycles_of_its_beats(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.send(bytes(100))  # 7 beats of 16 bytes
        frame = simulation.receive()
        (sent,) = simulation.sent()
        assert frame is not None
        assert sent.last_beat_cycle - sent.first_beat_cycle == 6
        assert frame.last_beat_cycle - frame.first_beat_cycle == 6
        assert frame.first_beat_cycle > sent.last_beat_cycle
        assert frame.time_ns == frame.last_beat_cycle * 4  # 250 MHz
        assert simulation.sent() == []


def test_frames_go_in_back_to_back(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        result = simulation.exchange([bytes(64)] * 1000)
        starts = [sent.first_beat_cycle for sent in result.sent]
        assert starts == list(range(starts[0], starts[0] + 4000, 4))


def test_gap_and_window_of_an_exchange(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        spaced = simulation.exchange([bytes(64)] * 10, gap_cycles=50)
        starts = [sent.first_beat_cycle for sent in spaced.sent]
        assert [b - a for a, b in itertools.pairwise(starts)] == [50] * 9
        one_at_a_time = simulation.exchange([bytes(64)] * 10, window=1)
        assert set(latencies(one_at_a_time)) == {4}
        for answer, after in zip(one_at_a_time.received, one_at_a_time.sent[1:], strict=False):
            assert after.first_beat_cycle > answer.last_beat_cycle


def test_an_exchange_goes_on_after_a_lost_frame(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.write_register(FAULT, 0)
        simulation.send(bytes(60), bad=True)
        result = simulation.exchange(frames(20), window=1, limit_cycles=100_000)
        assert len(result.received) == 20
        assert not result.timed_out


def test_ports_do_not_mix(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        sent = frames(100)
        ports = [i % 2 for i in range(100)]
        result = simulation.exchange(sent, ports=ports)
        for port in (0, 1):
            assert [f.data for f in result.received if f.port == port] == sent[port::2]


def test_limit_of_an_exchange(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        result = simulation.exchange([bytes(64)] * 100, limit_cycles=100)
        assert result.timed_out
        assert result.cycles == 100
        assert 20 <= len(result.received) < 25
        with pytest.raises(SimulationError):
            simulation.exchange([bytes(64)] * 100, capacity=3) or simulation.check()


def test_bubbles_and_stalls_change_nothing_but_time(loopback: Library) -> None:
    sent = frames(300)
    with Simulation(loopback, seed=5, rx_bubble=0.4, tx_stall=0.5) as simulation:
        result = simulation.exchange(sent)
        assert [frame.data for frame in result.received] == sent
        assert result.cycles > 1.5 * sum(-(-len(frame) // 16) for frame in sent)
        simulation.check()


def test_line_rate_holds_frames_apart(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.line_rate(10)
        result = simulation.exchange([bytes(60)] * 200)
        # 84 bytes at 10 Gbit/s are 67.2 ns, 16.8 cycles
        span = result.sent[-1].first_beat_cycle - result.sent[0].first_beat_cycle
        assert span / 199 == pytest.approx(16.8, abs=0.1)
        span = result.received[-1].first_beat_cycle - result.received[0].first_beat_cycle
        assert span / 199 == pytest.approx(16.8, abs=0.1)


def test_bad_frames_reach_the_design_as_bad(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.send(bytes(100), bad=True)
        simulation.send(b"good" * 20)
        assert [frame.data for frame in simulation.receive_all()] == [b"good" * 20]


def test_scapy_packets_are_frames(loopback: Library) -> None:
    packet = Ether(dst="02:00:00:00:00:01") / Raw(b"hello" * 20)
    with Simulation(loopback) as simulation:
        simulation.send(packet)
        frame = simulation.receive()
        assert frame is not None
        assert frame.data == bytes(packet)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (1, "tx_valid_dropped"),
        (2, "tx_data_changed"),
        (3, "tx_keep_invalid"),
        (4, "tx_underrun"),
        (5, "rx_not_ready"),
    ],
)
def test_broken_rules_are_seen(loopback: Library, fault: int, error: str) -> None:
    with Simulation(loopback, seed=fault, tx_stall=0.3) as simulation:
        simulation.exchange(frames(20))
        simulation.check()
        simulation.write_register(FAULT, fault)
        simulation.exchange(frames(20))
        assert simulation.errors()[error] > 0
        with pytest.raises(SimulationError, match=error):
            simulation.check()


@pytest.mark.parametrize(
    ("length", "errors"),
    [
        (16, 0),
        (17, 1),  # too long with its last beat only
        (33, 2),  # and with the one before
    ],
)
def test_a_frame_longer_than_the_longest_is_seen(
    loopback: Library, length: int, errors: int
) -> None:
    frame = bytes(range(length))
    with Simulation(loopback, tx_stall=0.3) as simulation:
        simulation.write_register(FAULT, REPEATS)
        simulation.send(frame)
        came = simulation.receive()
        assert came is not None
        assert came.data == frame[:16] * 599 + frame
        assert {name: n for name, n in simulation.errors().items() if n} == (
            {"tx_too_long": errors} if errors else {}
        )
        if errors:
            with pytest.raises(SimulationError, match="tx_too_long"):
                simulation.check()


@pytest.mark.parametrize("write", [False, True])
def test_a_register_that_does_not_answer_is_given_up_and_counted(
    loopback: Library, write: bool
) -> None:
    """No later request gets the answer to an earlier one."""
    with Simulation(loopback) as simulation:
        before = simulation.cycle
        with pytest.raises(SimulationError):
            if write:
                simulation.write_register(NEVER_ANSWERED, 1)
            else:
                simulation.read_register(NEVER_ANSWERED)
        largest_table = 2  # the addresses of two MAC ports
        assert simulation.cycle - before == 100_000 + largest_table
        simulation.exchange(frames(2))
        for _ in range(2):
            with pytest.raises(SimulationError, match="earlier register request was never"):
                simulation.read_register(0)
            with pytest.raises(SimulationError, match="earlier register request was never"):
                simulation.write_register(0, 1)
        assert simulation.errors()["register_timeout"] == 1
        with pytest.raises(SimulationError, match="register_timeout"):
            simulation.check()


def test_same_seed_same_start(loopback: Library) -> None:
    def start(seed: int) -> int:
        with Simulation(loopback, seed=seed) as simulation:
            return simulation.counters()["loop"]["never_reset"]

    assert start(1) == start(1)
    assert len({start(seed) for seed in range(8)}) == 8


def test_counters_have_names_and_48_bits(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.write_register(0x000, 0xFFFFFFFE)
        simulation.exchange([bytes(60)] * 5)
        assert simulation.counters()["loop"]["frames_in"] == 0x1_0000_0003
        assert simulation.tile_counters("loop")["frames_out"] == 5
        with pytest.raises(SimulationError, match="no tile"):
            simulation.tile_counters("nothing")


def test_idle_cycles_cost_nothing(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.advance(10_000_000)
        assert simulation.cycle == 10_000_016  # reset included
        assert simulation.evaluated_cycles < 1000
        assert simulation.time_us == 40_000


@pytest.mark.parametrize("busy_before", [False, True])
def test_time_passes_in_few_cycles_and_timers_fire(loopback: Library, busy_before: bool) -> None:
    with Simulation(loopback) as simulation:
        simulation.elapse(seconds=3)
        assert simulation.time_us == 3_000_000
        simulation.write_register(TIMER, 500_000)
        assert simulation.busy
        assert not simulation.in_flight
        if busy_before:
            simulation.send(bytes(1000))
        simulation.elapse(us=499_000)
        assert len(simulation.receive_all()) == busy_before
        assert simulation.busy
        simulation.elapse(us=2_000)
        (frame,) = simulation.receive_all()
        assert 3_500_000 <= frame.time_ns / 1000 <= 3_500_300
        assert not simulation.busy
        assert simulation.evaluated_cycles < 100_000


def test_a_timer_runs_on_the_clock_too(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.write_register(TIMER, 100)
        frame = simulation.receive()
        assert frame is not None
        assert 99_000 <= frame.time_ns <= 101_500


def test_reset_forgets_frames(loopback: Library) -> None:
    with Simulation(loopback) as simulation:
        simulation.send(bytes(1000))
        simulation.advance(20)
        simulation.reset()
        assert simulation.receive_all() == []
        assert simulation.counters()["loop"]["frames_in"] == 0
        simulation.check()


def test_register_that_is_not_answered(loopback: Library) -> None:
    with Simulation(loopback) as simulation, pytest.raises(SimulationError, match="port 9"):
        simulation.send(bytes(60), port=9)


def test_two_simulations_at_once_are_two(loopback: Library) -> None:
    with Simulation(loopback) as one, Simulation(loopback) as other:
        one.send(bytes(60))
        assert one.receive() is not None
        assert other.counters()["loop"]["frames_in"] == 0
        assert other.receive(timeout_cycles=1000) is None


def test_queue_limit(loopback: Library) -> None:
    with Simulation(loopback, queue_limit=2) as simulation:
        simulation.send(bytes(60))
        simulation.send(bytes(60))
        with pytest.raises(SimulationError):
            simulation.send(bytes(60))


def test_assertions_are_counted(loopback_with_everything: Library) -> None:
    with Simulation(loopback_with_everything) as simulation:
        simulation.exchange(frames(5))
        simulation.check()
        simulation.write_register(0xFFC, 1)
        assert simulation.errors()["assertions_failed"] > 0


def test_waveform(loopback_with_everything: Library, tmp_path: Path) -> None:
    with Simulation(loopback_with_everything) as simulation:
        simulation.wave_start(tmp_path / "wave")
        simulation.exchange(frames(5))
        simulation.wave_stop()
        assert (tmp_path / "wave").stat().st_size > 500


def test_no_waveform_without_trace(loopback: Library, tmp_path: Path) -> None:
    with Simulation(loopback) as simulation, pytest.raises(SimulationError, match="without"):
        simulation.wave_start(tmp_path / "wave")
