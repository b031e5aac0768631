# SPDX-License-Identifier: Apache-2.0
"""Two MAC ports with addresses and clocks of their own, and one stack for both or one each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bombus.protocols.frames import (
    Host,
    Station,
    announcement,
    arp_reply,
    arp_request,
    ip_bytes,
    ping_frame,
    udp_frame,
)
from bombus.protocols.stack import Stack
from tests.protocols.stack.frame_mutation import Mutator
from tests.protocols.stack.test_fuzz import Batches
from tests.protocols.stack.two_ports import (
    BOTH,
    GAP_CYCLES,
    LINE_GBPS,
    PORTS,
    RELAY_PORT,
    RELAY_TO,
    SHARED,
    STATIONS,
    Bench,
)
from tests.support.bench import LIMIT_CYCLES

pytestmark = pytest.mark.slow


@pytest.fixture
def design() -> Path:
    """For tests that do not depend on how stacks are shared; the others say `BOTH`."""
    return SHARED


@pytest.fixture
def bench(design: Path) -> Iterator[Bench]:
    with Bench(design) as bench:
        yield bench


@BOTH
def test_each_port_answers_for_itself(bench: Bench) -> None:
    choice = random.Random(1)
    frames = []
    for n in range(60):
        port = choice.choice(PORTS)
        make = choice.choice((udp_frame, ping_frame))
        frames.append((port, make(STATIONS[port], bench.hosts[port], choice.randbytes(2 * n))))
        # The other port's address is not this one's, whoever asks (RFC 1122, 3.3.4.2).
        mixed = Host(bench.hosts[port].mac, bench.hosts[1 - port].ip, bench.hosts[port].netmask)
        frames.append((port, udp_frame(STATIONS[port], mixed, b"wrong address")))
        frames.append((port, udp_frame(STATIONS[port], bench.hosts[1 - port], b"wrong port")))
        frames.append((port, arp_request(STATIONS[port], bench.hosts[1 - port])))
    bench.run(frames)


@BOTH
def test_bindings_belong_to_a_port(bench: Bench) -> None:
    """The same neighbour's address on both links, with another MAC address on each."""
    simulation = bench.simulation
    simulation.set_host(1, ip="10.77.0.3")
    bench.hosts[1] = Host(bench.hosts[1].mac, ip_bytes("10.77.0.3"), bench.hosts[1].netmask)
    simulation.elapse(us=3000)
    assert [frame.data for frame in simulation.receive_all(1)] == [announcement(bench.hosts[1])]
    bench.forget()
    same = [Station(station.mac, STATIONS[0].ip) for station in STATIONS]
    bench.run([(port, arp_request(same[port], bench.hosts[port])) for port in PORTS])
    bench.run([(port, udp_frame(same[port], bench.hosts[port], b"me")) for port in PORTS * 4])
    # Neither learns from the other port; each asks on its own link.
    silent = [Station(station.mac, ip_bytes("10.77.0.50")) for station in STATIONS]
    bench.run([(port, udp_frame(silent[port], bench.hosts[port], b"who")) for port in PORTS])
    bench.run([(1, arp_reply(silent[1], bench.hosts[1]))])
    bench.run([(0, arp_reply(silent[0], bench.hosts[0]))])
    tiles = [
        tile["name"]
        for tile in simulation.manifest["tiles"]
        if any(layer["kind"] == "eth_tx" for layer in tile["layers"])
    ]
    caches = [simulation.tile(name).registers.cache for name in tiles]
    entries = [entry.read() for cache in caches for entry in cache]
    found = {(each["mac_port"], each["ip"], each["mac"]) for each in entries if each["valid"]}
    for port in PORTS:
        for station in (same[port], silent[port]):
            assert (port, int.from_bytes(station.ip), int.from_bytes(station.mac)) in found


@BOTH
def test_a_new_message_takes_the_port_of_the_route(bench: Bench) -> None:
    """Whichever port asks for it; from that port's address, to a neighbour that is asked there."""
    replies: list[list[bytes]] = [[] for _ in PORTS]
    drops: Counter[str] = Counter()
    frames = []
    for port in PORTS:
        for n in range(3):
            payload = bytes([port, n]) * (20 + n)
            frames.append(
                (port, udp_frame(STATIONS[port], bench.hosts[port], payload, port=RELAY_PORT))
            )
            number, outcome = bench.model.send(RELAY_PORT, RELAY_TO.ip, RELAY_PORT, payload)
            assert number == 1
            bench.add(replies, drops, number, outcome)
    bench.compare(frames, replies, drops, gap_cycles=200)
    bench.run([(1, arp_reply(RELAY_TO, bench.hosts[1]))])


