# SPDX-License-Identifier: Apache-2.0
"""The layer acl in its bench, against a model that parses the packets itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from ipaddress import IPv4Network
from random import Random

import pytest

from bombus.applications.functions.acl import ALL_PORTS, HAS_PORTS, IS_FRAGMENT, Rule, RuleSet
from bombus.base.errors import UserError
from bombus.design.rtl import struct_layout
from tests.applications.functions import acl_rule_sets as sets
from tests.support.harness import PACES, Beats, Bench, Benches, Message, consecutive, pack_meta

pytestmark = pytest.mark.slow

RULE = struct_layout("rule_t", "acl_pkg")
CONTROL = 1 << 255
COMMIT = CONTROL | 1 << 1
LIMIT = 4_000_000
DENIED, BY_DEFAULT, MALFORMED, PASSED_BY_DEFAULT = range(4)
FILLING = 8
FILLS, MOVES = 1, 2  # in the status
ALLOW_ALL = RuleSet([], True)
EVERY = IPv4Network((0, 0))


def packed(rule: Rule) -> int:
    return sum(value << RULE[name].offset for name, value in rule.fields().items())


class Acl:
    def __init__(self, bench: Bench, width: int, num_rules: int) -> None:
        self.bench, self.beats, self.num_rules = bench, Beats(width), num_rules

    def write(self, rules: RuleSet) -> None:
        items = [number << 256 | packed(rule) for number, rule in enumerate(rules.rules)]
        items += [number << 256 for number in range(len(rules.rules), self.num_rules)]
        self.bench.push([*items, COMMIT | rules.default_allow], 1)

    def load(self, rules: RuleSet) -> None:
        self.write(rules)
        while self.bench.waiting(1):
            self.bench.run(500)
        self.bench.run(3)
        while self.bench.status & FILLS:
            self.bench.run(2000)

    def counters(self) -> list[int]:
        self.bench.forget()
        self.bench.stall(1, 0.0)
        self.bench.push(range(self.num_rules), 2)
        self.bench.drain()
        return [item & (1 << 64) - 1 for item in self.bench.items(1)]

    def message(self, data: bytes, kind: int = 0, ip: int = 0) -> Message:
        return Message(data, pack_meta(kind=kind, length=len(data), ip=ip))

    def send(self, packets: Sequence[bytes], random: Random | None = None) -> list[Message]:
        self.bench.forget()
        sent = [self.message(data, ip=number) for number, data in enumerate(packets)]
        self.bench.push(self.beats.stream(sent, random))
        self.bench.drain(limit=LIMIT)
        return self.beats.messages(self.bench.items(0), lengths=True)

    def check(
        self, packets: Sequence[bytes], rules: RuleSet, random: Random | None = None
    ) -> Counter[int | str]:
        """Each packet as the model says; returns how many each rule decided."""
        verdicts = [sets.verdict(data, rules) for data in packets]
        got = self.send(packets, random)
        wanted = [n for n, verdict in enumerate(verdicts) if verdict.passes]
        assert [message["ip"] for message in got] == wanted
        assert [message.payload for message in got] == [packets[n] for n in wanted]
        events = self.bench.events  # since the packets were sent
        reasons: Counter[int | str] = Counter(verdict.reason for verdict in verdicts)
        by_default = sets.DEFAULT in reasons and reasons[sets.DEFAULT]
        assert events[MALFORMED] == reasons[sets.MALFORMED]
        assert events[BY_DEFAULT] == (0 if rules.default_allow else by_default)
        assert events[PASSED_BY_DEFAULT] == (by_default if rules.default_allow else 0)
        assert events[DENIED] == len(packets) - len(wanted) - events[MALFORMED] - events[BY_DEFAULT]
        return reasons


def opened(benches: Benches, width: int = 512, rules: int = 16, marks: int = 0) -> Acl:
    bench = benches("acl", DataWidth=width, NumRules=rules, Marks=marks)
    return Acl(bench, width, rules)


@pytest.fixture
def acl(benches: Benches) -> Acl:
    return opened(benches)


@pytest.mark.parametrize("width", [64, 512])
def test_verdicts(benches: Benches, width: int) -> None:
    """Rule sets of ClassBench's kind, at every pace."""
    random = Random(width)
    acl = opened(benches, width, 64)
    total: Counter[int] = Counter()
    for pace in PACES[: 5 if width == 512 else 3]:
        rules = sets.rule_set(random, 64)
        acl.bench.pace(**pace)
        acl.load(rules)
        reasons = acl.check([sets.packet(random, rules.rules) for _ in range(1500)], rules, random)
        total += Counter({n: count for n, count in reasons.items() if isinstance(n, int)})
        assert len(reasons) > 20
    assert acl.counters() == [total[n] for n in range(64)]


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("width", [64, 128, 256, 512])
def test_a_million_verdicts(benches: Benches, width: int, part: int) -> None:
    """50,000 packets in each of 20 runs, with the seed width + 1000 * part."""
    random = Random(width + 1000 * part)
    acl = opened(benches, width, 512)
    for number, count in enumerate((512, 500, 100, 7, 512)):
        rules = sets.rule_set(random, count)
        acl.bench.pace(**PACES[(number + part) % 3])
        acl.load(rules)
        acl.check([sets.packet(random, rules.rules) for _ in range(10_000)], rules, random)


