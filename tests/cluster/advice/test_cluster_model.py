# SPDX-License-Identifier: Apache-2.0
"""The reference model: every packet once and in order, and the bandwidth of the law."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from bombus.cluster import law, routing, topology
from bombus.cluster.model import Endpoint, Network, Packet, Timing

IDEAL = Timing(check=False, overhead_words=0)
CHANNELS = [
    Endpoint(buffer_size=8, flow_offset=2, flow_stride=4, init_budget=1, idle_cycles=800),
    Endpoint(buffer_size=6, flow_offset=4, flow_stride=2, init_budget=2, words=9, grant_period=3),
    Endpoint(managed=False),
]


def network(kind: str, boards: int, endpoints: list[Endpoint], timing: Timing) -> Network:
    made = topology.build(kind, boards)
    return Network(made, routing.tables(made, 2), endpoints, timing)


@pytest.mark.parametrize("kind", ["bar", "ring", "torus", "star_of_rings"])
@pytest.mark.parametrize("seed", range(3))
def test_each_packet_arrives_once_and_in_order(kind: str, seed: int) -> None:
    rng = random.Random(seed)
    timing = Timing(width=rng.choice([64, 128, 512]), latency=rng.randint(1, 75), buffer_beats=24)
    net = network(kind, 6, CHANNELS, timing)
    sent = defaultdict(list)
    for n in range(900):
        source, target, channel = rng.randrange(6), rng.randrange(6), rng.randrange(3)
        words = rng.randint(0, CHANNELS[channel].words)
        net.send(Packet(source, target, channel, words, n, yields=rng.random() < 0.2))
        sent[source, target, channel].append(n)
    net.run()
    found = defaultdict(list)
    for packet in net.packets:
        found[packet.source, packet.destination, packet.channel].append(packet.content)
    assert found == sent
    assert not net.dropped
    assert not any(net.waiting(board, channel) for board in range(6) for channel in range(3))


def test_buffers_hold_no_more_than_is_reserved() -> None:
    """A receiver that takes nothing stops the senders of its channel, and no other."""
    net = network("bar", 4, CHANNELS, IDEAL)
    net.stall(0, 0)
    for n in range(200):
        for source in (1, 2, 3):
            net.send(Packet(source, 0, 0, 2, n))
            net.send(Packet(source, 0, 1, 9, n))
    net.run()
    counts = [sum(packet.channel == channel for packet in net.packets) for channel in (0, 1)]
    assert counts[1] == 600
    assert 8 < counts[0] <= CHANNELS[0].slots(4)
    assert net.most_queued[0, 0] == counts[0]
    net.stall(0, 0, stalled=False)
    net.run()
    assert len(net.packets) == 1200


@pytest.mark.parametrize("buffer", [1, 8])
def test_an_unmanaged_receiver_that_takes_nothing_stops_the_network(buffer: int) -> None:
    """Packets of a managed channel in the other direction arrive until it needs grants, which wait
    after the packets of the unmanaged channel. Once these are taken, all the others arrive.
    """
    kinds = [CHANNELS[0], replace(CHANNELS[2], buffer_size=buffer)]
    net = network("bar", 4, kinds, replace(IDEAL, width=64))
    net.stall(1, 1)
    for n in range(400):
        net.send(Packet(0, 1, 1, 2, n))
    net.run(3000)
    for n in range(100):
        net.send(Packet(1, 0, 0, 1, n))
        net.send(Packet(2, 3, 0, 1, n))
    net.run(9000)
    found = Counter((packet.source, packet.channel) for packet in net.packets)
    in_chain = IDEAL.endpoint // 2  # two beats each
    assert found[0, 1] == net.most_queued[1, 1] == buffer + in_chain
    assert net.waiting(0, 1) > 0  # the buffers of the link are full
    assert found[1, 0] == CHANNELS[0].init_budget
    assert found[2, 0] == 100  # elsewhere
    net.stall(1, 1, stalled=False)
    net.run()
    found = Counter((packet.source, packet.channel) for packet in net.packets)
    assert found == {(0, 1): 400, (1, 0): 100, (2, 0): 100}
    assert [packet.content for packet in net.packets if packet.channel == 1] == [*range(400)]


@pytest.mark.parametrize("words", [1, 2, 7])
def test_a_small_buffer_costs_an_unmanaged_channel_no_bandwidth(words: int) -> None:
    unmanaged = Endpoint(managed=False, buffer_size=2, words=words)
    assert measured(unmanaged, [1], IDEAL) > 0.97 * law.efficiency(words, IDEAL)


def test_packets_without_a_route_are_dropped() -> None:
    made = topology.build("bar", 3)
    net = Network(made, routing.tables(made.without(boards=[2])), CHANNELS, IDEAL)
    net.send(Packet(0, 2, 2, 1))
    net.send(Packet(0, 9, 2, 1))
    net.send(Packet(0, 1, 2, 1))
    net.run()
    assert [packet.destination for packet in net.dropped] == [2, 9]
    assert [packet.destination for packet in net.packets] == [1]


def measured(endpoint: Endpoint, sources: list[int], timing: Timing, channels: int = 1) -> float:
    """Payload's share of a link at board 0 of a bar."""
    net = network("bar", 4, [endpoint] * channels, timing)
    words = endpoint.words
    for source in sources:
        for channel in range(channels):
            for n in range(7000 if words < 8 else 600):
                net.send(Packet(source, 0, channel, words, n))
    net.run(1500)
    start = len(net.packets)
    net.run(6000)
    return (len(net.packets) - start) * words / timing.words / 4500