@BOTH
def test_a_port_that_takes_nothing_stops_nobody_else(bench: Bench) -> None:
    simulation = bench.simulation
    count, size = 100, 1000
    alive = [udp_frame(STATIONS[0], bench.hosts[0], n.to_bytes(2) * 50) for n in range(count)]
    simulation.pace(1, tx_stall=1.0)  # as a MAC whose link is down
    dead = [
        udp_frame(STATIONS[1], bench.hosts[1], n.to_bytes(2) * (size // 2)) for n in range(count)
    ]
    gap_cycles = 200  # less than the core can take
    exchange = simulation.exchange(
        [frame for pair in zip(dead, alive, strict=True) for frame in pair],
        ports=[1, 0] * count,
        gap_cycles=gap_cycles,
        expected=count,
        limit_cycles=LIMIT_CYCLES,
    )
    replies, _ = bench.predict([(0, frame) for frame in alive])
    assert [(frame.port, frame.data) for frame in exchange.received] == [
        (0, reply) for reply in replies[0]
    ]
    # Nothing waits for the dead port.
    assert exchange.cycles < 2 * count * gap_cycles + 1000
    simulation.advance(10_000)
    lost = bench.drops()["mac_tx.full"]
    assert 0 < lost < count
    assert not simulation.stalls()

    simulation.pace(1)  # it is up again: buffered frames arrive complete, then everything works
    kept = [frame.data for frame in simulation.receive_all(1)]
    replies, _ = bench.predict([(1, frame) for frame in dead])
    assert kept == replies[1][: count - lost]
    bench.run(bench.probes())


def test_a_link_that_is_down_carries_nothing(bench: Bench) -> None:
    bench.simulation.link(1, up=False)
    bench.simulation.send(bench.probes()[-1][1], 1)
    assert bench.simulation.statistics(1)["link_lost"] == 1
    bench.simulation.link(1, up=True)
    assert not bench.simulation.receive_all(1)
    bench.run(bench.probes())


def test_clocks_run_at_their_true_ratio(bench: Bench) -> None:
    before = [bench.simulation.statistics(port)["cycles"] for port in PORTS]
    bench.simulation.advance(1_000_000)
    cycles = [bench.simulation.statistics(port)["cycles"] for port in PORTS]
    passed = [after - early for after, early in zip(cycles, before, strict=True)]
    assert passed == [pytest.approx(781_250, abs=2), pytest.approx(1_611_328, abs=2)]


@pytest.mark.parametrize("port", PORTS)
def test_a_port_alone_has_its_line_rate(bench: Bench, port: int) -> None:
    """The smallest frames, both ways, in the time that they take on the wire; none is lost."""
    count, size = 1000, 60
    bench.simulation.line_rate(LINE_GBPS, port)
    frame = udp_frame(STATIONS[port], bench.hosts[port], bytes(size - 42))
    assert len(frame) == size
    exchange = bench.simulation.exchange([frame] * count, ports=[port] * count)
    assert len(exchange.received) == count
    assert not bench.drops()
    span = exchange.received[-1].time_ns - exchange.received[0].time_ns
    assert span == pytest.approx((count - 1) * (size + 24) * 8 / LINE_GBPS, rel=0.002)


def test_more_than_the_core_takes_is_dropped_whole(bench: Bench) -> None:
    """Port 1 could carry 20 Gbit/s, the core 12.8: losses are counted."""
    count = 400
    frames = [
        (1, udp_frame(STATIONS[1], bench.hosts[1], n.to_bytes(2) * 700)) for n in range(count)
    ]
    replies, _ = bench.predict(frames)
    exchange = bench.simulation.exchange([frame for _, frame in frames], ports=[1] * count)
    came = [frame.data for frame in exchange.received]
    rest = iter(replies[1])
    assert all(frame in rest for frame in came), "not whole or not in order"
    drops = bench.drops()
    assert set(drops) <= {"clock_crossing.rx", "mac_rx.overflow"}
    assert drops["clock_crossing.rx"]
    assert len(came) + drops.total() == count


@BOTH
@pytest.mark.parametrize("side", ["both", "core", 0, 1])
def test_a_reset_under_traffic(bench: Bench, side: int | str) -> None:
    choice = random.Random(str(side))
    for _ in range(3):
        for port in PORTS:
            for _ in range(20):
                size = choice.randrange(20, 600)
                bench.simulation.send(
                    udp_frame(STATIONS[port], bench.hosts[port], bytes(size)), port
                )
        bench.simulation.advance(choice.randrange(50, 1500))
        if isinstance(side, int):
            bench.simulation.reset_port(side)
            for port in PORTS:
                bench.simulation.receive_all(port)
            bench.drops()
            bench.run(bench.probes())
        elif side == "core":
            bench.simulation.reset_core()
            core_has_forgotten(bench)
        else:
            bench.simulation.reset()
            bench.start()


def core_has_forgotten(bench: Bench) -> None:
    """The MACs have continued: their frames are complete and correct, then everything works."""
    for port, host in enumerate(bench.hosts):
        known = STATIONS[port]
        # Frames in flight, the announcement, and questions for forgotten neighbours.
        came = [frame.data for frame in bench.simulation.receive_all(port)]
        stack = Stack(host)
        assert came.count(announcement(host)) == 1
        allowed = {announcement(host), stack.question(known.ip)}
        stack.bindings[(None, known.ip)] = known.mac
        for size in range(20, 600):
            allowed.update(stack.process(udp_frame(known, host, bytes(size))).replies)
        assert allowed.issuperset(came)
    bench.simulation.elapse(seconds=5)  # those questions are given up
    for port in PORTS:
        bench.simulation.receive_all(port)
    bench.forget()
    bench.introduce()
    bench.run(bench.probes())


@BOTH
def test_mutated_frames_on_both_ports(design: Path) -> None:
    with Bench(design, seed=5) as bench:
        batches = [
            Batches(Mutator(f"two-{port}", bench.hosts[port], [STATIONS[port]]), stack)
            for port, stack in enumerate(bench.model.stacks)
        ]
        replies: list[list[bytes]] = []
        drops: Counter[str] = Counter()
        frames = []
        for port in PORTS:
            batch = batches[port].next(250)
            frames += [(port, frame) for frame in batch.frames]
            replies.append(batch.replies)
            drops += batch.drops
            if bench.is_shared:  # ICMP errors are limited for both together
                bench.model.stacks[1].error_tokens = bench.model.stacks[0].error_tokens
        bench.compare(frames, replies, drops, gap_cycles=GAP_CYCLES)
        for stack in bench.model.stacks:
            stack.give_up()
        bench.simulation.elapse(seconds=5)
        bench.simulation.receive_all(0)
        bench.simulation.receive_all(1)
        bench.drops()
        bench.run([(port, arp_request(STATIONS[port], bench.hosts[port])) for port in PORTS])
        bench.run(bench.probes())


@BOTH
def test_links_that_flap_under_traffic(bench: Bench) -> None:
    """Each in turn for a while, also inside frames: the other port loses nothing, and received
    frames are complete and in order.
    """
    choice = random.Random(9)
    simulation = bench.simulation
    lost = 0
    for port in PORTS:
        simulation.line_rate(LINE_GBPS / 2, port)
    for flapping in PORTS * 4:
        frames = [
            (port, udp_frame(STATIONS[port], bench.hosts[port], choice.randbytes(length)))
            for length in (choice.choice((18, 100, 700, 1400)) for _ in range(120))
            for port in PORTS
        ]
        replies, _ = bench.predict(frames)
        for port, frame in frames:
            simulation.send(frame, port)
        came: list[list[bytes]] = [[] for _ in PORTS]
        for _ in range(3):
            simulation.advance(choice.randrange(300, 6000))
            before = simulation.statistics(flapping)["tx_frames"]
            simulation.link(flapping, up=False)
            if choice.random() < 0.4:  # input also stops until it continues
                simulation.pace(flapping, rx_bubble=1.0)
            simulation.advance(choice.choice((1, 2, 30, 3000, 40_000)))
            assert simulation.statistics(flapping)["tx_frames"] == before
            simulation.pace(flapping)
            simulation.link(flapping, up=True)
        for port in PORTS:
            came[port] = [frame.data for frame in simulation.receive_all(port)]
        drops = bench.drops()
        lost += drops["mac_tx.full"]
        assert set(drops) <= {"mac_tx.full"}
        assert came[1 - flapping] == replies[1 - flapping]
        rest = iter(replies[flapping])
        assert all(frame in rest for frame in came[flapping]), "not whole or not in order"
        assert len(came[flapping]) + drops["mac_tx.full"] == len(replies[flapping])
        assert not simulation.stalls()
    assert lost
    for port in PORTS:
        simulation.line_rate(None, port)
    bench.run(bench.probes())
