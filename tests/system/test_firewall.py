# SPDX-License-Identifier: Apache-2.0
"""docs/examples/middlebox/firewall.yaml: what is dropped is what ipaddress says is on the list."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from random import Random

import pytest
from support import examples

from bombus.base.errors import UserError
from bombus.firewall import table
from bombus.firewall.blacklist import boundaries
from bombus.simulator.simulation import Simulation

LIMIT_CYCLES = 500_000
PREFIXES = 1050


@pytest.fixture
def firewall(tmp_path: Path) -> Iterator[Simulation]:
    with examples.running("firewall", tmp_path) as simulation:
        yield simulation


def prefixes(random: Random) -> list[IPv4Network]:
    lengths = [random.choice([8, 12, 16, 20, 24, 24, 28, 30, 31, 32]) for _ in range(PREFIXES)]
    return [IPv4Network((random.getrandbits(32), n), strict=False) for n in lengths]


def frame(random: Random, source: int, number: int = 0) -> bytes:
    tag = random.choice([b"", b"", b"\x81\x00\x01\x23", b"\x88\xa8\x01\x23"])
    kind = b"\x86\xdd" if random.random() < 0.05 else b"\x08\x00"
    packet = b"\x45" + bytes(11) + source.to_bytes(4) + b"\x0a\x01\x00\x01" + number.to_bytes(4)
    return (random.randbytes(12) + tag + kind + packet).ljust(random.randrange(60, 90), b"\0")


def test_verdicts(firewall: Simulation) -> None:
    """Addresses at the ends of prefixes, beside them, and any; the list is then rewritten."""
    random = Random(1)
    for _ in range(2):
        networks = prefixes(random)
        table.write(firewall.tile("rpu").registers.ip_blacklist, boundaries(networks))
        masks = {(int(each.netmask), int(each.network_address)) for each in networks}
        sent, wanted = [], []
        for number in range(1500):
            network = random.choice(networks)
            first, last = int(network.network_address), int(network.broadcast_address)
            near = [first, last, (first - 1) % (1 << 32), (last + 1) % (1 << 32)]
            source = random.choice([*near, random.randint(first, last), random.getrandbits(32)])
            data = frame(random, source, number)
            sent.append(data)
            is_ipv4 = b"\x08\x00\x45" in (data[12:15], data[16:19])
            if not (is_ipv4 and any(source & mask == address for mask, address in masks)):
                wanted.append(data)
        done = firewall.exchange(sent, window=16, limit_cycles=LIMIT_CYCLES)
        assert [each.data for each in done.received if each.port == 1] == wanted
        assert len(done.received) == len(wanted) and 300 < len(wanted) < 1200


def check_verdicts(
    simulation: Simulation, random: Random, networks: list[IPv4Network], count: int
) -> int:
    """Writes a list and sends this many frames, most of them from the ends of prefixes and beside
    them. Returns how many were blocked.
    """
    table.write(simulation.tile("rpu").registers.ip_blacklist, boundaries(networks))
    masks = {length: int(IPv4Network((0, length)).netmask) for length in range(1, 33)}
    known = {(each.prefixlen, int(each.network_address)) for each in networks}

    def is_blocked(source: int) -> bool:
        return any((length, source & mask) in known for length, mask in masks.items())

    for source in (random.getrandbits(32) for _ in range(50)):
        address = IPv4Address(source)
        assert is_blocked(source) == any(address in each for each in networks)
    blocked = 0
    for start in range(0, count, 20_000):
        sent, wanted = [], []
        for number in range(start, min(start + 20_000, count)):
            network = random.choice(networks)
            first, last = int(network.network_address), int(network.broadcast_address)
            near = [first, last, (first - 1) % (1 << 32), (last + 1) % (1 << 32)]
            source = random.choice([*near, random.randint(first, last), random.getrandbits(32)])
            header = random.randbytes(12) + b"\x08\x00\x45" + bytes(11) + source.to_bytes(4)
            sent.append((header + number.to_bytes(8)).ljust(60, b"\0"))
            if not is_blocked(source):
                wanted.append(sent[-1])
        done = simulation.exchange(sent, window=16, limit_cycles=LIMIT_CYCLES)
        assert [each.data for each in done.received] == wanted
        blocked += len(sent) - len(wanted)
    return blocked


@pytest.mark.sweep
def test_a_million_verdicts(tmp_path: Path) -> None:
    """30,000 prefixes of 3 to 32 bits; then of 1 and 2 bits, which would cover most of these."""
    random = Random(7)
    large = [IPv4Network((1 << 33 - length, length)) for length in range(3, 16)]
    for _ in range(30_000 - len(large)):
        address = 1 << 31 | random.getrandbits(31)
        large.append(IPv4Network((address, random.randrange(16, 33)), strict=False))
    short = [IPv4Network("128.0.0.0/1"), IPv4Network("0.0.0.0/2"), IPv4Network("100.1.2.3/32")]
    with examples.running("firewall", tmp_path, ("stages: 12", "stages: 16"), False) as simulation:
        for networks, count in ((large, 900_000), (short, 100_000)):
            blocked = check_verdicts(simulation, random, networks, count)
            print(f"{len(networks):,} prefixes, {len(boundaries(networks)):,} boundaries")
            print(f"{count:,} frames, {blocked:,} of them blocked")
            assert count / 10 < blocked < 9 * count / 10


def test_cycles(firewall: Simulation) -> None:
    random = Random(2)
    blacklist = firewall.tile("rpu").registers.ip_blacklist
    table.write(blacklist, boundaries([IPv4Network("10.0.0.0/8")]))
    passing, dropped = 0x0B000001, 0x0A000001
    count = 100
    ends = [frame(random, passing) for _ in range(2)]
    cycles = {}
    for name, source in (("pass", passing), ("drop", dropped)):
        between = [frame(random, source) for _ in range(count)]
        done = firewall.exchange([ends[0], *between, ends[1]], limit_cycles=LIMIT_CYCLES)
        first, *_, last = done.received
        cycles[name] = (last.last_beat_cycle - first.last_beat_cycle) / (count + 1)
    print(cycles)
    assert cycles["pass"] <= 7 and cycles["drop"] <= 7


def test_what_may_hide_a_packet_is_dropped(firewall: Simulation) -> None:
    blacklist = firewall.tile("rpu").registers.ip_blacklist
    table.write(blacklist, boundaries([IPv4Network("10.0.0.0/8")]))
    ip = b"\x45" + bytes(11) + b"\x0a\x01\x02\x03" + bytes(20)
    llc, snap = b"\0\x26\x42\x42\x03", b"\0\x30\xaa\xaa\x03" + bytes(3) + b"\x08\0"
    tags = [b"\x81\0\0\0", b"\x88\xa8\0\1"]
    heads = [b"\x08\0", *(tag + b"\x08\0" for tag in tags), snap, tags[0] + snap]
    heads += [one + other + b"\x08\0" for one in tags for other in (*tags, b"\x91\0\0\0")]
    sent = [(bytes(12) + head + ip).ljust(60, b"\0") for head in heads]
    passing = [(bytes(12) + head + ip).ljust(60, b"\0") for head in (b"\x86\xdd", b"\x08\x06", llc)]
    done = firewall.exchange([*sent, *passing], limit_cycles=LIMIT_CYCLES)
    assert [each.data for each in done.received] == passing


def test_a_list_that_is_too_long(firewall: Simulation) -> None:
    blacklist = firewall.tile("rpu").registers.ip_blacklist
    with pytest.raises(UserError, match="`stages` must be 13"):
        table.write(blacklist, range(4097))
