# SPDX-License-Identifier: Apache-2.0
"""Connections of the load balancer in an external memory: none loses its backend."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from bombus.analysis import check
from bombus.applications.functions.balancer import Backend, LoadBalancer, Service
from bombus.base import paths
from bombus.measure.exchanges import introduce
from bombus.protocols.frames import Host, Station, ethernet, ipv4, padded, ping_frame, udp
from bombus.simulator.simulation import Simulation
from tests.support.harness import Bench, Benches, consecutive

VIEWS, ACCESSES = range(2)
NUM_SLOTS, NUM_BACKENDS = 251, 16
WORDS = (NUM_SLOTS + 3) // 4
SERVICE = bytes((10, 0, 0, 1))
UNSTORED, EVICTED = range(2)
UPPER = 1 << 32  # of the control
UNIT_US = 1 << 24

Flow = tuple[int, int]  # address and port of a client


def view(flow: Flow) -> int:
    address, port = flow
    header = bytes((0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, 0, 0))
    ports = port.to_bytes(2) + (80).to_bytes(2)
    return int.from_bytes(header + address.to_bytes(4) + SERVICE + ports, "little")


def flows(random: Random, count: int) -> list[Flow]:
    return [(random.getrandbits(32), random.randrange(1024, 65536)) for _ in range(count)]


def open_bench(
    benches: Benches, *, connections: int = 256, lines: int = 16, latency: int = 40
) -> Bench:
    """All backends are up; slots of the lower half use the first seven, those of the upper the
    others."""
    bench = benches(
        "load_balancer_choice",
        seed=2,
        NumConnections=connections,
        NumLines=lines,
        Latency=latency,
    )
    accesses = [1 << 53 | n << 33 | 1 << 32 | n for n in range(NUM_BACKENDS)]
    for half in range(2):
        for word in range(WORDS):
            slots = [8 * half + (4 * word + n) % 7 for n in range(4)]
            data = int.from_bytes(bytes(slots), "little")
            accesses.append((half * WORDS + word) << 33 | data)
    for access in accesses:
        bench.push([access], ACCESSES)
    while bench.waiting(ACCESSES):
        bench.run(100)
    while not bench.status:
        bench.run(1000)
    return bench


def backends(bench: Bench, sent: Sequence[Flow]) -> list[int]:
    bench.forget()
    bench.push([view(flow) for flow in sent], VIEWS)
    bench.drain(limit=20 * len(sent) + 10_000, quiet=400)
    found = bench.items(VIEWS)
    assert len(found) == len(sent)
    assert all(item >> 32 & 3 == 3 for item in found)
    return [item & 0xFFFFFFFF for item in found]


@pytest.mark.slow
@pytest.mark.parametrize("latency", [3, 40])
def test_connections_keep_their_backends(benches: Benches, latency: int) -> None:
    random = Random(1)
    bench = open_bench(benches, latency=latency)
    known = flows(random, 60)
    # One after the other, so that each is stored, and then in any order while the slots differ.
    of = {}
    for flow in known:
        (of[flow],) = backends(bench, [flow])
        assert bench.events[EVICTED] == bench.events[UNSTORED] == 0
    assert set(of.values()) == set(range(7))
    for turn in range(4):
        bench.control(UPPER | turn * UNIT_US)  # the stamps are written in each turn
        bench.run(2)
        sent = [random.choice(known) for _ in range(1000)]
        for size in (1, 2, 3, 4):  # trains of one flow
            for flow in random.sample(known, 20):
                sent += [flow] * size + [random.choice(known)] * random.randrange(3)
        assert backends(bench, sent) == [of[flow] for flow in sent]
        assert bench.events[EVICTED] == 0
    # New ones get the slots of the time, and keep them, but for those that were not stored yet.
    new = flows(random, 40)
    first = backends(bench, new)
    unstored, evicted = bench.events[UNSTORED], bench.events[EVICTED]
    assert set(first) <= set(range(8, 15))
    bench.control(3 * UNIT_US)
    bench.run(2)
    changed = sum(a != b for a, b in zip(backends(bench, new), first, strict=True))
    assert changed <= unstored + evicted + bench.events[EVICTED]
    assert latency == 3 or unstored > 0


@pytest.mark.slow
def test_a_view_per_cycle_and_clear(benches: Benches) -> None:
    """Connections with present stamps need no write; after a reset none is left."""
    random = Random(2)
    bench = open_bench(benches)
    known = flows(random, 20)
    of = {flow: backends(bench, [flow])[0] for flow in known}
    bench.control(UPPER)
    bench.run(2)
    sent = [random.choice(known) for _ in range(3000)]
    assert backends(bench, sent) == [of[flow] for flow in sent]
    cycles = bench.taken(VIEWS)
    # The memory of the bench takes 15 of 16 addresses.
    assert cycles[-1] - cycles[0] < len(sent) * 16 / 15 * 1.1
    assert not consecutive(cycles)
    bench = open_bench(benches)
    bench.control(UPPER)
    bench.run(2)
    assert all(found >= 8 for found in backends(bench, known))


@pytest.mark.slow
@pytest.mark.sweep
def test_a_million_connections(benches: Benches) -> None:
    """In a table of 64 MiB, of four times as many entries: 98% keep their backends. In 2% of the
    cases five or more share a set of four, and evict each other."""
    random = Random(3)
    count = 1_000_000
    bench = open_bench(benches, connections=1 << 22, lines=1024)
    known = list(set(flows(random, count)))
    first = backends(bench, known)
    evicted = bench.events[EVICTED]
    backends(bench, known)  # those that were not stored
    evicted += bench.events[EVICTED] + bench.events[UNSTORED]
    bench.control(UPPER)
    bench.run(2)
    second = backends(bench, known)
    changed = sum(a != b for a, b in zip(first, second, strict=True))
    assert changed < 0.02 * count
    assert changed <= evicted + bench.events[EVICTED]


EXAMPLE = paths.EXAMPLES / "functions" / "balanced_memory.yaml"


def test_the_example_passes() -> None:
    assert not check.check(EXAMPLE)[1]


@pytest.mark.slow
@pytest.mark.sweep
def test_a_design_with_an_external_table(tmp_path: Path) -> None:
    """The example with a small table, and the model of HBM."""
    file = tmp_path / "balanced_memory.yaml"
    file.write_text(EXAMPLE.read_text().replace("4194304", "8192"))
    hops = [f"10.77.0.{n}" for n in range(11, 15)]
    stations = [Station.of(f"02:00:00:00:01:{n:02x}", hop) for n, hop in enumerate(hops)]
    client = Station.of("02:00:00:00:00:99", "10.77.0.1")
    service = Service("10.77.0.2", 53, "udp")
    random = Random(4)
    with Simulation(file, seed=3, assertions=True) as simulation:
        host = Host.from_manifest(simulation.manifest)
        for station in (client, *stations):
            introduce(simulation, station)
        (layer,) = (
            layer
            for tile in simulation.manifest["tiles"]
            for layer in tile["layers"]
            if layer["kind"] == "load_balancer"
        )
        registers = simulation.tile("eth_rx").registers
        balancer = LoadBalancer(registers, layer["params"], secret=0x123456789ABC)
        balancer.set({service: [Backend(hop) for hop in hops]})

        def frame(port: int) -> bytes:
            source = bytes((192, 0, 2, 1))
            data = udp(source, host.ip, port, 53, random.randbytes(random.randrange(1400)))
            return padded(ethernet(host.mac, client.mac, 0x0800, ipv4(source, host.ip, 17, data)))

        ports = range(2000, 2200)
        first = {}
        for turn in range(4):
            sent = [frame(port) for port in ports]
            got = simulation.exchange(sent).received
            assert [each.data[14:] for each in got] == [each[14:] for each in sent]
            macs = [each.data[:6] for each in got]
            if turn == 0:
                first = dict(zip(ports, macs, strict=True))
                assert len(set(macs)) == 4
            if turn == 1:  # all are stored now: their backends drain
                services = [Backend(hop, int(n == 3)) for n, hop in enumerate(hops)]
                balancer.set({service: services})
            assert macs == [first[port] for port in ports]
        assert len(simulation.exchange([ping_frame(client, host, b"bee")]).received) == 1
        simulation.check()
