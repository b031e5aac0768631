# SPDX-License-Identifier: Apache-2.0
"""Waiting packets in eth_tx: kept, bounded, in order, whatever the pace."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pytest

from tests.protocols.arp.arp_places import question_rivals
from tests.protocols.arp.arp_world import SUBNET, Seen, Transmitter, body, mac_of, packet, update
from tests.support.harness import PACES, SEEDS, Benches

pytestmark = pytest.mark.slow

MAX_TICK = 0xFFFF
BROADCAST = (1 << 48) - 1


@pytest.fixture
def eth_tx(benches: Benches) -> Transmitter:
    return Transmitter(benches)


def closed(seen: Seen, packets: int, waiting: int = 0) -> None:
    """All packets are accounted for."""
    counts = seen.counts
    assert len(seen.frames) + counts["no_room"] + counts["unresolved"] + waiting == packets
    assert counts["packet_queued"] == (
        counts["packet_forwarded"] + counts["no_room"] + counts["unresolved"] + waiting
    )
    asked = counts["question"] + counts["question_repeated"] + counts["renewal"]
    assert asked == len(seen.questions)


def test_a_packet_waits_for_its_neighbour(eth_tx: Transmitter) -> None:
    ip = SUBNET | 9
    for seen in eth_tx.run(packet(ip, 0), packet(ip, 1)):
        assert not seen.frames
        assert seen.questions == [(ip, BROADCAST)]
    for seen in eth_tx.run(update(ip), packet(ip, 2)):
        assert seen.numbers(ip) == [0, 1, 2]
        assert {mac for mac, _ in seen.frames} == {mac_of(ip)}
        closed(seen, 3)


def test_a_body_that_is_a_binding_answers_and_goes_out(eth_tx: Transmitter) -> None:
    asked, new = SUBNET | 9, SUBNET | 10
    eth_tx.run(packet(asked, 0), packet(asked, 1))
    for seen in eth_tx.run(body(asked), packet(asked, 2), body(new), packet(new, 0)):
        assert seen.numbers(asked) == [0, 1, 2]
        assert seen.numbers(new) == [0]
        assert [mac for mac, _ in seen.bodies] == [mac_of(asked), mac_of(new)]
        assert seen.asked == [asked]
        assert not seen.counts["arp_update"]
        closed(seen, 4)


def test_a_body_to_somebody_is_no_binding(eth_tx: Transmitter) -> None:
    ip = SUBNET | 9
    for seen in eth_tx.run(body(ip, is_binding=False), packet(ip, 0)):
        assert not seen.frames
        assert len(seen.bodies) == 1
        assert seen.asked == [ip]
        closed(seen, 1, 1)


def test_a_body_that_waits_answers_once(eth_tx: Transmitter) -> None:
    """The output is stalled while bodies and packets of several neighbours are inside."""
    ips = [SUBNET | n for n in range(40, 60)]
    eth_tx.bench.pace(stall=0.95)
    eth_tx.send(*(packet(ip, 0) for ip in ips))
    eth_tx.send(*(message for ip in ips for message in (body(ip), packet(ip, 1))))
    eth_tx.bench.drain()
    eth_tx.seconds(4)  # a question that was left open would be asked again
    for seen in eth_tx.run(*(packet(ip, 2) for ip in ips)):
        assert all(seen.numbers(ip) == [0, 1, 2] for ip in ips)
        assert sorted(seen.asked) == ips
        assert [mac for mac, _ in seen.bodies] == [mac_of(ip) for ip in ips]
        closed(seen, 3 * len(ips))


def test_a_refresh_answers_a_question_but_adds_nothing(eth_tx: Transmitter) -> None:
    known, unknown = SUBNET | 9, SUBNET | 10
    eth_tx.run(packet(known, 0))
    for seen in eth_tx.run(update(known, only_refresh=True), update(unknown, only_refresh=True)):
        assert seen.numbers(known) == [0]
    for seen in eth_tx.run(packet(known, 1), packet(unknown, 0)):
        assert seen.numbers(known) == [0, 1]
        assert seen.asked == [known, unknown]
        closed(seen, 3, 1)


def test_a_refresh_right_behind_the_packet_that_asks_adds_a_binding(eth_tx: Transmitter) -> None:
    ip = SUBNET | 9
    eth_tx.run(packet(ip, 0), update(ip, only_refresh=True), packet(ip, 1))
    for seen in eth_tx.run(packet(ip, 2)):
        assert seen.numbers(ip) == [0, 1, 2]
        assert seen.asked == [ip]
        closed(seen, 3)


def test_a_packet_in_pieces_keeps_its_binding(eth_tx: Transmitter) -> None:
    """The cache is swept while a packet's later beats are still to come."""
    ip = SUBNET | 9
    eth_tx.run(update(ip))
    eth_tx.bench.pace(gap=0.9)
    eth_tx.bench.control(0x2000)  # 130 s in all, many sweeps
    eth_tx.send(*(packet(ip, n, 300) for n in range(40)))
    eth_tx.bench.drain()
    eth_tx.bench.control(0)
    for seen in eth_tx.run():
        assert seen.numbers(ip) == list(range(40))
        assert not seen.asked