def udp(source: int = 0, destination: int = 0, ports: tuple[int, int] = (0, 0)) -> bytes:
    head = b"\x45\0\0\x1c" + bytes(5) + b"\x11\0\0" + source.to_bytes(4) + destination.to_bytes(4)
    return head + ports[0].to_bytes(2) + ports[1].to_bytes(2) + bytes(4)


def test_edges_of_prefixes(acl: Acl) -> None:
    """The first and last address of a prefix of every length, and those beside it."""
    random = Random(3)
    lengths = range(33)
    for which in range(2):
        for part in (lengths[:11], lengths[11:22], lengths[22:]):
            nets = [IPv4Network((random.getrandbits(32), length), False) for length in part]
            nets.sort(key=lambda net: -net.prefixlen)
            pairs = [(net, EVERY) if which == 0 else (EVERY, net) for net in nets]
            rules = RuleSet([Rule(n % 2 == 0, *pair) for n, pair in enumerate(pairs)], False)
            acl.load(rules)
            packets = []
            for net in nets:
                first, last = int(net.network_address), int(net.broadcast_address)
                for address in {first, last, max(0, first - 1), min(2**32 - 1, last + 1)}:
                    packets.append(udp(*((address, 0) if which == 0 else (0, address))))
            acl.check(packets, rules)


PORT_RANGES = (
    *((0, 0), (65535, 65535), ALL_PORTS, (255, 256), (256, 511), (256, 767), (0, 255)),
    *((300, 310), (300, 600), (300, 1100), (1, 65534), (0xFF00, 0xFFFF), (0xFEFF, 0xFF00)),
)


def test_edges_of_ports(acl: Acl) -> None:
    for which in range(2):
        for ports in PORT_RANGES:
            both = (ports, ALL_PORTS) if which == 0 else (ALL_PORTS, ports)
            rules = RuleSet([Rule(True, EVERY, EVERY, *both, 17, HAS_PORTS, HAS_PORTS)], False)
            acl.load(rules)
            edges = {edge + n for edge in (*ports, 255, 65280) for n in (-256, -1, 0, 1, 256)}
            numbers = sorted(each for each in edges if 0 <= each < 65536)
            pairs = [(each, 7) if which == 0 else (7, each) for each in numbers]
            acl.check([udp(ports=pair) for pair in pairs], rules)


