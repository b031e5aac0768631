# SPDX-License-Identifier: Apache-2.0
"""Packets that wait for an address, addresses that are forgotten, and routes."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bombus.protocols.answers import echo_reply
from bombus.protocols.frames import (
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
    padded,
    ping_frame,
    udp_frame,
)
from tests.support.bench import (
    ALL_DESIGNS,
    DESIGNS,
    FAR,
    GATEWAY,
    GIVE_UP_SECONDS,
    PEER,
    TAGGED,
    Bench,
)

pytestmark = pytest.mark.slow

all_designs = pytest.mark.parametrize("design", ALL_DESIGNS)
# Neighbours that have not introduced themselves.
STRANGERS = [Station.of(f"02:00:00:00:01:{n:02x}", f"10.77.0.{150 + n}") for n in range(8)]
CACHE_SECONDS = 300


def neighbours(count: int, first: bytes = bytes((10, 77, 0, 100))) -> list[Station]:
    """Consecutive addresses."""
    start = int.from_bytes(first)
    return [
        Station(bytes([2, 0, 0, 3, *n.to_bytes(2)]), (start + n).to_bytes(4)) for n in range(count)
    ]


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
def test_many_questions_at_once(design: Path) -> None:
    hosts = neighbours(64)
    with Bench(design) as bench:
        bench.run([udp_frame(station, bench.host, station.mac) for station in hosts])
        assert len(bench.model.questions) == 64
        bench.alive()
        random.Random(1).shuffle(hosts)
        bench.run([arp_reply(station, bench.host) for station in hosts], ordered=True)
        bench.alive(hosts[:5])


@all_designs
def test_a_silent_host_costs_nobody_else_anything(design: Path) -> None:
    silent, honest = STRANGERS[:2]
    with Bench(design) as bench:
        for round_ in range(3):
            frames = [
                udp_frame(silent, bench.host, bytes([n]) * 1000, source_port=40000 + n)
                for n in range(40)
            ]
            bench.run(frames, gap_cycles=200)
            bench.alive()
            # Only now an honest one: it is asked for, and answered.
            if not round_:
                bench.run([udp_frame(honest, bench.host, b"hello")])
                assert (None, honest.ip) in bench.model.questions
                bench.run([arp_reply(honest, bench.host)])
            bench.alive([honest])
        # The latest are kept (RFC 1122, 2.3.2.2).
        assert 1 <= len(bench.model.questions[None, silent.ip]) <= 3
        bench.run([arp_reply(silent, bench.host)], ordered=True)
        bench.alive([PEER, silent])


@all_designs
def test_spoofed_sources_lock_nobody_out(design: Path) -> None:
    """Requests from ever new addresses, then from a new honest host that has not asked for us."""
    choice = random.Random("spoofed")
    with Bench(design) as bench:
        for honest in STRANGERS:
            spoofed = [
                Station(
                    PEER.mac, bytes([10, 77, 0, choice.choice([*range(3, 90), *range(160, 255)])])
                )
                for _ in range(300)
            ]
            frames = [
                udp_frame(station, bench.host, choice.randbytes(choice.choice([20, 1400])))
                for station in spoofed
            ]
            bench.simulation.exchange(frames)
            request = udp_frame(honest, bench.host, b"hello")
            asked = bench.simulation.exchange([request]).received
            assert [frame.data for frame in asked] == [bench.model.question(honest.ip)]
            answer = bench.simulation.exchange([arp_reply(honest, bench.host)]).received
            # Its packet waits unless there was no memory; then the next one is answered.
            bench.model.bindings[None, honest.ip] = honest.mac
            assert [frame.data for frame in answer] in (
                [],
                list(bench.model.process(request).replies),
            )
            came = bench.simulation.exchange([request]).received
            assert [frame.data for frame in came] == list(bench.model.process(request).replies)
        bench.simulation.elapse(seconds=2 * GIVE_UP_SECONDS)
        bench.simulation.receive_all()
        bench.drops()
        bench.alive([PEER, *STRANGERS])


def test_a_packet_waits_where_the_last_one_was_read() -> None:
    """With all other blocks taken, a block is taken again by the next packet that is answered."""
    silent, honest = neighbours(50), neighbours(30, bytes((10, 77, 0, 200)))
    with Bench(DESIGNS[64]) as bench:
        waiting = [udp_frame(each, bench.host, b"wait") for each in silent for _ in range(6)]

        def say(*frames: bytes) -> list[bytes]:
            for frame in frames:
                bench.simulation.send(frame)
            return [frame.data for frame in bench.simulation.receive_all()]

        for number, station in enumerate(honest):
            # The second one finds room: for the first, that of another was made.
            for _ in range(2):
                say(udp_frame(station, bench.host, station.mac))
            answers = say(arp_reply(station, bench.host))
            payloads = [answer[42:48] for answer in answers if answer[:6] == station.mac]
            assert payloads[-1:] == [station.mac]
            say(*(waiting if number == 0 else waiting[:number]))
        bench.simulation.elapse(seconds=GIVE_UP_SECONDS)  # the silent ones


@all_designs
def test_order_within_a_flow(design: Path) -> None:
    """Requests continue while the answer arrives: no answer overtakes another one of its flow."""
    with Bench(design) as bench:
        for number, station in enumerate(STRANGERS):
            frames = [
                udp_frame(station, bench.host, bytes([n, number]) * 4, source_port=40000 + n)
                for n in range(100)
            ]
            # The answer is 45 to 73 frames after the first of them, once the question is open.
            place = 45 + 4 * number
            frames.insert(place, arp_reply(station, bench.host))
            came = [frame.data for frame in bench.simulation.exchange(frames).received]
            bench.model.bindings[None, station.ip] = station.mac
            wanted = [r for f in frames for r in bench.model.process(f).replies]
            answers = [frame for frame in came if frame in wanted]
            assert answers == [frame for frame in wanted if frame in answers], "overtaken"
            dropped = bench.drops()
            assert len(answers) + dropped["eth_tx.no_room"] == 100
            assert dropped.total() <= place + 100 // 2


@pytest.mark.parametrize("design", [DESIGNS[512], DESIGNS[64]], ids=["512", "64"])
def test_a_whole_subnet_at_line_rate(design: Path) -> None:
    """1,022 neighbours in turn, 60-byte requests one behind the other: all are answered."""
    with Bench(design, stations=()) as bench:
        bench.simulation.set_host(netmask="255.255.252.0")
        bench.model.host = replace(bench.host, netmask=ip_bytes("255.255.252.0"))
        hosts = neighbours(1021, first=ip_bytes("10.77.0.3"))
        bench.run([arp_request(station, bench.host) for station in hosts], gap_cycles=40)
        for _ in range(3):
            frames = [udp_frame(station, bench.host, station.mac) for station in hosts]
            bench.simulation.line_rate(bench.simulation.manifest["line_rate_gbps"])
            bench.run(frames)
            bench.simulation.line_rate(None)
            random.Random(2).shuffle(hosts)


def test_arp_of_others_costs_nothing() -> None:
    """Requests and overheard ARP in turn, a frame in every cycle: all requests are answered."""
    with Bench(DESIGNS[512]) as bench:
        others = [
            ethernet(
                BROADCAST_MAC,
                station.mac,
                TYPE_ARP,
                arp(ARP_REQUEST, station.mac, station.ip, NO_MAC, GATEWAY.ip),
            )
            for station in [PEER, *STRANGERS]
        ]
        frames = []
        for number in range(1000):
            frames.append(udp_frame(PEER, bench.host, number.to_bytes(4)))
            frames.append(others[number % len(others)])
        bench.run(frames, ordered=True)


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
                frames.append(udp_frame(station, bench.host, payload, source_port=40000 + number))
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
def test_bindings_age(design: Path) -> None:
    with Bench(design) as bench:
        bench.simulation.elapse(seconds=CACHE_SECONDS - 80)
        bench.alive([PEER, TAGGED])
        bench.introduce([PEER])
        bench.simulation.elapse(seconds=100)
        # Not used since, and not confirmed.
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
def test_a_binding_in_use_does_not_expire(design: Path) -> None:
    """Shortly before its end a neighbour is asked by unicast; no request waits meanwhile."""
    with Bench(design) as bench:
        asked = 0
        body = arp(ARP_REQUEST, bench.host.mac, bench.host.ip, NO_MAC, PEER.ip)
        question = padded(ethernet(PEER.mac, bench.host.mac, TYPE_ARP, body))
        for second in range(0, 3 * CACHE_SECONDS, 5):
            request = udp_frame(PEER, bench.host, second.to_bytes(4))
            came = [frame.data for frame in bench.simulation.exchange([request]).received]
            assert sorted(came) in (
                sorted([echo_reply(request)]),
                sorted([echo_reply(request), question]),
            )
            if question in came:
                asked += 1
                bench.run([arp_reply(PEER, bench.host)])
            bench.simulation.elapse(seconds=5)
        assert 3 <= asked <= 4
        assert bench.counts()["event.eth_tx.renewal"] == asked


@all_designs
def test_a_host_moves(design: Path) -> None:
    """A new network card behind the same address, announced by its owner (RFC 826: merge)."""
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
def test_replies_that_answer_no_question_teach_nothing(design: Path) -> None:
    with Bench(design) as bench:
        stranger = STRANGERS[0]
        bench.run([arp_reply(stranger, bench.host)] * 2)
        bench.run([udp_frame(stranger, bench.host, b"hello")])
        assert list(bench.model.questions) == [(None, stranger.ip)]
        bench.run([arp_reply(stranger, bench.host)])
        bench.alive([PEER, stranger])
        # Known neighbours may announce a new address by a reply (RFC 826: merge).
        moved = replace(stranger, mac=bytes([2, 0, 0, 0, 0xF, 0xE]))
        bench.run([arp_reply(moved, bench.host)])
        bench.alive([moved])


def registers_of(bench: Bench, kind: str) -> Any:
    """Registers of the tile that has a layer of this kind."""
    tiles = bench.simulation.manifest["tiles"]
    (name,) = (t["name"] for t in tiles if kind in (layer["kind"] for layer in t["layers"]))
    return bench.simulation.tile(name).registers


@all_designs
def test_senders_of_other_subnets_are_answered_not_learned(design: Path) -> None:
    foreign = [Station(bytes([2, 0, 0, 9, 0, n]), bytes([192, 168, n, 228])) for n in range(6)]
    with Bench(design) as bench:
        bench.run([arp_request(station, bench.host) for station in foreign])
        assert bench.counts()["event.arp.foreign"] == len(foreign)
        entries = [entry.read() for entry in registers_of(bench, "eth_tx").cache]
        known = {entry["ip"].to_bytes(4) for entry in entries if entry["valid"]}
        assert known == {PEER.ip, GATEWAY.ip, TAGGED.ip}


@pytest.mark.parametrize("kind", ["foreign", "neighbours"])
def test_newcomers_do_not_disturb_running_traffic(kind: str) -> None:
    """Requests of ever new senders among datagrams of one neighbour, all of which are answered."""
    choice = random.Random(kind)
    with Bench(DESIGNS[512]) as bench:
        bench.simulation.set_host(netmask="255.255.0.0")
        bench.model.host = replace(bench.host, netmask=ip_bytes("255.255.0.0"))
        network = (192, 168) if kind == "foreign" else (10, 77)
        frames = []
        for n in range(3000):
            frames.append(udp_frame(PEER, bench.host, n.to_bytes(4)))
            sender = bytes((*network, choice.randrange(1, 255), choice.randrange(3, 90)))
            frames.append(
                arp_request(Station(bytes([2, 0, 0, 7, *sender[2:]]), sender), bench.host)
            )
        came = bench.simulation.exchange(frames, gap_cycles=20).received
        answers = [frame.data for frame in came if frame.data[:6] == PEER.mac]
        assert answers == [echo_reply(padded(frame)) for frame in frames[::2]]
        assert not bench.drops()
        assert bench.counts()["event.eth_tx.question"] == 0


@all_designs
def test_permanent_bindings(design: Path) -> None:
    with Bench(design) as bench:
        fixed = STRANGERS[0]
        registers = registers_of(bench, "eth_tx")
        binding = {"ip": int.from_bytes(fixed.ip), "vid": 0, "mac_port": 0}
        registers.permanent.write(**binding, mac=int.from_bytes(fixed.mac), valid=1)
        assert registers.permanent.read() == {
            **binding,
            "mac": int.from_bytes(fixed.mac),
            "valid": 1,
            "refused": 0,
            "stalled": 0,
        }
        bench.model.bindings[None, fixed.ip] = fixed.mac
        bench.alive([PEER, fixed])
        # A forged answer and a forged request change nothing.
        forged = replace(fixed, mac=bytes([2, 0, 0, 0, 0xBA, 0xD0]))
        bench.simulation.exchange([arp_reply(forged, bench.host), arp_request(forged, bench.host)])
        bench.alive([fixed])
        bench.simulation.elapse(seconds=3 * CACHE_SECONDS)
        bench.model.bindings = {(None, fixed.ip): fixed.mac}
        bench.alive([fixed])
        registers.permanent.write(valid=1, mac_port=1)
        assert registers.permanent.refused, "there is no such port"
        registers.permanent.write(valid=0, mac_port=0)
        assert not registers.permanent.refused
        del bench.model.bindings[None, fixed.ip]
        bench.run([udp_frame(fixed, bench.host, b"hello")])
        assert list(bench.model.questions) == [(None, fixed.ip)]
        bench.give_up()


@all_designs
def test_probes_are_not_remembered(design: Path) -> None:
    """A host without address asks (RFC 5227): it is answered, but not learned."""
    with Bench(design) as bench:
        before = bench.counts()["event.arp.update_out"]
        bench.run([arp_request(Station(PEER.mac, NO_IP), bench.host)] * 4)
        assert bench.counts()["event.arp.update_out"] == before
        bench.alive()


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