@pytest.mark.parametrize("size", [8, 63, 64, 65, 128, 129, 1500, 9586])
def test_every_length_is_kept_whole(eth_tx: Transmitter, size: int) -> None:
    sent: list[bytes] = []
    # Several times: the blocks are used again, in another order.
    for turn in range(4):
        ips = [SUBNET | 4 * turn + n for n in range(1 if size > 2000 else 3)]
        messages = [packet(ip, turn, size) for ip in ips]
        eth_tx.run(*messages)
        order = eth_tx.random.sample(messages, len(messages))
        sent += [message.payload for message in order]
        for seen in eth_tx.run(*(update(message["ip"]) for message in order)):
            assert [body for _, body in seen.frames] == sent


def test_one_neighbour_holds_a_few_packets_and_the_latest(eth_tx: Transmitter) -> None:
    silent, honest = SUBNET | 1, SUBNET | 2
    eth_tx.send(*(packet(silent, n, 200) for n in range(520)))
    for seen in eth_tx.run(*(packet(honest, n) for n in range(3))):
        assert seen.asked == [silent, honest]
    for seen in eth_tx.run(update(honest)):
        assert seen.numbers(honest) == [0, 1, 2]
    for seen in eth_tx.run(update(silent)):
        numbers = seen.numbers(silent)
        assert numbers and numbers == list(range(520))[-len(numbers) :]
        assert len(numbers) <= 7
        closed(seen, 523)


def test_a_large_packet_takes_the_place_of_what_waited(eth_tx: Transmitter) -> None:
    ip = SUBNET | 1
    eth_tx.run(packet(ip, 0), packet(ip, 1), packet(ip, 2, 9000), packet(ip, 3))
    for seen in eth_tx.run(update(ip)):
        assert seen.numbers(ip) == [3]
        assert seen.counts["no_room"] == 3
        closed(seen, 4)


@pytest.mark.parametrize("size", [46, 1400])
def test_ever_new_sources_lock_nobody_out(eth_tx: Transmitter, size: int) -> None:
    """More silent addresses than places, then an honest neighbour: asked for, answered."""
    spoofed = [packet(0xC0000000 + 7 * n, n, size) for n in range(300)]
    honest = SUBNET | 77
    eth_tx.send(*spoofed)
    lost = 0
    for turn in range(20):
        ip = honest + turn
        for seen in eth_tx.run(packet(ip, turn)):
            assert ip in seen.asked
        for seen in eth_tx.run(update(ip)):
            lost += seen.numbers(ip) != [turn]
        eth_tx.run(*(packet(0xC8000000 + 100 * turn + 11 * n, n, size) for n in range(9)))
    assert lost <= 2
    eth_tx.seconds(8)
    for seen in eth_tx.run():
        closed(seen, 300 + 20 + 180)


def test_64_questions_at_once(eth_tx: Transmitter) -> None:
    ips = [SUBNET | n for n in range(300, 364)]
    for seen in eth_tx.run(*(packet(ip, 0) for ip in ips)):
        assert sorted(seen.asked) == ips
    order = eth_tx.random.sample(ips, len(ips))
    for seen in eth_tx.run(*(update(ip) for ip in order)):
        assert [mac for mac, _ in seen.frames] == [mac_of(ip) for ip in order]
        closed(seen, 64)