def test_protocols_flags_and_fragments(acl: Acl) -> None:
    def tcp(flags: int, protocol: int = 6, fragment: int = 0) -> bytes:
        head = b"\x45\0\0\x28\0\0" + fragment.to_bytes(2) + b"\x40" + bytes([protocol]) + bytes(10)
        return head + b"\0\x50\0\x50" + bytes(9) + bytes([flags]) + bytes(6)

    packets = [tcp(flags) for flags in range(256)]
    packets += [tcp(0x12, protocol) for protocol in range(256)]
    packets += [tcp(2, 6, fragment) for fragment in (1, 0x2000, 0x2001, 0x4000, 0x1FFF, 0x8000, 8)]
    any_port_80 = (80, 80)
    for rule in (
        *(Rule(True, protocol=6, state=HAS_PORTS | bit, state_mask=HAS_PORTS | bit)
          for bit in (1, 2, 4, 8, 16, 32, 0)),
        Rule(True, protocol=6, state=HAS_PORTS | 2, state_mask=HAS_PORTS | 0x3F),
        Rule(True, protocol=6, state=HAS_PORTS, state_mask=HAS_PORTS | 0x12),
        Rule(True, state=IS_FRAGMENT, state_mask=IS_FRAGMENT),
        Rule(True, state=HAS_PORTS, state_mask=HAS_PORTS, destination_ports=any_port_80),
        *(Rule(True, protocol=protocol) for protocol in (0, 1, 6, 17, 47, 255)),
    ):  # fmt: skip
        for default in (False, True):
            rules = RuleSet([rule, Rule(not default, protocol=6)], default)
            acl.load(rules)
            acl.check(packets, rules)


def test_ports_in_the_wrong_order(acl: Acl) -> None:
    """A rule whose last port is below its first, which Python refuses, matches nothing."""
    with pytest.raises(UserError, match="line 7: the last destination port, 6, is below the first"):
        Rule(True, destination_ports=(7, 6), line=7)
    either = [(7, 6), (0x0507, 0x0409), (0xFFFF, 0), (0x0100, 0x00FF), (0x0203, 0x0102)]
    items = []
    for n, (first, last) in enumerate(either * 2):
        name = "source" if n < len(either) else "destination"
        fields = {**Rule(True).fields(), f"{name}_port_first": first, f"{name}_port_last": last}
        items.append(n << 256 | sum(value << RULE[key].offset for key, value in fields.items()))
    acl.load(RuleSet([], False))
    acl.bench.push([*items, COMMIT], 1)
    acl.bench.drain(limit=LIMIT)
    edges = {0, 65535, *(edge + n for pair in either for edge in pair for n in (-1, 0, 1))}
    numbers = sorted(each for each in edges if 0 <= each < 65536)
    packets = [udp(ports=(a, b)) for a in numbers for b in (0, 5, 0x0409, a)]
    acl.check(packets, RuleSet([], False))


def test_the_default_changes_with_the_rules(acl: Acl) -> None:
    """A default written alone, before the first commit or during a fill, takes effect with the next
    commit; one written with a commit that waits for a fill does not change that fill.
    """
    packets = [udp(n) for n in range(20)]
    acl.bench.push([CONTROL], 1)
    acl.bench.run(20)
    acl.check(packets, ALLOW_ALL)

    acl.bench.push([COMMIT | 1], 1)
    acl.bench.run(100)
    assert acl.bench.status == FILLS  # addresses can change
    acl.bench.push(acl.beats.stream([acl.message(packets[0])]))
    acl.bench.run(2)
    assert acl.bench.status == FILLS | MOVES
    acl.bench.drain()
    acl.bench.forget()
    acl.bench.push([CONTROL], 1)
    acl.check(packets, ALLOW_ALL)
    while acl.bench.status & FILLS:
        acl.bench.run(500)
    acl.check(packets, ALLOW_ALL)

    # Two commits at once: the second one's fill begins when the first one's ends.
    acl.bench.push([COMMIT], 1)
    acl.bench.run(100)
    acl.bench.push([COMMIT | 1], 1)
    acl.bench.run(100)
    acl.check(packets, ALLOW_ALL)
    fill = 2048 * 16 // 8
    acl.bench.run(fill)
    acl.check(packets, RuleSet([], False))
    acl.bench.run(fill)
    acl.check(packets, ALLOW_ALL)


def test_the_first_rule_decides(acl: Acl) -> None:
    """Two rules match; each place in the list."""
    packet = udp(1, 2, (3, 4))
    other = Rule(False, source=IPv4Network("10.0.0.0/8"))
    for first, second in ((0, 1), (0, 15), (7, 8), (3, 4), (14, 15)):
        for allow in (False, True):
            rules = [other] * 16
            rules[first], rules[second] = Rule(allow), Rule(not allow)
            acl.load(RuleSet(rules, not allow))
            assert acl.check([packet], RuleSet(rules, not allow)) == {first: 1}


