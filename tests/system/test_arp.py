"""Packets that wait for an address, addresses that are forgotten, and routes."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from support.bench import ALL_DESIGNS, FAR, GATEWAY, PEER, TAGGED, Bench

from bombus.model import (
    ARP_REPLY,
    ARP_REQUEST,
    BROADCAST_MAC,
    NO_IP,
    NO_MAC,
    TYPE_ARP,
    Station,
    arp,
    arp_reply,
    arp_request,
    ethernet,
    ip_bytes,
    ping_frame,
    udp_frame,
)

all_designs = pytest.mark.parametrize("design", ALL_DESIGNS, ids=lambda path: path.stem)
# Neighbours that have not introduced themselves.
STRANGERS = [Station.of(f"02:00:00:00:01:{n:02x}", f"10.77.0.{150 + n}") for n in range(8)]
CACHE_SECONDS = 300


@all_designs
def test_waiting_packets_go_when_the_answer_comes(design: Path) -> None:
    with Bench(design) as bench:
        host = bench.host
        first, second, third = STRANGERS[:3]
        frames: list[bytes] = []
        for station in (first, second, third, first, second, first):
            frames.append(udp_frame(station, host, station.mac * len(frames)))
        bench.run(frames)
        assert len(bench.model.questions) == 3
        bench.run([ping_frame(second, host, bytes(1000))])
        bench.alive([PEER, TAGGED, GATEWAY])
        # Answers in another order, and of another kind; the rest waits on.
        bench.run([arp_reply(third, host)])
        bench.alive()
        bench.run([arp_request(first, host)])
        bench.run([udp_frame(second, host, b"late")])
        told = arp(ARP_REQUEST, second.mac, second.ip, NO_MAC, second.ip)
        bench.run([ethernet(BROADCAST_MAC, second.mac, TYPE_ARP, told)])
        assert not bench.model.questions
        bench.alive(STRANGERS[:3])


@all_designs
def test_waiting_with_tags(design: Path) -> None:
    """The same address in several networks is several hosts."""
    stations = [Station(bytes([2, 0, 0, 0, 2, n]), STRANGERS[0].ip, n) for n in range(1, 4)]
    stations.append(STRANGERS[0])
    with Bench(design) as bench:
        for station in stations:
            bench.run([udp_frame(station, bench.host, station.mac * 20)])
        assert len(bench.model.questions) == 4
        for station in reversed(stations):
            bench.run([arp_reply(station, bench.host)])
        bench.alive(stations)
        # Another priority, the same network.
        bench.alive([Station(stations[0].mac, stations[0].ip, 0xE001)])


@all_designs
def test_nobody_answers(design: Path) -> None:
    with Bench(design) as bench:
        for _ in range(2):
            frames = [udp_frame(station, bench.host, b"hello") for station in STRANGERS[:4] * 3]
            bench.run(frames)
            bench.alive()
            bench.give_up()
            bench.alive()
        # One answers, the others do not.
        bench.run([udp_frame(station, bench.host, bytes(300)) for station in STRANGERS[:4] * 2])
        bench.simulation.elapse(seconds=0.5)
        bench.run([arp_reply(STRANGERS[2], bench.host)])
        bench.alive([PEER, STRANGERS[2]])
        bench.give_up()
        bench.alive([PEER, STRANGERS[2]])


@all_designs
def test_answer_to_a_repeated_question(design: Path) -> None:
    with Bench(design) as bench:
        bench.run([udp_frame(STRANGERS[0], bench.host, b"hello")])
        # No more than one a second: RFC 1122, 2.3.2.1.
        bench.simulation.elapse(seconds=0.99)
        assert not bench.simulation.receive_all()
        bench.simulation.elapse(seconds=0.6)
        asked = [frame.data for frame in bench.simulation.receive_all()]
        assert asked == [bench.model.question(STRANGERS[0].ip)]
        bench.run([arp_reply(STRANGERS[0], bench.host)])
        bench.alive(STRANGERS[:1])


@all_designs
def test_more_questions_than_places(design: Path) -> None:
    with Bench(design) as bench:
        for station in STRANGERS:
            bench.run([udp_frame(station, bench.host, b"hello")])
        assert len(bench.model.questions) == 4
        bench.alive()
        bench.run([arp_reply(station, bench.host) for station in STRANGERS], gap_cycles=200)
        bench.alive(STRANGERS)


@all_designs
def test_full_queue(design: Path) -> None:
    """One host that does not answer costs nobody else anything."""
    with Bench(design) as bench:
        frames = [
            udp_frame(STRANGERS[0], bench.host, bytes([n]) * 1000, source_port=1 + n)
            for n in range(40)
        ]
        came = bench.simulation.exchange(frames, gap_cycles=200).received
        assert [frame.data for frame in came] == [bench.model.question(STRANGERS[0].ip)]
        full = bench.drops()["arp.queue_full"]
        assert 0 < full < 40
        bench.alive()
        # The first that came are the ones that wait.
        bench.predict(frames[: 40 - full])
        bench.run([arp_reply(STRANGERS[0], bench.host)], ordered=True)
        bench.alive([PEER, STRANGERS[0]])


@all_designs
def test_traffic_flows_while_others_wait(design: Path) -> None:
    choice = random.Random("wait")
    with Bench(design, rx_bubble=0.3, tx_stall=0.2) as bench:
        for _ in range(6):
            waiting = choice.sample(STRANGERS, 4)
            for station in waiting:
                bench.model.bindings.pop((None, station.ip), None)
            frames = []
            for number in range(60):
                payload = choice.randbytes(choice.randrange(200))
                station = choice.choice([PEER, PEER, TAGGED, FAR, *waiting])
                frames.append(udp_frame(station, bench.host, payload, source_port=1 + number))
            bench.simulation.reset()
            bench.after_reset()
            bench.introduce([PEER, GATEWAY, TAGGED])
            bench.run(frames)
            choice.shuffle(waiting)
            for station in waiting:
                mixed = [arp_reply(station, bench.host), *bench.probes(), *bench.probes(TAGGED)]
                bench.run(mixed)
            bench.alive(waiting)


@all_designs
def test_more_hosts_than_the_cache_holds(design: Path) -> None:
    """Old bindings make room; whoever is forgotten is asked for again."""
    hosts = [Station(bytes([2, 0, 0, 0, 3, n]), bytes([10, 77, 0, n])) for n in range(3, 250)]
    with Bench(design, stations=()) as bench:
        # ARP takes a while for each: no faster than it can.
        questions = [arp_request(station, bench.host) for station in hosts]
        bench.run(questions, gap_cycles=40)
        known = 0
        # The last that came are the ones that are known.
        for station in reversed(hosts):
            frame = udp_frame(station, bench.host, station.mac)
            came = [reply.data for reply in bench.simulation.exchange([frame]).received]
            expected = list(bench.model.process(frame).replies)
            if came == expected:
                known += 1
            else:
                assert came == [bench.model.question(station.ip)]
                answer = bench.simulation.exchange([arp_reply(station, bench.host)]).received
                assert [reply.data for reply in answer] == expected
        assert 32 <= known <= 128
        assert not bench.drops()


@all_designs
def test_bindings_age(design: Path) -> None:
    with Bench(design) as bench:
        bench.simulation.elapse(seconds=CACHE_SECONDS - 10)
        bench.alive([PEER, TAGGED])
        bench.introduce([PEER])
        bench.simulation.elapse(seconds=20)
        # Use keeps nothing alive: only ARP confirms.
        del bench.model.bindings[0x123, TAGGED.ip]
        del bench.model.bindings[None, GATEWAY.ip]
        bench.alive([PEER])
        bench.run(bench.probes(TAGGED))
        bench.run(bench.probes(GATEWAY))
        assert len(bench.model.questions) == 2
        bench.introduce([TAGGED, GATEWAY])
        bench.alive([PEER, TAGGED, GATEWAY])
        bench.simulation.elapse(seconds=1000)
        bench.model.bindings.clear()
        bench.run(bench.probes())
        assert len(bench.model.questions) == 1
        bench.give_up()


@all_designs
def test_a_host_moves(design: Path) -> None:
    """A new network card behind the same address, as its owner says (RFC 826: merge)."""
    with Bench(design) as bench:
        moved = Station.of("02:00:00:00:0f:0f", "10.77.0.99")
        told = arp(ARP_REQUEST, moved.mac, moved.ip, NO_MAC, moved.ip)
        bench.run([ethernet(BROADCAST_MAC, moved.mac, TYPE_ARP, told)])
        bench.alive([moved])
        # An unknown host that tells the same is not remembered.
        told = arp(ARP_REPLY, STRANGERS[0].mac, STRANGERS[0].ip, GATEWAY.mac, GATEWAY.ip)
        bench.run([ethernet(BROADCAST_MAC, STRANGERS[0].mac, TYPE_ARP, told)])
        bench.run([udp_frame(STRANGERS[0], bench.host, b"hello")])
        assert len(bench.model.questions) == 1
        bench.give_up()


@all_designs
def test_probes_are_not_remembered(design: Path) -> None:
    """A host without address asks (RFC 5227): answered, but 0.0.0.0 takes nobody's place."""
    # As many neighbours in a row as the cache has places fill it to the last one.
    hosts = [Station(bytes([2, 0, 0, 0, 4, n]), bytes([10, 77, 0, n])) for n in range(64, 128)]
    with Bench(design, stations=()) as bench:
        bench.run([arp_request(station, bench.host) for station in hosts], gap_cycles=40)
        frames = [udp_frame(station, bench.host, station.mac) for station in hosts]
        bench.run(frames)
        bench.run([arp_request(Station(PEER.mac, NO_IP), bench.host)] * 4, gap_cycles=40)
        bench.run(frames)
        # Anybody else does take a place: exactly one of them is forgotten.
        bench.introduce([GATEWAY])
        came = {reply.data for reply in bench.simulation.exchange(frames).received}
        lost = [
            station
            for station, frame in zip(hosts, frames, strict=True)
            if not came.issuperset(bench.model.process(frame).replies)
        ]
        assert len(lost) == 1
        del bench.model.bindings[None, lost[0].ip]
        bench.predict([udp_frame(lost[0], bench.host, lost[0].mac)])
        bench.run([arp_reply(lost[0], bench.host)])


@all_designs
def test_gateway(design: Path) -> None:
    with Bench(design, stations=[PEER]) as bench:
        # Behind a gateway that is not known yet: it is asked for, not the far host.
        bench.run([udp_frame(FAR, bench.host, b"hello"), ping_frame(FAR, bench.host, b"hello")])
        assert list(bench.model.questions) == [(None, GATEWAY.ip)]
        bench.run([arp_reply(GATEWAY, bench.host)])
        bench.alive([FAR, PEER])
        # The gateway itself, and others behind it, take the same way.
        other = Station(GATEWAY.mac, ip_bytes("8.8.8.8"))
        bench.alive([GATEWAY, other])
        # Without gateway: counted.
        bench.simulation.set_host(gateway="0.0.0.0")
        bench.model.host = replace(bench.host, gateway=NO_IP)
        bench.run([udp_frame(FAR, bench.host, b"hello")])
        bench.run([ping_frame(FAR, bench.host, bytes(1000))] * 3)
        bench.alive()