def test_displaced_questions_are_those_of_the_set_by_turns(eth_tx: Transmitter) -> None:
    """In a full set, new questions replace entries in turn, not always the same one."""
    same_set = question_rivals(SUBNET, 12)
    eth_tx.run(*(packet(ip, 0) for ip in same_set))
    for seen in eth_tx.run(*(update(ip) for ip in same_set)):
        assert [mac for mac, _ in seen.frames] == [mac_of(ip) for ip in same_set[-2:]]
        closed(seen, 12)


def test_questions_are_repeated_then_given_up(eth_tx: Transmitter) -> None:
    ips = [SUBNET | 5, SUBNET | 6]
    eth_tx.run(*(packet(ip, n) for ip in ips for n in range(3)))
    for seconds, asked in ((0.9, 1), (0.7, 2), (1.5, 3)):
        eth_tx.seconds(seconds)
        for seen in eth_tx.run():
            assert Counter(seen.asked) == dict.fromkeys(ips, asked)
            assert not seen.counts["unresolved"]
    eth_tx.seconds(2)
    for seen in eth_tx.run():
        assert Counter(seen.asked) == dict.fromkeys(ips, 3)
        assert seen.counts["question_repeated"] == 4
        closed(seen, 6)
    # A new packet starts a new question.
    for seen in eth_tx.run(packet(ips[0], 9)):
        assert seen.asked.count(ips[0]) == 4
    for seen in eth_tx.run(update(ips[0])):
        assert seen.numbers(ips[0]) == [9]


def test_a_binding_in_use_is_renewed_before_it_expires(eth_tx: Transmitter) -> None:
    used, unused = SUBNET | 5, SUBNET | 6
    eth_tx.run(update(used), update(unused))
    renewed = 0
    for second in range(0, 700, 5):
        eth_tx.send(packet(used, second))
        eth_tx.seconds(5, tick=MAX_TICK)
        if eth_tx.renewals() > renewed:
            renewed = eth_tx.renewals()
            eth_tx.send(update(used))
    for seen in eth_tx.run():
        assert len(seen.frames) == 140
        assert not seen.counts["packet_queued"], "no packet waits at any time"
        assert set(seen.questions) == {(used, mac_of(used))}
        assert 2 <= len(seen.questions) <= 3
    for seen in eth_tx.run(packet(unused, 0)):
        assert seen.questions[-1] == (unused, BROADCAST)


def test_a_renewal_needs_no_place_among_the_questions(eth_tx: Transmitter) -> None:
    """A flood of questions neither prevents it, nor does it displace one of them."""
    used, *asked = question_rivals(SUBNET, 3)
    eth_tx.run(update(used))
    eth_tx.seconds(270, tick=MAX_TICK)
    eth_tx.run(*(packet(ip, n) for n, ip in enumerate(asked)))
    for seen in eth_tx.run(packet(used, 0), packet(used, 1)):
        assert seen.questions == [*((ip, BROADCAST) for ip in asked), (used, mac_of(used))]
        assert seen.numbers(used) == [0, 1]
    for seen in eth_tx.run(*(update(ip) for ip in asked)):
        assert [seen.numbers(ip) for ip in asked] == [[0], [1]]
        closed(seen, 4)


def test_a_silent_neighbour_is_asked_again_and_forgotten(eth_tx: Transmitter) -> None:
    """By unicast, once in 8 seconds while its binding is used."""
    ip = SUBNET | 5
    eth_tx.run(update(ip))
    eth_tx.seconds(260, tick=MAX_TICK)
    for _ in range(120):
        eth_tx.seconds(0.25)
        eth_tx.send(packet(ip, 0))
    for seen in eth_tx.run():
        assert len(seen.frames) == 120
        assert 3 <= len(seen.questions) <= 5
        assert set(seen.questions) == {(ip, mac_of(ip))}
    eth_tx.seconds(40, tick=MAX_TICK)
    for seen in eth_tx.run(packet(ip, 1)):
        assert len(seen.frames) == 120
        assert seen.questions[-1] == (ip, BROADCAST)