def test_rules_after_reset(acl: Acl) -> None:
    """None, whatever there was; the default is the parameter's."""
    acl.load(RuleSet([Rule(False)], False))
    packets = [udp(n) for n in range(50)]
    acl.check(packets, RuleSet([Rule(False)], False))
    acl.bench.push(acl.beats.stream([acl.message(data) for data in packets]))
    acl.bench.run(7)  # reset in traffic
    acl.bench.reset()
    acl.bench.run(100)
    acl.check(packets, ALLOW_ALL)
    acl.load(RuleSet([], False))  # of the old rules, none is left
    acl.check(packets, RuleSet([], False))
    assert acl.counters() == [0] * 16


def test_messages_of_other_kinds_pass(acl: Acl) -> None:
    acl.load(RuleSet([Rule(False)], False))
    messages = [acl.message(bytes([n]) * n, kind=1 + n % 3) for n in range(1, 200)]
    acl.bench.forget()
    acl.bench.push(acl.beats.stream(messages))
    acl.bench.drain()
    assert acl.beats.messages(acl.bench.items(0)) == messages


@pytest.mark.parametrize("marks", [0, 1])
def test_marks(benches: Benches, marks: int) -> None:
    acl = opened(benches, marks=marks)
    acl.load(RuleSet([Rule(True, IPv4Network((n, 32)), mark=n) for n in range(8)], True))
    sent = [acl.message(udp(n), ip=n) for n in range(9)]
    acl.bench.forget()
    acl.bench.push(acl.beats.stream(sent))
    acl.bench.drain()
    got = acl.beats.messages(acl.bench.items(0))
    assert len(got) == 9
    assert [each.meta ^ sent[n].meta for n, each in enumerate(got)] == [
        n % 8 if marks else 0 for n in range(9)
    ]


def test_latency_and_rate(acl: Acl) -> None:
    """4 cycles, a packet in each; a packet whose flags are in the second beat waits for it."""
    acl.load(RuleSet([Rule(True)], False))
    acl.bench.forget()
    acl.bench.push(acl.beats.stream([acl.message(udp(n)) for n in range(1000)]))
    acl.bench.drain()
    out = [each.cycle for each in acl.bench.received(0)]
    taken = acl.bench.taken(0)
    assert consecutive(taken) and consecutive(out)
    assert {b - a for a, b in zip(taken, out, strict=True)} == {4}
    assert acl.counters()[0] == 1000
    long = bytes([0x4F]) + bytes(8) + b"\x06" + bytes(90)
    acl.bench.forget()
    acl.bench.push(acl.beats.stream([acl.message(long)]))
    acl.bench.drain()
    assert acl.bench.received(0)[0].cycle - acl.bench.taken(0)[0] == 5


def test_rules_change_under_traffic(acl: Acl) -> None:
    """Old rules pass even packets, new ones odd ones: at no time both or neither, none is lost."""
    nets = [IPv4Network((n, 32)) for n in range(16)]
    old = RuleSet([Rule(n % 2 == 0, net) for n, net in enumerate(nets)], False)
    new = RuleSet([Rule(n % 2 == 0, net) for n, net in enumerate(reversed(nets))], True)
    acl.load(old)
    for pace, rules in ((0.0, (old, new)), (0.3, (new, old))):
        acl.bench.forget()
        acl.bench.stall(0, pace)
        count = 8_000
        packets = [udp(n % 16) for n in range(count)]
        sent = [acl.message(data, ip=number) for number, data in enumerate(packets)]
        acl.bench.push(acl.beats.stream(sent))
        acl.write(rules[1])
        acl.bench.drain(limit=LIMIT)
        got = [message["ip"] for message in acl.beats.messages(acl.bench.items(0))]
        by = [{n for n in range(count) if sets.verdict(packets[n], r).passes} for r in rules]
        swap = next(n for n in range(count) if (n in by[0]) != (n in set(got)))
        assert 1000 < swap < count - 1000
        assert got == sorted({n for n in by[0] if n < swap} | {n for n in by[1] if n >= swap})
