# SPDX-License-Identifier: Apache-2.0
"""The engines as a whole: every sequence gives what the model says, nothing is lost, and tables
change under traffic without a packet between old and new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

import pytest

from bombus.applications.engines.client import Card
from bombus.applications.engines.model import MAX_STEPS, NextHop, Rule
from bombus.protocols.frames import Host, Station, ethernet, ip_frame, udp_frame
from bombus.simulator.counters import DROP
from bombus.simulator.simulation import Simulation
from tests import ROOT

pytestmark = pytest.mark.slow

DESIGN = ROOT / "designs" / "engines.yaml"
ENGINES = (1, 2, 3, 4, 5)
COUNT = 4
FIRST_PORT = 5000
STATION = Station.of("02:00:00:00:00:99", "10.77.0.1")
LIMIT = 200_000

Frames = Sequence[tuple[int, bytes]]  # MAC port, frame


@pytest.fixture(scope="module")
def opened() -> Iterator[Simulation]:
    with Simulation(DESIGN, assertions=True) as simulation:
        yield simulation


@pytest.fixture
def simulation(opened: Simulation) -> Iterator[Simulation]:
    opened.reset()
    for port in range(opened.mac_ports):
        opened.pace(port)
    opened.watch(5_000)
    yield opened
    opened.advance_until_idle()
    assert opened.stalls() == []
    opened.check()


@pytest.fixture
def card(simulation: Simulation) -> Card:
    card = Card(simulation.manifest, simulation)
    card.set_key(bytes(range(100, 132)), b"salt")
    for entry in range(0, 64, 2):
        card.set_next_hop(entry, NextHop(bytes((2, 0, 0, 1, 0, entry)), entry >> 1 & 1))
    card.set_next_hop(2, NextHop(bytes(6), refuse=True))
    return card


def datagram(random: Random, simulation: Simulation, rule: int) -> bytes:
    host = Host.from_manifest(simulation.manifest)
    size = random.choice([0, 8, 18, 22, 23, 60, 1458, random.randrange(1458)])
    station = STATION if random.random() < 0.9 else Station(STATION.mac, STATION.ip, 0x2123)
    checksum = random.choice([None, None, 0, random.getrandbits(16)])
    data = random.randbytes(size)
    return udp_frame(
        station,
        host,
        data,
        port=FIRST_PORT + rule,
        source_port=random.randrange(1 << 16),
        udp_checksum=checksum,
        identification=random.getrandbits(16),
    )


def run(simulation: Simulation, frames: Frames) -> Counter[tuple[int, bytes]]:
    """The design's output: each frame with its port."""
    done = simulation.exchange(
        [frame for _, frame in frames],
        ports=[port for port, _ in frames],
        limit_cycles=LIMIT,
    )
    assert not done.timed_out
    return Counter((frame.port, frame.data) for frame in done.received)


def expect(card: Card, frames: Frames) -> Counter[tuple[int, bytes]]:
    leaves = (card.model.process(frame, port) for port, frame in frames)
    return Counter(each for each in leaves if each)


def same(got: Counter[tuple[int, bytes]], expected: Counter[tuple[int, bytes]]) -> None:
    """Like ==, without printing thousands of frames."""
    wrong, missing = got - expected, expected - got
    assert (wrong.total(), missing.total()) == (0, 0), (
        [(port, frame.hex()) for port, frame in wrong][:1],
        [(port, frame.hex()) for port, frame in missing][:1],
    )


def consecutive(cycles: Sequence[int]) -> bool:
    return list(cycles) == list(range(cycles[0], cycles[0] + len(cycles)))


def drops(simulation: Simulation) -> dict[str, int]:
    found: Counter[str] = Counter()
    for tile in simulation.manifest["tiles"]:
        for name, count in simulation.tile_counters(tile["name"]).items():
            if name.startswith(DROP) and count:
                found[name.rpartition(".")[2]] += count
    return dict(found)