@pytest.mark.parametrize(
    ("seed", "cuts"),
    [
        (1, 1),
        *(pytest.param(seed, 0, marks=pytest.mark.sweep if seed > 1 else ()) for seed in SEEDS),
    ],
)
def test_order_at_random(benches: Benches, seed: int, cuts: int) -> None:
    """Order of each neighbour's packets, at every pace, with updates at any moment."""
    random = Random(seed)
    for pace in PACES:
        eth_tx = Transmitter(benches, seed, cuts)
        eth_tx.bench.pace(**pace)
        ips = [SUBNET | random.randrange(1 << random.choice([3, 10])) for _ in range(24)]
        number: dict[int, int] = defaultdict(int)
        bodies: list[int] = []
        total = 0
        for _ in range(5):
            messages = []
            for _ in range(60):
                ip = random.choice(ips)
                action = random.random()
                if action < 0.1:
                    messages.append(body(ip, is_binding=random.random() < 0.8))
                    bodies.append(ip)
                    ip = random.choice([ip, random.choice(ips)])
                elif action < 0.25:
                    messages.append(update(ip, only_refresh=random.random() < 0.3))
                    # The one that comes right behind it.
                    ip = random.choice([ip, ip, random.choice(ips)])
                size = random.choice([46, 46, 46, 64, 100, 300])
                messages.append(packet(ip, number[ip], size))
                number[ip] += 1
                total += 1
            eth_tx.send(*messages)
            eth_tx.bench.run(random.randrange(200))
        eth_tx.bench.drain()
        for seen in eth_tx.run(*(update(ip) for ip in sorted(set(ips)))):
            closed(seen, total)
            sent = seen.frames + seen.bodies
            assert all(mac == mac_of(int.from_bytes(data[:4])) for mac, data in sent)
            assert [int.from_bytes(data[:4]) for _, data in seen.bodies] == bodies
            for ip in ips:
                numbers = seen.numbers(ip)
                assert numbers == sorted(set(numbers)), "a packet has overtaken another"
                assert numbers[-1:] == [number[ip] - 1] or not number[ip], "the latest is kept"


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=pytest.mark.sweep if seed > 1 else ()) for seed in SEEDS]
)
def test_order_while_time_passes(benches: Benches, seed: int) -> None:
    """Questions are repeated and given up, bindings renewed and forgotten, in one set or few."""
    random = Random(seed)
    for pace in PACES:
        eth_tx = Transmitter(benches, seed)
        eth_tx.bench.pace(**pace)
        same_set = question_rivals(SUBNET, 5)
        ips = random.choice([same_set, [SUBNET | n for n in range(4)]])
        number: dict[int, int] = defaultdict(int)
        eth_tx.bench.control(2000)
        for _ in range(3):
            messages = []
            for _ in range(100):
                ip = random.choice(ips)
                if random.random() < 0.2:
                    messages.append(update(ip, only_refresh=random.random() < 0.5))
                messages.append(packet(ip, number[ip], random.choice([46, 46, 46, 300])))
                number[ip] += 1
            eth_tx.send(*messages)
            eth_tx.bench.run(random.randrange(400))
        eth_tx.bench.drain()
        eth_tx.bench.control(0)
        for seen in eth_tx.run(*map(update, ips)):
            closed(seen, 300)
            for ip in ips:
                numbers = seen.numbers(ip)
                assert numbers == sorted(set(numbers)), "a packet has overtaken another"
            for mac, data in seen.frames:
                ip, sent = int.from_bytes(data[:4]), int.from_bytes(data[4:8])
                assert (mac, data) == (mac_of(ip), packet(ip, sent, len(data)).payload)


def test_updates_cost_one_cycle(eth_tx: Transmitter) -> None:
    """Packets and updates alternate, one per cycle: nothing waits."""
    known, other = SUBNET | 1, SUBNET | 2
    eth_tx.run(update(known), update(other))
    messages = []
    for n in range(500):
        messages += [packet(known, n), update(other, only_refresh=True)]
    eth_tx.send(*messages)
    eth_tx.bench.drain()
    cycles = eth_tx.bench.taken(1)
    for seen in eth_tx.seen():
        assert seen.numbers(known) == list(range(500))
    assert cycles[-1] - cycles[0] == len(messages) - 1


def test_latency_and_throughput_of_a_known_neighbour(eth_tx: Transmitter) -> None:
    ip = SUBNET | 1
    eth_tx.run(update(ip))
    eth_tx.send(*(packet(ip, n) for n in range(200)))
    eth_tx.bench.drain()
    taken = eth_tx.bench.taken(1)
    came = [received.cycle for received in eth_tx.bench.received(1)]
    assert [out - into for into, out in zip(taken, came, strict=True)] == [3] * 200
    assert taken[-1] - taken[0] == 199
