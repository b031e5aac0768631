# SPDX-License-Identifier: Apache-2.0
"""Rule sets of the kind that ClassBench makes, packets for them, and a model of the verdict.

The statistics are those that ClassBench's authors give for access control lists: destinations are
mostly long prefixes, sources mostly short or any; prefixes share a few trees; most destination
ports are single well-known ones, some are the high range or any. The model parses the packet
itself, and asks ipaddress.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from random import Random

from bombus.applications.functions.acl import ALL_PORTS, HAS_PORTS, IS_FRAGMENT, Rule, RuleSet

TCP, UDP, ICMP = 6, 17, 1
_WELL_KNOWN = (20, 21, 22, 23, 25, 53, 80, 110, 123, 143, 161, 443, 993, 1433, 1521, 3306, 6789)
_RANGES = (ALL_PORTS, (1024, 65535), (0, 1023), (255, 256), (256, 511), (6000, 6063), (511, 40000))
MALFORMED, DEFAULT = "malformed", "default"


def rule_set(random: Random, count: int) -> RuleSet:
    trees = [random.getrandbits(32) for _ in range(max(2, count // 40))]
    return RuleSet([_rule(random, trees) for _ in range(count)], random.random() < 0.5)


def _network(random: Random, trees: Sequence[int], lengths: Sequence[int]) -> IPv4Network:
    length = random.choice(lengths)
    shared = random.choice((8, 16, 16, 20, 24, 28))
    below = random.getrandbits(32 - shared)
    return IPv4Network((random.choice(trees) >> 32 - shared << 32 - shared | below, length), False)


def _ports(random: Random) -> tuple[int, int]:
    kind = random.random()
    if kind < 0.55:
        return (random.choice(_WELL_KNOWN),) * 2
    if kind < 0.85:
        return random.choice(_RANGES)
    first, last = sorted(random.choices(range(65536), k=2))
    return first, last


def _rule(random: Random, trees: Sequence[int]) -> Rule:
    protocol = random.choices((TCP, UDP, ICMP, None, random.randrange(256)), (60, 20, 5, 13, 2))[0]
    source_ports = destination_ports = ALL_PORTS
    state = mask = 0
    if protocol in (TCP, UDP):
        source_ports = ALL_PORTS if random.random() < 0.85 else _ports(random)
        destination_ports = _ports(random) if random.random() < 0.85 else ALL_PORTS
        if source_ports != ALL_PORTS or destination_ports != ALL_PORTS:
            state = mask = HAS_PORTS
        if protocol == TCP and random.random() < 0.15:
            mask |= HAS_PORTS | random.choice((1, 2, 0x12, 0x10, 0x3F))
            state = HAS_PORTS | random.getrandbits(6) & mask
    if not mask and random.random() < 0.1:
        state = mask = IS_FRAGMENT
    sources = (0, 0, 0, 8, 16, 16, 24, 24, 27, 32)
    return Rule(
        random.random() < 0.6,
        _network(random, trees, sources),
        _network(random, trees, (0, 8, 16, 21, 24, 24, 28, 30, 32, 32, 32)),
        source_ports,
        destination_ports,
        protocol,
        state,
        mask,
        random.randrange(8),
    )


# ---- Packets ----


def _near(random: Random, first: int, last: int, largest: int) -> int:
    """An end of a range, beside it, in it, or any."""
    choices = (first, last, max(0, first - 1), min(largest, last + 1), random.randint(first, last))
    return random.choice(choices) if random.random() < 0.97 else random.randint(0, largest)


def packet(random: Random, rules: Sequence[Rule], broken: float = 0.05) -> bytes:
    """Mostly one that a rule, or nearly, matches; of any header length."""
    rule = random.choice(rules) if rules else _rule(random, [0])
    sides = []
    for net, ports in (
        (rule.source, rule.source_ports),
        (rule.destination, rule.destination_ports),
    ):
        first, last = int(net.network_address), int(net.broadcast_address)
        address = (
            random.randint(first, last)
            if random.random() < 0.8
            else _near(random, first, last, (1 << 32) - 1)
        )
        sides.append((address, _near(random, *ports, 65535)))
    protocol = rule.protocol if rule.protocol is not None else random.choice((TCP, UDP, ICMP, 47))
    if random.random() < 0.05:
        protocol = random.choice((TCP, UDP, ICMP, random.randrange(256)))
    flags = rule.state & 0x3F if random.random() < 0.5 else random.getrandbits(8)
    offset = 0
    if rule.state & IS_FRAGMENT or random.random() < 0.05:
        offset = random.choice((1, 8191, random.randrange(8192), 0))
    header = 20 + 4 * (random.randrange(11) if random.random() < 0.2 else 0)
    length = header + random.choice((8, 14, 20, 20, random.randrange(20, 100)))
    body = bytearray(random.randbytes(length - header))
    body[0:4] = b"".join(port.to_bytes(2) for _, port in sides)
    if len(body) > 13:
        body[13] = flags
    fragment = random.getrandbits(3) << 13 | offset
    head = bytearray(random.randbytes(header))
    head[0] = 0x40 | header // 4
    head[2:4] = length.to_bytes(2)
    head[6:8] = fragment.to_bytes(2)
    head[9] = protocol
    head[12:20] = b"".join(address.to_bytes(4) for address, _ in sides)
    found = bytes(head + body)
    if random.random() < broken:
        kind = random.randrange(3)
        if kind == 0:
            found = found[: random.randrange(1, len(found))]
        else:
            first = random.randrange(256) if kind == 1 else 0x40 | random.randrange(16)
            found = bytes([first]) + found[1:]
    return found


# ---- The model ----


@dataclass(frozen=True)
class Verdict:
    passes: bool
    reason: int | str  # number of the rule, MALFORMED or DEFAULT
    mark: int = 0


def verdict(data: bytes, rules: RuleSet, established: bool = False) -> Verdict:
    if len(data) < 20 or data[0] >> 4 != 4 or not 20 <= (data[0] & 15) * 4 <= len(data):
        return Verdict(False, MALFORMED)
    body = data[(data[0] & 15) * 4 :]
    protocol = data[9]
    offset = int.from_bytes(data[6:8]) % 8192
    later = offset != 0
    if protocol == TCP and offset == 1:  # it would replace the flags of the first one
        return Verdict(False, MALFORMED)
    ports: tuple[int, int] | None = None
    flags = 0
    if protocol in (TCP, UDP) and not later:
        if len(body) < (14 if protocol == TCP else 4):
            return Verdict(False, MALFORMED)
        ports = int.from_bytes(body[:2]), int.from_bytes(body[2:4])
        flags = body[13] if protocol == TCP else 0
    source, destination = IPv4Address(data[12:16]), IPv4Address(data[16:20])
    for number, rule in enumerate(rules.rules):
        if rule.protocol is not None and rule.protocol != protocol:
            continue
        if rule.state_mask & IS_FRAGMENT and bool(rule.state & IS_FRAGMENT) != later:
            continue
        if rule.state_mask & HAS_PORTS and bool(rule.state & HAS_PORTS) != (ports is not None):
            continue
        if rule.established and not (established and ports is not None):
            continue
        if (flags ^ rule.state) & rule.state_mask & 0x3F:
            continue
        if ports is not None and not (
            rule.source_ports[0] <= ports[0] <= rule.source_ports[1]
            and rule.destination_ports[0] <= ports[1] <= rule.destination_ports[1]
        ):
            continue
        if source in rule.source and destination in rule.destination:
            return Verdict(rule.allow, number, rule.mark)
    return Verdict(rules.default_allow, DEFAULT)