@pytest.mark.parametrize("hops", [1, 3])
@pytest.mark.parametrize(("stride", "offset"), [(32, 16), (512, 256), (48, 480), (32, 100)])
def test_law_of_one_sender(hops: int, stride: int, offset: int) -> None:
    endpoint = Endpoint(buffer_size=stride + offset, flow_offset=offset, flow_stride=stride)
    expected = law.share(endpoint, hops, IDEAL)
    assert measured(endpoint, [hops], IDEAL) == pytest.approx(expected, rel=0.08)


def test_full_rate_at_three_hops_from_a_little_more_than_a_round_trip() -> None:
    trip = law.round_trip(3, 2, IDEAL)
    endpoint = Endpoint(buffer_size=int(1.1 * trip), flow_offset=int(trip) + 1, flow_stride=32)
    assert 505 <= endpoint.buffer_size <= 525
    assert law.share(endpoint, 3, IDEAL) == 1
    assert measured(endpoint, [3], IDEAL) > 0.995


def test_law_of_several_endpoints_and_of_long_packets() -> None:
    endpoint = Endpoint(buffer_size=192, flow_offset=64, flow_stride=128)
    for count in (2, 6):
        least = law.aggregate(endpoint, count, 3, IDEAL, alternating=True)
        most = law.aggregate(endpoint, count, 3, IDEAL)
        assert 0.97 * least <= measured(endpoint, [3], IDEAL, count) <= 1.01 * most
    checked = Timing()
    long = Endpoint(buffer_size=9, flow_offset=3, flow_stride=6, words=32)
    expected = law.share(long, 2, checked)
    assert expected < 0.6
    assert measured(long, [2], checked) == pytest.approx(expected, rel=0.05)
    unmanaged = replace(long, managed=False)
    # The credits of a link with 200 beats last for less than a round trip.
    assert measured(unmanaged, [2], checked) == pytest.approx(law.line(32, checked), rel=0.03)


@pytest.mark.parametrize(("buffer", "stride", "offset"), [(80, 64, 16), (72, 64, 8), (80, 32, 16)])
def test_several_senders_share_a_buffer(buffer: int, stride: int, offset: int) -> None:
    """Table III of the paper. Smaller strides in the same buffer reach more."""
    endpoint = Endpoint(buffer_size=buffer, flow_offset=offset, flow_stride=stride, init_budget=1)
    found = measured(endpoint, [1, 2, 3], IDEAL)
    assert found == pytest.approx(law.several(endpoint, [1, 2, 3], IDEAL), rel=0.12)
    better = Endpoint(buffer_size=80, flow_offset=64, flow_stride=16, init_budget=1)
    assert measured(better, [1, 2, 3], IDEAL) > 1.2 * found


def test_latency_is_linear_in_hops() -> None:
    times = []
    for hops in (1, 2, 3):
        net = network("bar", 4, CHANNELS, IDEAL)
        net.send(Packet(0, hops, 2, 2))
        net.run()
        (packet,) = net.packets
        assert packet.arrived is not None
        times.append(packet.arrived)
    assert times[1] - times[0] == times[2] - times[1] == IDEAL.latency + IDEAL.hop
