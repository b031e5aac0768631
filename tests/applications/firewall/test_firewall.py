# SPDX-License-Identifier: Apache-2.0
"""docs/examples/middlebox/firewall.yaml: what is dropped is what ipaddress says is on the list."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, collapse_addresses
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from bombus.applications.firewall import table
from bombus.applications.firewall.blacklist import boundaries
from bombus.base.errors import UserError
from bombus.cli import app
from bombus.simulator.simulation import Simulation
from tests.applications.processors import examples

pytestmark = pytest.mark.slow

LIMIT_CYCLES = 500_000
PREFIXES = 1050


# The fixed list in the place of the rewritable one.
FIXED = (
    "- ip_blacklist: {stages: 12}\n    next: {udp_tx: drop}",
    "- my_list\n    next: {udp_tx: drop}\nsources: [my_list.sv]",
)


@pytest.fixture
def firewall(tmp_path: Path) -> Iterator[Simulation]:
    with examples.running("firewall", tmp_path) as simulation:
        yield simulation


TAGS = [kind + b"\x01\x23" for kind in (b"\x81\0", b"\x88\xa8", b"\x91\0", b"\x92\0", b"\x93\0")]
# MPLS, PPPoE, PPP, MAC in MAC and others, with what is before the packet.
HEADERS = {
    b"\x88\x47": b"\0\0\x11\x40",
    b"\x88\x48": b"\0\0\x11\x40",
    b"\x88\x64": b"\x11\0\0\1\0\x2e\0\x21",
    b"\x88\x0b": b"\0\x21",
    b"\x88\xe7": bytes(18) + b"\x08\0",
    b"\x65\x58": bytes(12) + b"\x08\0",
    b"\x89\x3f": bytes(6) + b"\x08\0",
}


class Judge:
    """What ipaddress says of an address, asked of the only network that may contain it."""

    def __init__(self, networks: Sequence[IPv4Network]) -> None:
        self._networks = networks
        self._apart = sorted(collapse_addresses(networks))  # none overlaps another
        self._firsts = [each.network_address for each in self._apart]

    def is_blocked(self, source: int) -> bool:
        address = IPv4Address(source)
        place = bisect_right(self._firsts, address) - 1
        return place >= 0 and address in self._apart[place]

    def check(self, sources: Iterable[int]) -> None:
        """The same as asking all networks."""
        for source in sources:
            address = IPv4Address(source)
            assert self.is_blocked(source) == any(address in each for each in self._networks)


def prefixes(random: Random) -> list[IPv4Network]:
    lengths = [random.choice([8, 12, 16, 20, 24, 24, 28, 30, 31, 32]) for _ in range(PREFIXES)]
    return [IPv4Network((random.getrandbits(32), n), strict=False) for n in lengths]


def address(random: Random, networks: Sequence[IPv4Network]) -> int:
    """From the ends of a prefix, beside it, in it, or any."""
    network = random.choice(networks)
    first, last = int(network.network_address), int(network.broadcast_address)
    near = [first, last, (first - 1) % (1 << 32), (last + 1) % (1 << 32)]
    return random.choice([*near, random.randint(first, last), random.getrandbits(32)])


def frame(random: Random, source: int, number: int = 0) -> bytes:
    tag = random.choice([b"", b"", *TAGS])
    kind = b"\x86\xdd" if random.random() < 0.05 else b"\x08\x00"
    packet = b"\x45" + bytes(11) + source.to_bytes(4) + b"\x0a\x01\x00\x01" + number.to_bytes(4)
    return (random.randbytes(12) + tag + kind + packet).ljust(random.randrange(60, 90), b"\0")


def check_frames(
    simulation: Simulation, random: Random, networks: Sequence[IPv4Network], count: int
) -> int:
    """Sends frames of all kinds; returns how many passed."""
    judge = Judge(networks)
    sent, wanted = [], []
    for number in range(count):
        source = address(random, networks)
        data = frame(random, source, number)
        sent.append(data)
        is_ipv4 = b"\x08\x00\x45" in (data[12:15], data[16:19])
        if not (is_ipv4 and judge.is_blocked(source)):
            wanted.append(data)
    done = simulation.exchange(sent, window=16, limit_cycles=LIMIT_CYCLES)
    assert [each.data for each in done.received if each.port == 1] == wanted
    assert len(done.received) == len(wanted)
    return len(wanted)


def test_verdicts(firewall: Simulation) -> None:
    """The list is rewritten once."""
    random = Random(1)
    for _ in range(2):
        networks = prefixes(random)
        table.write(firewall.tile("rpu").registers.ip_blacklist, boundaries(networks))
        assert 300 < check_frames(firewall, random, networks, 1500) < 1200


@pytest.mark.parametrize(("prefixes", "is_exact"), [(1000, True), (2000, False)])
def test_a_list_is_replaced_under_traffic(
    firewall: Simulation, prefixes: int, is_exact: bool
) -> None:
    """An address on both lists never passes; one on neither does, if each has half of the table."""
    random = Random(prefixes)
    listed, other = IPv4Network("10.9.0.0/24"), IPv4Network("10.11.0.0/24")
    lists = [
        [listed, *(IPv4Network((first << 24 | n << 9, 24)) for n in range(prefixes))]
        for first in (1, 20, 8, 8, 40)
    ]
    blacklist = firewall.tile("rpu").registers.ip_blacklist
    firewall.line_rate(20, 0)
    table.write(blacklist, boundaries(lists[0]))
    for each in lists[1:]:
        sent = []
        for number in range(1000):
            source = int((listed, other)[number % 2].network_address) + random.randrange(256)
            packet = b"\x45" + bytes(11) + source.to_bytes(4) + bytes(4) + number.to_bytes(4)
            sent.append((bytes(12) + b"\x08\0" + packet).ljust(60, b"\0"))
            firewall.send(sent[-1])
        start, cycles = firewall.tile_counters("rpu"), firewall.cycle
        table.write(blacklist, boundaries(each))
        print(f"{prefixes:,} prefixes, {firewall.cycle - cycles:,} cycles")
        at_end = firewall.tile_counters("rpu")
        assert at_end["noc_in_messages"] - start["noc_in_messages"] > 200
        assert firewall.in_flight  # frames until after it
        firewall.advance_until_idle()
        passed = [frame.data for frame in firewall.receive_all(1)]
        if is_exact:
            assert passed == sent[1::2]
        else:
            assert set(passed) <= set(sent[1::2])
            assert 100 < len(passed) < len(sent[1::2])


def test_verdicts_of_a_fixed_list(tmp_path: Path) -> None:
    """Of the layer that `bombus firewall compile` writes."""
    random = Random(3)
    networks = prefixes(random)
    (tmp_path / "list.txt").write_text("\n".join(map(str, networks)))
    arguments = ["firewall", "compile", f"{tmp_path}/list.txt", "-o", f"{tmp_path}/my_list.sv"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    with examples.running("firewall", tmp_path, FIXED) as simulation:
        assert 1000 < check_frames(simulation, random, networks, 5000) < 4000


def check_verdicts(
    simulation: Simulation, random: Random, networks: Sequence[IPv4Network], count: int
) -> int:
    """Writes a list and sends this many frames, of which ipaddress judges each. Returns how many
    were blocked.
    """
    table.write(simulation.tile("rpu").registers.ip_blacklist, boundaries(networks))
    judge = Judge(networks)
    judge.check(address(random, networks) for _ in range(200))
    blocked = 0
    for start in range(0, count, 20_000):
        sent, wanted = [], []
        for number in range(start, min(start + 20_000, count)):
            source = address(random, networks)
            header = random.randbytes(12) + b"\x08\x00\x45" + bytes(11) + source.to_bytes(4)
            sent.append((header + number.to_bytes(8)).ljust(60, b"\0"))
            if not judge.is_blocked(source):
                wanted.append(sent[-1])
        done = simulation.exchange(sent, window=16, limit_cycles=LIMIT_CYCLES)
        assert [each.data for each in done.received] == wanted
        blocked += len(sent) - len(wanted)
    return blocked


def check_each_length(simulation: Simulation, random: Random, count: int) -> None:
    """Lists of prefixes of one length, from that of all addresses to single ones."""
    for length in range(33):
        addresses = [random.getrandbits(32) for _ in range(min(50, 1 << max(0, length - 2)))]
        networks = [IPv4Network((each, length), strict=False) for each in addresses]
        blocked = check_verdicts(simulation, random, networks, count)
        assert blocked == count if length == 0 else count / 10 < blocked < 9 * count / 10


def test_each_prefix_length(firewall: Simulation) -> None:
    check_each_length(firewall, Random(4), 60)


@pytest.mark.sweep
def test_a_million_verdicts(tmp_path: Path) -> None:
    """30,000 prefixes of 3 to 32 bits; of 1 and 2 bits, which would cover most of these; of each
    length alone, 0 included.
    """
    random = Random(7)
    large = [IPv4Network((1 << 33 - length, length)) for length in range(3, 16)]
    for _ in range(30_000 - len(large)):
        place = 1 << 31 | random.getrandbits(31)
        large.append(IPv4Network((place, random.randrange(16, 33)), strict=False))
    short = [IPv4Network("128.0.0.0/1"), IPv4Network("0.0.0.0/2"), IPv4Network("100.1.2.3/32")]
    with examples.running("firewall", tmp_path, ("stages: 12", "stages: 16"), False) as simulation:
        check_each_length(simulation, random, 9_000)
        for networks, count in ((large, 653_000), (short, 50_000)):
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
    listed = [b"\x08\0", *(tag + b"\x08\0" for tag in TAGS)]
    heads = [snap, TAGS[0] + snap, b"\0\x30\x06\x06\x03"]
    heads += [one + other + b"\x08\0" for one in TAGS for other in TAGS]
    heads += [tag + kind + rest for kind, rest in HEADERS.items() for tag in (b"", TAGS[0])]
    hiding = [(bytes(12) + head + ip).ljust(60, b"\0") for head in heads]
    hiding.append((bytes(12) + b"\x08\0" + b"\x65" + ip[1:]).ljust(60, b"\0"))
    hiding.append(bytes(12) + b"\x08\0" + ip[:19])  # cut off
    hiding.append(bytes(12) + TAGS[0] + b"\x08\0" + ip[:19])
    sent = [(bytes(12) + head + ip).ljust(60, b"\0") for head in listed]
    passing = [(bytes(12) + head + ip).ljust(60, b"\0") for head in (b"\x86\xdd", b"\x08\x06", llc)]
    done = firewall.exchange([*sent, *hiding, *passing], limit_cycles=LIMIT_CYCLES)
    assert [each.data for each in done.received] == passing
    counters = firewall.tile_counters("rpu")
    for name, frames in (("listed", sent), ("may_hide", hiding), ("other", passing)):
        assert counters[f"event.ip_blacklist.{name}"] == len(frames)


def test_a_list_that_is_too_long(firewall: Simulation) -> None:
    blacklist = firewall.tile("rpu").registers.ip_blacklist
    with pytest.raises(UserError, match="`stages` must be 13"):
        table.write(blacklist, range(4097))
