# SPDX-License-Identifier: Apache-2.0
"""Replicas of applications in a mesh of 28 tiles: shares, order, load, changes under traffic."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import pytest

from bombus.design.dispatch import flow_bucket
from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import Station, udp_frame
from bombus.simulator.frames import Frame
from tests.support.bench import ECHO_REPLICAS, PEER, SCALE, SCALE_28, Bench

pytestmark = pytest.mark.slow

FLOW, TURN, PORT, LOAD = 7, 1007, 7000, 2007
REPLICAS = {"flow": 8, "turn": 6, "port": 4, "load": 4}
CHOOSER = {"flow": "receive", "turn": "receive", "port": "receive", "load": "balancer"}
NEXT = {"flow": "udp_port_7", "turn": "udp_port_1007", "port": "udp_port_7000", "load": "served"}
STATION_IP = ".".join(map(str, PEER.ip))
CLIENTS = 32768  # udp_echo answers ports from here


def datagram(
    bench: Bench, port: int, source_port: int, mark: int, work: int = 0, size: int = 20
) -> bytes:
    payload = work.to_bytes(2) + mark.to_bytes(4) + bytes(size - 6)
    return udp_frame(PEER, bench.host, payload, port=port, source_port=source_port)


def shares(bench: Bench, group: str, *, wait: bool = True) -> list[int]:
    """Messages that each replica has taken so far, or (`wait`) when nothing is in flight."""
    if wait:
        bench.simulation.advance_until_idle()
    names = (f"{group}_{n}" for n in range(REPLICAS[group]))
    return [bench.simulation.tile_counters(name)["noc_in_messages"] for name in names]


def by_flow(frames: Iterable[bytes | Frame], *, answers: bool) -> dict[tuple[int, int], list[int]]:
    """The marks of datagrams in their order, by the ports of the question."""
    found = defaultdict(list)
    for frame in map(bytes, frames):
        ports = int.from_bytes(frame[34:36], "big"), int.from_bytes(frame[36:38], "big")
        key = ports[::-1] if answers else ports
        found[key].append(int.from_bytes(frame[44:48], "big"))
    return dict(found)


def exchange(bench: Bench, frames: Sequence[bytes], **options: int) -> list[Frame]:
    """Sends frames; every one must be answered rightly, in any order."""
    result = bench.simulation.exchange(frames, limit_cycles=2_000_000, **options)
    came = [frame.data for frame in result.received]
    assert not result.timed_out
    assert Counter(came) == Counter(map(echo_reply, frames))
    bench.expect_drops(Counter())
    return result.received


@pytest.mark.parametrize(
    ("design", "stall"),
    [(SCALE, 0.0), (SCALE, 0.4), pytest.param(SCALE_28, 0.4, marks=pytest.mark.sweep)],
    ids=["64", "64 that stops", "512 that stops"],
)
def test_everything_is_answered(design: Path, stall: float) -> None:
    """Every application tile takes part; nothing is lost, doubled or wrong."""
    random = Random(1)
    with Bench(design, seed=1, rx_bubble=0.5, tx_stall=stall) as bench:
        ports = [FLOW, TURN, LOAD, *range(PORT, PORT + 4)]
        frames = [
            udp_frame(
                PEER,
                bench.host,
                bytes([0, random.randrange(30)]) + random.randbytes(random.choice([0, 9, 70, 400])),
                port=random.choice(ports),
                source_port=random.randrange(CLIENTS, 1 << 16),
            )
            for _ in range(1500)
        ]
        bench.run(frames, window=40)
        assert all(share > 0 for group in REPLICAS for share in shares(bench, group))
        bench.alive()


def test_shares_are_even() -> None:
    random = Random(2)
    count = 480
    with Bench(SCALE) as bench:
        sources = random.sample(range(CLIENTS, 1 << 16), count)
        for port in (FLOW, TURN, LOAD):
            exchange(bench, [datagram(bench, port, s, n) for n, s in enumerate(sources)], window=30)
        assert shares(bench, "turn") == [count // 6] * 6
        assert sum(shares(bench, "load")) == count
        for share in shares(bench, "load"):
            assert abs(share - count / 4) < count / 20
        # Hashes of random flows: a few deviations of a fair die.
        for share in shares(bench, "flow"):
            assert abs(share - count / 8) < 4 * (count / 8) ** 0.5
        # The model of the hash determines which replica takes a flow.
        slots = [flow_bucket(STATION_IP, source, FLOW, 64) % 8 for source in sources]
        assert shares(bench, "flow") == [slots.count(n) for n in range(8)]


def test_ports_have_a_replica_each() -> None:
    with Bench(SCALE) as bench:
        for n in range(4):
            exchange(bench, [datagram(bench, PORT + n, CLIENTS + i, i) for i in range(10 + n)])
        assert shares(bench, "port") == [10, 11, 12, 13]
        bench.run([datagram(bench, PORT + 4, CLIENTS, 0)])  # nobody's


def test_flows_keep_their_order() -> None:
    """Of one flow, whatever the work; by turns, the quick overtake the slow."""
    random = Random(3)
    with Bench(SCALE) as bench:
        for port, is_kept in ((FLOW, True), (PORT, True), (TURN, False), (LOAD, False)):
            sources = random.sample(range(CLIENTS, 1 << 16), 12)
            frames = [
                datagram(
                    bench,
                    port + (random.randrange(4) if port == PORT else 0),
                    random.choice(sources),
                    n,
                    random.choice([0, 0, 5, 60]),
                    random.choice([20, 20, 200]),
                )
                for n in range(400)
            ]
            received = exchange(bench, frames, window=50)
            kept = by_flow(received, answers=True) == by_flow(frames, answers=False)
            assert kept == is_kept, port


def test_load_goes_where_there_is_least() -> None:
    """Two replicas get long work: the others take all the rest in turn."""
    with Bench(SCALE) as bench:
        long = [datagram(bench, LOAD, CLIENTS + n, n, work=20_000) for n in range(2)]
        short = [datagram(bench, LOAD, CLIENTS + 1000 + n, n) for n in range(200)]
        for frame in long:
            bench.simulation.send(frame)
        bench.simulation.advance(2000)
        result = bench.simulation.exchange(short, window=4, expected=200, limit_cycles=15_000)
        assert Counter(frame.data for frame in result.received) == Counter(map(echo_reply, short))
        bench.simulation.advance(200)
        # A message counts as received when the application takes it, which is after its work.
        assert sorted(shares(bench, "load", wait=False)) == [0, 0, 100, 100]
        last = [frame.data for frame in bench.simulation.receive_all()]
        assert Counter(last) == Counter(map(echo_reply, long))
        assert sorted(shares(bench, "load")) == [1, 1, 100, 100]
        bench.expect_drops(Counter())


def test_a_flow_is_moved_under_traffic() -> None:
    """A slot is pointed to other replicas again and again: the flow follows, nothing is lost."""
    with Bench(SCALE) as bench:
        simulation = bench.simulation
        slot = flow_bucket(STATION_IP, 40_000, FLOW, 64)
        frames = [datagram(bench, FLOW, 40_000, n, work=3) for n in range(900)]
        received: list[Frame] = []
        for turn in range(9):
            for frame in frames[100 * turn : 100 * turn + 100]:
                simulation.send(frame)
            simulation.advance(300)  # some of them are on their way
            simulation.set_slot("receive", NEXT["flow"], slot, f"flow_{turn % 8}")
        received = simulation.receive_all()
        assert Counter(f.data for f in received) == Counter(map(echo_reply, frames))
        taken = shares(bench, "flow")
        assert sum(taken) == 900
        assert all(taken)
        bench.expect_drops(Counter())
        # The flow is where it was put last, and only it has moved.
        exchange(bench, [datagram(bench, FLOW, 40_000, n) for n in range(10)])
        assert shares(bench, "flow") == [taken[0] + 10, *taken[1:]]
        sources = range(CLIENTS, CLIENTS + 76)
        others = [n for n in sources if flow_bucket(STATION_IP, n, FLOW, 64) != slot]
        exchange(bench, [datagram(bench, FLOW, port, 0) for port in others])
        expected = Counter(flow_bucket(STATION_IP, port, FLOW, 64) % 8 for port in others)
        change = [b - a for a, b in zip(taken, shares(bench, "flow"), strict=True)]
        assert change == [expected[n] + 10 * (n == 0) for n in range(8)]


@pytest.mark.parametrize("group", REPLICAS)
def test_a_replica_is_taken_out_of_service(group: str) -> None:
    """Its slots are pointed to another one; it can come back."""
    with Bench(SCALE) as bench:
        port = {"flow": FLOW, "turn": TURN, "port": PORT, "load": LOAD}[group]
        ports = [port + n for n in range(4)] if group == "port" else [port]
        frames = [datagram(bench, ports[n % len(ports)], CLIENTS + n, n) for n in range(300)]
        (entry,) = [e for e in bench.simulation.manifest["dispatch"] if e["group"] == group]
        slots = [n for n, slot in enumerate(entry["slots"]) if slot["to"] == f"{group}_1"]
        exchange(bench, frames, window=20)
        before = shares(bench, group)
        assert before[1]
        for slot in slots:
            bench.simulation.set_slot(CHOOSER[group], NEXT[group], slot, f"{group}_0")
        exchange(bench, frames, window=20)
        after = shares(bench, group)
        assert after[1] == before[1]
        assert sum(after) == 2 * len(frames)
        for slot in slots:
            bench.simulation.set_slot(CHOOSER[group], NEXT[group], slot, f"{group}_1")
        exchange(bench, frames, window=20)
        assert shares(bench, group)[1] > after[1]


def test_slot_without_replica_drops_and_counts() -> None:
    with Bench(SCALE) as bench:
        bench.simulation.set_slot("receive", NEXT["turn"], 2, None)
        frames = [datagram(bench, TURN, CLIENTS, n) for n in range(60)]
        received = bench.simulation.exchange(frames, limit_cycles=100_000).received
        assert len(received) == 50
        bench.expect_drops(Counter({"no_route": 10}))
        assert bench.simulation.tile_counters("receive")["drop.no_route"] == 10


def test_reset_in_traffic_starts_anew() -> None:
    """Slots lead where they did at first, loads and turns begin at zero."""
    with Bench(SCALE) as bench:
        for n in range(200):
            port = (FLOW, TURN, LOAD)[n % 3]
            bench.simulation.send(datagram(bench, port, CLIENTS + n, n, work=50))
        bench.simulation.advance(900)
        bench.simulation.set_slot("receive", NEXT["turn"], 0, None)
        bench.simulation.reset()
        bench.after_reset()
        bench.introduce([PEER])
        for port, group in ((TURN, "turn"), (LOAD, "load")):
            exchange(bench, [datagram(bench, port, CLIENTS, n) for n in range(5)], window=1)
            expected = [1, 1, 1, 1, 1, 0] if group == "turn" else [2, 1, 1, 1]
            assert shares(bench, group) == expected
        bench.alive()


def test_far_stations_are_told_apart_by_address() -> None:
    """One port, many addresses: the hash spreads them, as the model says."""
    with Bench(SCALE) as bench:
        stations = [Station.of(f"02:00:00:00:01:{n:02x}", f"10.77.0.{n}") for n in range(120, 152)]
        bench.introduce(stations)
        frames = [udp_frame(s, bench.host, bytes(20), source_port=CLIENTS) for s in stations]
        exchange(bench, frames)
        slots = [flow_bucket(".".join(map(str, s.ip)), CLIENTS, FLOW, 64) % 8 for s in stations]
        assert shares(bench, "flow") == [slots.count(n) for n in range(8)]
        assert all(shares(bench, "flow"))


@pytest.mark.sweep
def test_replicas_beside_other_layers() -> None:
    """The design of the examples: two groups of four, one of them behind a scheduler."""
    with Bench(ECHO_REPLICAS, rx_bubble=0.2, tx_stall=0.2) as bench:
        frames = [
            udp_frame(PEER, bench.host, bytes([n]) * n, port=port, source_port=40000 + n)
            for n in range(64)
            for port in (FLOW, TURN, 9)
        ]
        bench.rest()
        bench.run(frames)
        for name in (f"{group}_{n}" for group in ("echo", "any") for n in range(4)):
            assert bench.simulation.tile_counters(name)["noc_in_messages"]
