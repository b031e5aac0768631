# SPDX-License-Identifier: Apache-2.0
"""Established flows of acl: which packets belong to one, tables that are full, and reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from bombus.applications.functions.acl import HAS_PORTS, IS_FRAGMENT, Rule, RuleSet
from bombus.design.rtl import struct_layout
from tests.applications.functions import acl_rule_sets as sets
from tests.applications.functions.test_acl import Acl, udp
from tests.support.harness import PACES, Beats, Benches, Message, pack_meta

pytestmark = pytest.mark.slow

FLOW = struct_layout("acl_flow_meta_t", "acl_pkg")
REPORT, ESTABLISHED, EVICTED, EXPIRED = range(4, 8)
NUM_FLOWS, NUM_SETS = 256, 64
SECOND = 1_000_000
IDLE_S = 300
REPORTED, UNREPORTED = range(2)
SECRET = 0x5EC2E7_5EC2E7
ONLY = RuleSet([Rule(True, state=HAS_PORTS, state_mask=HAS_PORTS, established=True)], False)

Flow = tuple[int, int, int, int, int]  # peer, host, their ports, protocol


def packed(flow: Flow) -> int:
    names = ("peer", "host", "peer_port", "host_port", "protocol")
    return sum(value << FLOW[name].offset for name, value in zip(names, flow, strict=True))


def packet(flow: Flow, *, flags: int = 0x10, fragment: int = 0) -> bytes:
    """One that is received."""
    peer, host, peer_port, host_port, protocol = flow
    head = b"\x45\0\0\x28\0\0" + fragment.to_bytes(2) + b"\x40" + bytes([protocol, 0, 0])
    ports = peer_port.to_bytes(2) + host_port.to_bytes(2)
    return head + peer.to_bytes(4) + host.to_bytes(4) + ports + bytes(9) + bytes([flags]) + bytes(6)


def flow_of(data: bytes) -> Flow | None:
    """Of a received packet, if it has ports."""
    body = data[(data[0] & 15) * 4 :]
    if sets.verdict(data, RuleSet([], True)).reason == sets.MALFORMED:
        return None
    if data[9] not in (sets.TCP, sets.UDP) or int.from_bytes(data[6:8]) % 8192:
        return None
    fields = (data[12:16], data[16:20], body[0:2], body[2:4], data[9:10])
    peer, host, peer_port, host_port, protocol = map(int.from_bytes, fields)
    return peer, host, peer_port, host_port, protocol


def some(count: int, seed: int = 1) -> list[Flow]:
    random = Random(seed)
    return [
        (
            *(random.getrandbits(32), random.getrandbits(32)),
            *(random.getrandbits(16), random.getrandbits(16)),
            random.choice((sets.TCP, sets.UDP)),
        )
        for _ in range(count)
    ]


class Stateful(Acl):
    def time(self, microseconds: int, secret: int = SECRET) -> None:
        self.bench.control(secret << 32 | microseconds % 2**32)
        self.bench.run(3)

    def report(self, flows: Sequence[Flow]) -> None:
        self.bench.push([packed(each) for each in flows], 3)
        while self.bench.waiting(3):
            self.bench.run(200)
        self.bench.run(10)

    def passing(self, flows: Sequence[Flow]) -> set[int]:
        """Which of them are established."""
        return {message["ip"] for message in self.send([packet(each) for each in flows])}

    def sweep(self, microseconds: int) -> None:
        """All sets."""
        for n in range(2 * NUM_SETS):
            self.time(microseconds + n)
        self.bench.run(10)


def opened(benches: Benches) -> Stateful:
    bench = benches("acl", DataWidth=512, NumRules=16, Established=1, NumFlows=NUM_FLOWS)
    found = Stateful(bench, 512, 16)
    found.time(0)
    found.bench.run(200)
    found.load(ONLY)
    return found


@pytest.fixture
def acl(benches: Benches) -> Stateful:
    return opened(benches)


def test_only_packets_of_the_flow(acl: Stateful) -> None:
    """Each field counts, in its direction; ICMP and fragments have no flow."""
    for protocol in (sets.TCP, sets.UDP):
        flow: Flow = (0x0A000001, 0x0A4D0002, 1234, 53, protocol)
        acl.report([flow])
        others = [flow]
        for field in range(5):
            for bit in range((32, 32, 16, 16, 0)[field]):
                changed = list(flow)
                changed[field] ^= 1 << bit
                others.append(tuple(changed))  # type: ignore[arg-type]
        others.append((flow[1], flow[0], flow[3], flow[2], protocol))
        others.append((*flow[:4], sets.TCP + sets.UDP - protocol) if protocol == sets.TCP else flow)
        wanted = {n for n, each in enumerate(others) if each == flow}
        assert acl.passing(others) == wanted
        acl.check([packet(flow, fragment=1), packet((*flow[:4], sets.ICMP))], ONLY)
    # A forged ACK of a connection that does not exist is denied.
    assert not acl.passing([(0x0A000009, 0x0A4D0002, 1234, 53, sets.TCP)])


def test_the_first_rule_with_flows(acl: Stateful) -> None:
    """Random rules, some for established flows, and packets at every pace."""
    random = Random(4)
    reasons = set()
    for pace in PACES:
        acl.bench.reset()
        acl.bench.pace(**pace)
        acl.bench.run(200)
        base = sets.rule_set(random, 16)
        rules = RuleSet(
            [
                replace(
                    rule,
                    established=True,
                    state=rule.state | HAS_PORTS,
                    state_mask=rule.state_mask | HAS_PORTS,
                )
                if rule.protocol in (None, sets.TCP, sets.UDP)
                and not rule.state & IS_FRAGMENT
                and random.random() < 0.6
                else rule
                for rule in base.rules
            ],
            base.default_allow,
        )
        acl.load(rules)
        packets = [sets.packet(random, rules.rules) for _ in range(150)]
        flows = {flow_of(each) for each in packets if random.random() < 0.4} - {None}
        acl.bench.forget()
        acl.report(sorted(flows))  # type: ignore[type-var]
        assert acl.bench.events[EVICTED] == 0 and acl.bench.events[ESTABLISHED] == len(flows)
        wanted = [
            n
            for n, each in enumerate(packets)
            if sets.verdict(each, rules, flow_of(each) in flows).passes
        ]
        without = [n for n, each in enumerate(packets) if sets.verdict(each, rules).passes]
        got = acl.send(packets, random)
        assert [message["ip"] for message in got] == wanted
        reasons.add(wanted != without)
    assert True in reasons


def test_flows_are_forgotten(acl: Stateful) -> None:
    flows = some(20)
    acl.report(flows)
    acl.time(IDLE_S * SECOND)
    assert acl.passing(flows) == set(range(20))
    acl.time((IDLE_S - 10) * SECOND)
    acl.report(flows[:5])  # seen again
    acl.time((IDLE_S + 3) * SECOND)
    assert acl.passing(flows) == set(range(5))
    acl.bench.forget()
    acl.sweep((IDLE_S + 3) * SECOND)
    assert 0 < acl.bench.events[EXPIRED] <= 15
    acl.time(1 << 32)  # the time has wrapped around: the flows that were swept stay forgotten
    assert acl.passing(flows) <= set(range(5))


def test_a_full_table(acl: Stateful) -> None:
    """The flow reported least recently gives way; each eviction is counted."""
    flows = some(3 * NUM_FLOWS)
    acl.bench.forget()
    for n in range(0, len(flows), 64):
        acl.time(n * SECOND // 4)
        acl.report(flows[n : n + 64])
    established, evicted = acl.bench.events[ESTABLISHED], acl.bench.events[EVICTED]
    kept = acl.passing(flows)
    assert established == len(flows) and len(kept) == len(flows) - evicted
    assert 0.9 * NUM_FLOWS < len(kept) <= NUM_FLOWS
    last = range(len(flows) - 64, len(flows))
    assert len(kept & set(last)) >= 60


def test_reports_in_a_row(acl: Stateful) -> None:
    """Of one flow, or of a few, in each cycle: one entry each."""
    flows = some(7)
    acl.bench.forget()
    acl.report([flows[0]] * 40 + flows * 10 + [each for each in flows for _ in range(3)])
    assert acl.bench.events[REPORT] == 40 + 70 + 21
    assert acl.bench.events[ESTABLISHED] == 7 and acl.bench.events[EVICTED] == 0
    assert acl.passing(flows) == set(range(7))


def test_a_new_secret_and_a_reset_forget(acl: Stateful) -> None:
    flows = some(30)
    acl.report(flows)
    assert len(acl.passing(flows)) == 30
    acl.time(0, SECRET + 1)
    acl.bench.run(100)
    assert not acl.passing(flows)
    acl.bench.push([packed(each) for each in flows], 3)
    acl.bench.run(9)
    acl.bench.reset()  # in traffic
    acl.bench.run(200)
    acl.load(ONLY)
    assert not acl.passing(flows)


def test_latency_with_flows(acl: Stateful) -> None:
    acl.load(RuleSet([Rule(True)], False))
    acl.bench.forget()
    acl.bench.push(acl.beats.stream([acl.message(udp(n)) for n in range(100)]))
    acl.bench.drain()
    taken, out = acl.bench.taken(0), [each.cycle for each in acl.bench.received(0)]
    assert {b - a for a, b in zip(taken, out, strict=True)} == {4}


# ---- The layer acl_sent ----


def sent(flow: Flow, **more: int) -> bytes:
    """A packet to the peer of a flow."""
    return packet((flow[1], flow[0], flow[3], flow[2], flow[4]), **more)


@pytest.mark.parametrize("width", [64, 512])
def test_reports(benches: Benches, width: int) -> None:
    """A report of each TCP or UDP packet, but not of those with RST, fragments, or a flow again."""
    bench, beats, random = benches("acl_sent", DataWidth=width), Beats(width), Random(width)
    rules = sets.rule_set(random, 20)
    for pace in PACES:
        bench.reset()
        bench.pace(**pace)
        bench.stall(1, 0.0)
        bench.forget()
        packets = [sets.packet(random, rules.rules) for _ in range(150)]
        packets += [sent(each, flags=flags) for each in some(10) for flags in (2, 2, 4, 0x14)]
        kinds = [random.choice((0, 0, 0, 1)) for _ in packets]
        messages = [
            Message(data, pack_meta(kind=kind, length=len(data), ip=n))
            for n, (data, kind) in enumerate(zip(packets, kinds, strict=True))
        ]
        bench.push(beats.stream(messages, random))
        bench.drain()
        assert beats.messages(bench.items(0), lengths=True) == messages
        wanted: list[Flow] = []
        for data, kind in zip(packets, kinds, strict=True):
            flow = flow_of(data)
            if kind or flow is None:
                continue
            flags = data[(data[0] & 15) * 4 + 13] if flow[4] == sets.TCP else 0
            back = (flow[1], flow[0], flow[3], flow[2], flow[4])
            if not flags & 4 and wanted[-1:] != [back]:
                wanted.append(back)
        assert bench.items(1) == [packed(each) for each in wanted]
        assert bench.events[REPORTED] == len(wanted) > 30 and bench.events[UNREPORTED] == 0


def test_a_flow_is_reported_again(benches: Benches) -> None:
    """In the next unit of time."""
    bench, beats = benches("acl_sent", DataWidth=512), Beats(512)
    (flow,) = some(1)
    message = Message(sent(flow), pack_meta(length=40))
    for time, count in ((0, 1), (1 << 19, 1), (1 << 20, 2), (3 << 19, 2), (1 << 31, 3)):
        bench.control(time)
        bench.push(beats.stream([message] * 3))
        bench.drain()
        assert bench.items(1) == [packed(flow)] * count


@pytest.mark.sweep
def test_servers_are_not_reported(benches: Benches) -> None:
    """Packets from their ports, which are a range with both ends."""
    first, last = 7, 443
    bench = benches("acl_sent", DataWidth=512, FirstServerPort=first, LastServerPort=last)
    ports = (first - 1, first, first + 1, last - 1, last, last + 1, 0, 65535, 7 << 8)
    flows = [(each[0], each[1], first, port, each[4]) for each in some(8) for port in ports]
    bench.pace(gap=0.5)
    bench.push(Beats(512).stream([Message(sent(each), pack_meta(length=40)) for each in flows]))
    bench.drain()
    assert len(bench.items(0)) == len(flows)
    assert bench.items(1) == [packed(each) for each in flows if not first <= each[3] <= last]


def test_reports_that_wait_do_not_stop_packets(benches: Benches) -> None:
    bench, beats = benches("acl_sent", DataWidth=512), Beats(512)
    bench.stall(1, 1.0)
    flows = some(40)
    bench.push(beats.stream([Message(sent(each), pack_meta(length=40)) for each in flows]))
    bench.run(100)
    assert len(bench.items(0)) == 40
    kept = bench.events[REPORTED]
    assert 16 <= kept <= 18 and bench.events[UNREPORTED] == 40 - kept
    bench.stall(1, 0.0)
    bench.drain()
    assert bench.items(1) == [packed(each) for each in flows[:kept]]
