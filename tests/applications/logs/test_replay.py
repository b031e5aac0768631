# SPDX-License-Identifier: Apache-2.0
"""Replay of TCP header logs: runs with losses, reordering and two connections."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from bombus.analysis.check import check
from bombus.applications.logs.entries import packet_entry
from bombus.applications.logs.messages import LogError, struct_bits
from bombus.applications.logs.places import LogPlace
from bombus.applications.logs.reading import Fetched
from bombus.applications.logs.replaying import EngineLogs, engine_logs, replay
from bombus.applications.logs.simulated import fetch_simulated
from bombus.cli import app
from bombus.measure.exchanges import introduce, neighbour
from bombus.protocols.frames import Host, Station
from bombus.simulator.simulation import Simulation
from tests import ROOT
from tests.protocols.tcp.tcp_wire import MSS, Wire
from tests.support.bench import TIMER_STEP_US

pytestmark = pytest.mark.slow

DESIGN = ROOT / "docs" / "examples" / "logs" / "tcp_logs.yaml"
SEED = 2
ACK, SYN = frozenset({"ACK"}), frozenset({"SYN"})
BYTES = 24_000  # of each connection
WORD = 1 << 32
STEP_CYCLES = 97


@dataclass
class Client:
    """Sends a stream with losses and in a wrong order, and loses some of its echo."""

    simulation: Simulation
    station: Station
    port: int
    random: Random
    iss: int = 100
    sent: int = 0  # end of what was sent of the stream
    acked: int = 0
    irs: int = 0
    echoed: int = 0  # bytes in order
    is_open: bool = False
    lost: int = 0

    def _send(self, **fields: object) -> None:
        segment = Wire(self.port, 7, **fields)  # type: ignore[arg-type]
        host = Host.from_manifest(self.simulation.manifest)
        self.simulation.send(segment.frame(self.station, host))

    def open(self) -> None:
        self._send(seq=self.iss, flags=SYN, options=bytes([MSS, 4]) + (1460).to_bytes(2))

    def acknowledge(self) -> None:
        self.data(self.sent)

    def data(self, start: int, payload: bytes = b"") -> None:
        self.sent = max(self.sent, start + len(payload))
        seq, ack = self.iss + 1 + start, (self.irs + 1 + self.echoed) % WORD
        self._send(seq=seq, ack=ack, flags=ACK, payload=payload)

    def take(self, data: bytes) -> None:
        segment = data[34 : 14 + int.from_bytes(data[16:18])]
        seq, ack = int.from_bytes(segment[4:8]), int.from_bytes(segment[8:12])
        if segment[13] & 2:
            self.irs, self.is_open = seq, True
            self.acknowledge()
            return
        self.acked = max(self.acked, (ack - self.iss - 1) % WORD)
        length = len(segment) - 4 * (segment[12] >> 4)
        if length == 0:
            return
        if self.random.random() < 0.06:  # lost on the way
            self.lost += 1
            return
        if (seq - self.irs - 1) % WORD == self.echoed:
            self.echoed += length
        self.acknowledge()

    def burst(self) -> None:
        """Some segments from the acknowledged one on, in any order; some are lost."""
        starts = list(range(self.acked, min(self.acked + 4_000, BYTES), 700))
        for place in range(len(starts) - 1):
            if self.random.random() < 0.2:
                starts[place : place + 2] = reversed(starts[place : place + 2])
        for start in starts:
            if self.random.random() < 0.1:
                self.lost += 1
            else:
                self.data(start, self.random.randbytes(min(700, BYTES - start)))


def run(simulation: Simulation, clients: list[Client]) -> None:
    for client in clients:
        client.open()
    for step in range(3_000):
        simulation.advance(STEP_CYCLES)
        while (frame := simulation.receive(timeout_cycles=0)) is not None:
            data = frame.data
            for client in clients:
                if data[23] == 6 and int.from_bytes(data[36:38]) == client.port:
                    client.take(data)
        for client in clients:
            if client.is_open and step % 12 == 0 and client.acked < BYTES:
                client.burst()
        if all(client.acked == BYTES for client in clients):
            break
    simulation.advance(5_000)


Logs = dict[LogPlace, Fetched]


@pytest.fixture(scope="module")
def places() -> EngineLogs:
    return engine_logs(check(DESIGN)[0].design)


def logs_of(simulation: Simulation, station: Station, places: EngineLogs) -> Logs:
    return {
        place: fetch_simulated(simulation, station, place)
        for place in (places.received, places.sent)
    }


@pytest.fixture(scope="module")
def logs(places: EngineLogs) -> Logs:
    with Simulation(DESIGN, assertions=True, seed=SEED) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        random = Random(6)
        clients = [Client(simulation, station, 5000 + n, random, 100 * n) for n in range(2)]
        run(simulation, clients)
        assert all(client.acked > 5_000 and client.lost > 3 for client in clients)
        simulation.check()
        return logs_of(simulation, station, places)


def test_replay_of_two_connections(logs: Logs, places: EngineLogs) -> None:
    received, sent = (
        [packet_entry(entry) for entry in logs[place].entries]
        for place in (places.received, places.sent)
    )
    for entries in (received, sent):
        assert len(entries) > 100 and len({entry.head[:4] for entry in entries}) == 2
        for port in {entry.head[:4] for entry in entries}:
            numbers = [e.head[4:8] for e in entries if e.head[:4] == port and e.length > 40]
            assert numbers != sorted(numbers)  # retransmissions, and those in a wrong order
    found = replay(DESIGN, logs, seed=SEED)
    assert found.difference is None, str(found.difference)
    assert (found.received, found.sent, found.jumps) == (len(received), len(sent), ())


def test_skipped_time(places: EngineLogs) -> None:
    """Time that passes without cycles changes initial sequence numbers."""
    with Simulation(DESIGN, assertions=True, seed=SEED) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        random = Random(3)
        for number in range(2):
            simulation.elapse(us=777)
            Client(simulation, station, 5000 + number, random).open()
            simulation.advance(3_000)
            reset = Wire(5000 + number, 7, seq=101, flags=frozenset({"RST"}))
            simulation.send(reset.frame(station, Host.from_manifest(simulation.manifest)))
            simulation.advance_until_idle()
        logs = logs_of(simulation, station, places)
    found = replay(DESIGN, logs, seed=SEED)
    assert found.difference is None, str(found.difference)
    assert (found.received, found.sent) == (4, 2)


def test_timers_in_skipped_time(places: EngineLogs, tmp_path: Path) -> None:
    """A retransmission whose cycle depends on when time was skipped, which no log shows."""
    with Simulation(DESIGN, assertions=True, seed=SEED, timer_step_us=TIMER_STEP_US) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        client = Client(simulation, station, 5000, Random(4))
        client.open()
        while not client.is_open:
            frame = simulation.receive(timeout_cycles=2_000)
            assert frame is not None
            client.take(frame.data)
        client.data(0, bytes(500))
        simulation.advance(3_000)  # the echo, which is not acknowledged
        simulation.advance(20_000)
        simulation.elapse(seconds=0.5)
        logs = logs_of(simulation, station, places)
    sent = [packet_entry(entry) for entry in logs[places.sent].entries]
    again = [entry for entry in sent if entry.length > 500]
    assert len(again) > 1 and len({entry.head[4:8] for entry in again}) == 1
    found = replay(DESIGN, logs, seed=SEED)
    assert found.is_uncertain and found.difference is not None
    assert found.jumps[0] <= found.difference.cycle <= again[1].stamp.cycle
    for place, log in logs.items():
        log.save(tmp_path / f"{place.name}.log")
    result = CliRunner().invoke(app, ["replay", str(DESIGN), str(tmp_path), "--seed", str(SEED)])
    assert result.exit_code == 1
    assert f"no replay from cycle {found.jumps[0]} on" in str(result.exception)
    # A difference before that time is one of the engine.
    log = logs[places.sent]
    wrong = replace(log, entries=(head_bit(log.entries[0], 15), *log.entries[1:]))
    found = replay(DESIGN, {**logs, places.sent: wrong}, seed=SEED)
    assert found.difference is not None and not found.is_uncertain


def head_bit(data: bytes, byte: int) -> bytes:
    """An entry with the lowest bit of a byte of its TCP header changed."""
    value = int.from_bytes(data, "little") ^ 1 << struct_bits("packet_entry_t") + 8 * byte
    return value.to_bytes(len(data), "little")


@pytest.mark.parametrize(("byte", "field"), [(7, "sequence number"), (15, "window")])
def test_the_first_difference_is_named(
    logs: Logs, places: EngineLogs, tmp_path: Path, byte: int, field: str
) -> None:
    sent = logs[places.sent]
    entry = sent.entries[40]
    wrong = head_bit(entry, byte)
    bad = replace(sent, entries=(*sent.entries[:40], wrong, *sent.entries[41:]))
    logs[places.received].save(tmp_path / f"{places.received.name}.log")
    bad.save(tmp_path / f"{places.sent.name}.log")
    result = CliRunner().invoke(app, ["replay", str(DESIGN), str(tmp_path), "--seed", str(SEED)])
    cycle = packet_entry(entry).stamp.cycle
    assert result.exit_code == 1
    text = " ".join(result.output.split())
    assert f"first difference: cycle {cycle}: entry 40 of {places.sent.name}: {field} is" in text


def test_a_segment_that_the_engine_did_not_get(logs: Logs, places: EngineLogs) -> None:
    """Without a received segment the engine goes another way, from that cycle on."""
    log = logs[places.received]
    state = replace(log.state, next=log.state.next - 1)
    less = Fetched(state, log.entries[:30] + log.entries[31:])
    found = replay(DESIGN, {**logs, places.received: less}, seed=SEED)
    assert found.difference is not None
    assert found.difference.log == places.sent.name
    assert found.difference.cycle > packet_entry(log.entries[30]).stamp.cycle


def test_another_seed_gives_other_sequence_numbers(logs: Logs) -> None:
    found = replay(DESIGN, logs, seed=SEED + 1)
    assert found.difference is not None
    assert (found.difference.entry, found.difference.field) == (0, "sequence number")


@pytest.mark.parametrize(
    ("change", "cause"), [({"first": 1}, "overwritten"), ({"generation": 1}, "cleared")]
)
def test_a_log_without_its_beginning(
    logs: Logs, places: EngineLogs, change: dict[str, int], cause: str
) -> None:
    log = logs[places.sent]
    bad = Fetched(replace(log.state, **change), log.entries)  # type: ignore[arg-type]
    with pytest.raises(LogError, match=f"does not begin at the reset: .* were {cause}"):
        replay(DESIGN, {**logs, places.sent: bad})


def test_an_overwritten_ring(places: EngineLogs) -> None:
    """As it is fetched from a running design."""
    with Simulation(DESIGN, assertions=True, seed=SEED) as simulation:
        station = neighbour(simulation.manifest)
        introduce(simulation, station)
        for tile in ("tcp", "transmit"):
            simulation.tile(tile).registers.log_store.control.write(ring=1, paused=0, clear=0)
        host = Host.from_manifest(simulation.manifest)
        for number in range(1_100):
            simulation.send(
                Wire(6000, 9, seq=number, flags=frozenset({"RST"})).frame(station, host)
            )
        simulation.advance_until_idle()
        logs = logs_of(simulation, station, places)
    assert logs[places.received].first > 0
    with pytest.raises(LogError, match="first entries were overwritten"):
        replay(DESIGN, logs, seed=SEED)


def test_a_full_log_is_replayed_up_to_its_end(logs: Logs, places: EngineLogs) -> None:
    log = logs[places.received]
    state = replace(log.state, next=60, lost=len(log.entries) - 60)
    found = replay(DESIGN, {**logs, places.received: Fetched(state, log.entries[:60])}, seed=SEED)
    assert found.difference is None
    assert found.received == 60
    assert found.until == packet_entry(log.entries[59]).stamp.cycle


def test_logs_that_are_missing(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["replay", str(DESIGN), str(tmp_path)])
    assert "no such file" in str(result.exception)
    with pytest.raises(LogError, match="needs one packet_log before tcp, not 0"):
        engine_logs(check(DESIGN.with_name("logs.yaml"))[0].design)