def check_tables(simulation: Simulation, card: Card) -> None:
    simulation.advance_until_idle()
    simulation.advance(100)  # counters lag
    assert drops(simulation) == dict(card.model.drops)
    # Packets that visit an engine twice overtake each other there: any may be the last.
    once = {rule.flow for rule in card.model.rules.values() if rule.steps.count(COUNT) <= 1}
    for (engine, flow), counted in card.model.flows.items():
        found = card.flow(engine, flow)
        if flow not in once:
            found.hash = counted.hash
        assert found == counted


@pytest.mark.sweep
def test_every_sequence_of_two(simulation: Simulation, card: Card) -> None:
    """And of one and none, the same engine twice, and an engine that does not exist."""
    random = Random(1)
    sequences = [(), *product((*ENGINES, 9), repeat=1), *product((*ENGINES, 9), repeat=2)]
    for start in range(0, len(sequences), 16):
        for index, steps in enumerate(sequences[start : start + 16]):
            card.set_rule(
                index,
                Rule(steps, flow=start + index, to_mac_port=index % 2, port=FIRST_PORT + index),
            )
        rules = [random.randrange(16) for _ in range(120)]
        # A flow uses one port, so that it stays in order.
        frames = [(rule // 2 % 2, datagram(random, simulation, rule)) for rule in rules]
        same(run(simulation, frames), expect(card, frames))
    check_tables(simulation, card)


@pytest.mark.parametrize("seed", [1, 2])
def test_random_sequences(simulation: Simulation, card: Card, seed: int) -> None:
    """Up to the limit, back to back on both ports, with pauses of the MACs, and whatever else."""
    random = Random(seed)
    host = Host.from_manifest(simulation.manifest)
    for tx_stall in (0.0, 0.3):
        for port in range(2):
            simulation.pace(port, tx_stall=tx_stall, rx_bubble=0.5)
        for index in range(14):
            size = random.choice([MAX_STEPS, random.randrange(MAX_STEPS + 1)])
            steps: list[int] = []
            while len(steps) < size:
                step = random.choice(ENGINES)
                if [step] != steps[-1:] or random.random() < 0.01:
                    steps.append(step)
            rule = Rule(tuple(steps), index, random.randrange(2), port=FIRST_PORT + index)
            card.set_rule(index, rule)
        card.set_rule(14, Rule((3, 4, 5), 30, ether_type=0x88B5))
        card.set_rule(15, Rule((1, 2, 4), 32, 1, protocol=6))
        frames: list[tuple[int, bytes]] = []
        for _ in range(400):
            shape = random.random()
            data = random.randbytes(random.randrange(46, 1400))
            if shape < 0.05:
                frame = ethernet(host.mac, STATION.mac, 0x88B5, data)
            elif shape < 0.1:
                frame = ip_frame(STATION, host, 6, data)
            elif shape < 0.12:
                frame = ip_frame(STATION, host, 17, data, fragment=0x2000)
            elif shape < 0.14:
                frame = data[: random.randrange(1, 18)]
            else:
                rule = random.randrange(14)
                frames.append((rule % 2, datagram(random, simulation, rule)))
                continue
            frames.append((0, frame))
        same(run(simulation, frames), expect(card, frames))
    check_tables(simulation, card)


def test_long_chains_at_full_rate(simulation: Simulation, card: Card) -> None:
    """More than the mesh can carry, of the longest frames: it waits, nothing stalls for good."""
    random = Random(3)
    host = Host.from_manifest(simulation.manifest)
    for index in range(8):
        steps = [1, 2, 3, 4, 5] * 3
        random.shuffle(steps)
        kept = [step for n, step in enumerate(steps) if n == 0 or step != steps[n - 1]]
        card.set_rule(index, Rule(tuple(kept), 4, port=FIRST_PORT + index))
    frames = [
        (0, udp_frame(STATION, host, random.randbytes(size), port=FIRST_PORT + n % 8))
        for n, size in enumerate([9000, 9500, 18, 8000, 700] * 8)
    ]
    # The buffer of mac_rx would overflow, and drop what does not fit.
    done = simulation.exchange([frame for _, frame in frames], gap_cycles=1000, limit_cycles=LIMIT)
    got = Counter((frame.port, frame.data) for frame in done.received)
    same(got, expect(card, frames))
    burst = run(simulation, frames)
    assert not burst - expect(card, frames)
    assert burst.total() == len(frames) - drops(simulation).get("overflow", 0)


def test_packets_of_a_flow_in_every_cycle_are_counted(simulation: Simulation, card: Card) -> None:
    """The entry of a flow is read while the packets before are still being added to it."""
    random = Random(6)
    host = Host.from_manifest(simulation.manifest)
    for index in range(2):
        card.set_rule(index, Rule((COUNT,), 20 + index, port=FIRST_PORT + index))
    choices = [
        *[0] * 40,
        *[0, 1] * 40,
        *[0, 0, 1] * 40,
        *(random.getrandbits(1) for _ in range(200)),
    ]
    frames = [
        (0, udp_frame(STATION, host, random.randbytes(18), port=FIRST_PORT + index))
        for index in choices
    ]
    done = simulation.exchange([frame for _, frame in frames], limit_cycles=LIMIT)
    # Nothing waits on the way to the engine, so that its packets come as they came in.
    assert consecutive([sent.first_beat_cycle for sent in done.sent])
    assert consecutive([frame.first_beat_cycle for frame in done.received])
    assert [frame.data for frame in done.received] == [
        frame for _, frame in (card.model.process(frame) or pytest.fail() for _, frame in frames)
    ]
    check_tables(simulation, card)


def test_load_is_spread_by_hash(simulation: Simulation, card: Card) -> None:
    random = Random(4)
    for entry in range(8):
        card.set_next_hop(8 + entry, NextHop(bytes((2, 0, 0, 2, 0, entry)), entry & 1))
    card.set_spread(7)
    card.set_rule(0, Rule((3, 5), 8))
    frames = [(0, datagram(random, simulation, 0)) for _ in range(200)]
    got = run(simulation, frames)
    same(got, expect(card, frames))
    assert len({frame[:6] for _, frame in got}) == 8


def test_rules_and_tables_change_under_traffic(simulation: Simulation, card: Card) -> None:
    """Every packet is treated by an old entry or a new one as a whole, and none is lost."""
    random = Random(5)
    frames = [datagram(random, simulation, 0) for _ in range(600)]
    old = Rule((1, 4, 2, 5), 4, 0, port=FIRST_PORT)
    new = Rule((3, 5, 1, 4, 3), 7, 1, port=FIRST_PORT)
    hops = [NextHop(bytes((2, 5, 5, 5, 5, n)), n % 2) for n in (0xA0, 0xB1)]
    for entry in (4, 7):
        card.set_next_hop(entry, hops[0])
    card.set_rule(0, old)
    possible: set[tuple[int, bytes]] = set()
    for rule in (old, new):
        for hop in hops:
            card.set_rule(0, rule)
            for entry in (4, 7):
                card.set_next_hop(entry, hop)
            possible |= set(expect(card, [(0, frame) for frame in frames]))
    simulation.line_rate(40)
    for frame in frames:
        simulation.send(frame)
    changes = 0
    while simulation.in_flight:
        card.set_rule(0, (old, new)[changes % 2])
        card.set_next_hop((4, 7)[changes // 2 % 2], hops[changes // 3 % 2])
        simulation.advance(random.randrange(60))
        changes += 1
    simulation.line_rate(None)
    assert changes > 50 and drops(simulation) == {}
    got = [
        (port, frame.data)
        for port in range(2)
        for frame in simulation.receive_all(port, timeout_cycles=0)
    ]
    assert len(got) == len(frames) == len(set(got))
    assert set(got) <= possible
    first = {frame[:6] for _, frame in got}
    assert first == {hop.destination for hop in hops}


def test_encrypted_twice_is_plain(simulation: Simulation, card: Card) -> None:
    random = Random(6)
    card.set_rule(0, Rule((2, 4, 2, 1), 1))
    host = Host.from_manifest(simulation.manifest)
    frames = [
        (0, udp_frame(STATION, host, random.randbytes(size), port=7)) for size in range(18, 400, 9)
    ]
    assert run(simulation, frames) == Counter(frames)
