# SPDX-License-Identifier: Apache-2.0
"""Blacklists: prefixes of a file, and boundaries that cover the same addresses as ipaddress."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from bombus.analysis import check
from bombus.applications.firewall import blacklist, blocks, table
from bombus.applications.firewall.blacklist import is_covered
from bombus.base.errors import UserError
from bombus.base.paths import EXAMPLES
from bombus.cli import app

LAST = (1 << 32) - 1


class Searches:
    """The registers of ip_blacklist and range_search behind them: an access takes a cycle. In each
    cycle a search begins for every key, and those under way make a step.
    """

    def __init__(self, stages: int, keys: Sequence[int]) -> None:
        self.stages, self.keys = stages, keys
        self.memory = [0] * (2**stages - 1)
        self.state = {"count": 0, "upper": 0}
        self.under_way: deque[tuple[int, list[int]]] = deque()  # count, found by key
        self.answers: list[list[bool]] = []  # by the cycle in which the search began
        self.cycles = 0
        self.list, self.boundary = _List(self), _Boundaries(self)

    def cycle(self) -> None:
        self.cycles += 1
        half = 2 ** (self.stages - 1)
        upper = half if self.state["upper"] else 0
        self.under_way.appendleft((self.state["count"] | upper, [upper] * len(self.keys)))
        for stage, (count, found) in enumerate(self.under_way):
            bit = 2 ** (self.stages - 1 - stage)
            for n, key in enumerate(self.keys):
                place = found[n] | bit - 1
                if place < count and key >= self.memory[place]:
                    found[n] |= bit
        if len(self.under_way) == self.stages:
            self.answers.append([each % 2 == 1 for each in self.under_way.pop()[1]])


@dataclass
class _List:
    searches: Searches

    def read(self) -> dict[str, int]:
        self.searches.cycle()
        return dict(self.searches.state)

    def write(self, count: int, upper: int) -> None:
        self.searches.cycle()
        self.searches.state = {"count": count, "upper": upper}


class _Boundaries:
    def __init__(self, searches: Searches) -> None:
        self.searches = searches

    def __len__(self) -> int:
        return len(self.searches.memory)

    def __getitem__(self, number: int) -> _Boundary:
        return _Boundary(self.searches, number)


class _Boundary:
    def __init__(self, searches: Searches, number: int) -> None:
        self.__dict__.update(searches=searches, number=number)

    def __setattr__(self, name: str, address: int) -> None:
        assert name == "address"
        self.__dict__["searches"].cycle()
        self.__dict__["searches"].memory[self.__dict__["number"]] = address


@pytest.mark.parametrize("steps", [2, 3, 4, 5])
def test_answers_while_a_list_is_replaced(steps: int) -> None:
    """Those of the old or of the new list, if each has half of the table; otherwise an address that
    is on both is never let through.
    """
    random = Random(steps)
    keys = [*random.sample(range(1, 64), 12), 0, LAST - 1, LAST]
    searches, old = Searches(steps, keys), list[int]()
    room, replaced, wanted = 2**steps, 0, list[tuple[bool, list[tuple[bool, bool]]]]()
    for _ in range(40):
        size = random.choice([random.randrange(room), random.randrange(room // 2)])
        new = sorted(random.sample([*range(64), LAST], size))
        begun = searches.cycles
        table.write(searches, new)
        for _ in range(random.choice([0, 0, 1])):
            searches.cycle()
        is_exact = not old or max(len(old), len(new)) < room // 2
        both = [(is_covered(old, key), is_covered(new, key)) for key in keys]
        wanted += [(is_exact, both)] * (searches.cycles - begun)
        replaced += bool(old) and is_exact
        old = new
    for answers, (is_exact, both) in zip(searches.answers, wanted, strict=False):
        for answer, (before, after) in zip(answers, both, strict=True):
            assert answer in (before, after) or (answer and not is_exact)
    for _ in range(steps + 1):
        searches.cycle()
    assert searches.answers[-1] == [is_covered(old, key) for key in keys]
    assert replaced > 5


def test_file(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("# drop\n10.0.0.0/8\n\n192.0.2.1  # one\n10.1.0.0/16\n")
    found = blacklist.read(file)
    assert list(map(str, found)) == ["10.0.0.0/8", "192.0.2.1/32", "10.1.0.0/16"]
    table = blacklist.boundaries(found)
    assert [str(IPv4Address(each)) for each in table] == [
        *("10.0.0.0", "11.0.0.0", "192.0.2.1", "192.0.2.2")
    ]


def test_every_bad_line_is_named(tmp_path: Path) -> None:
    file = tmp_path / "list.txt"
    file.write_text("10.0.0.1/8\n10.0.0.0/8\nfoo\n1.2.3.4/33\n")
    with pytest.raises(UserError) as error:
        blacklist.read(file)
    lines = str(error.value).splitlines()
    assert [line.removeprefix(str(file)).split(":")[1] for line in lines] == ["1", "3", "4"]
    with pytest.raises(UserError, match="nothing"):
        blacklist.read(tmp_path / "nothing.txt")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("2001:db8::/32", "2001:db8::/32 is an IPv6 prefix; the firewall judges IPv4 only"),
        ("::ffff:10.0.0.1", "is an IPv6 prefix"),
        ("2001:db8:::/32", "'2001:db8:::/32' is not an IPv6 prefix: At most one '::' permitted"),
        ("1.2.3.400", "'1.2.3.400' is not an IPv4 prefix: Octet 400 (> 255) not permitted"),
        ("1.2.3", "'1.2.3' is not an IPv4 prefix: Expected 4 octets"),
        ("1.2.3.4/33", "'1.2.3.4/33' is not an IPv4 prefix"),
        ("10.0.0.1/8", "'10.0.0.1/8' is not an IPv4 prefix: 10.0.0.1/8 has host bits set"),
        ("x" * 10_000, "is not an IPv4 prefix"),
    ],
)
def test_a_bad_line_is_explained(tmp_path: Path, line: str, reason: str) -> None:
    file = tmp_path / "list.txt"
    file.write_text(f"\ufeff10.0.0.0/8\n{line}  # IPv6?\n")
    with pytest.raises(UserError) as error:
        blacklist.read(file)
    assert str(error.value).startswith(f"{file}:2: ") and reason in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("seed", range(20))
def test_the_same_addresses_as_ipaddress(seed: int) -> None:
    random = Random(seed)
    count = random.choice([0, 1, 5, 300])
    networks = [
        IPv4Network((random.getrandbits(32), random.randrange(33)), strict=False)
        for _ in range(count)
    ]
    table = blacklist.boundaries(networks)
    assert table == sorted(set(table)) and len(table) <= 2 * count
    assert len(table) < 1 << blacklist.stages(table)
    keys = {0, LAST, *(random.getrandbits(32) for _ in range(50))}
    for network in networks:
        first, last = int(network.network_address), int(network.broadcast_address)
        keys |= {max(0, first - 1), first, last, min(LAST, last + 1)}
    masks = {(int(each.netmask), int(each.network_address)) for each in networks}
    for key in keys:
        wanted = any(key & mask == address for mask, address in masks)
        assert blacklist.is_covered(table, key) == wanted


def test_neighbours_become_one_range() -> None:
    halves = [IPv4Network("10.0.0.0/25"), IPv4Network("10.0.0.128/25"), IPv4Network("10.0.1.0/24")]
    assert len(blacklist.boundaries(halves)) == 2


def test_a_list_as_constants_is_a_layer(tmp_path: Path) -> None:
    """Of 1,050 prefixes, in the place of ip_blacklist."""
    random = Random(1)
    networks = [
        IPv4Network((random.getrandbits(32), random.randrange(8, 33)), strict=False)
        for _ in range(1050)
    ]
    found = blacklist.boundaries(networks)
    (tmp_path / "my_list.sv").write_text(table.layer("my_list", "list.txt", found))
    example = EXAMPLES / "middlebox" / "firewall.yaml"
    text = example.read_text().replace("ip_blacklist: {stages: 12}", "my_list: {}")
    design = tmp_path / "fixed.yaml"
    design.write_text(text.replace("data_width:", "sources: [my_list.sv]\ndata_width:"))
    checked, warnings = check.check(design)
    assert not warnings
    assert "my_list" in {layer.kind.name for tile in checked.design.tiles for layer in tile.layers}


def searched(arrangement: blocks.Arrangement, words: list[int], key: int) -> int:
    """How many boundaries are not above a key, as block_search finds it."""
    index = arrangement.index()
    before, after = divmod(key, 1 << (32 - arrangement.prefix_bits))
    line = after >> (32 - arrangement.prefix_bits - arrangement.index_bits)
    if before != arrangement.prefix:
        line = 0 if before < arrangement.prefix else len(index) - 1
    place = index[line]
    rank = found = 0
    for level in range(arrangement.levels):
        first = len(arrangement.firsts) * ((1 << level) - 1)
        part, last = divmod(words[first + place], 1 << 32)
        rank = rank << (arrangement.word_bits - 32) | part
        is_reached = key > last
        place, found = place << 1 | is_reached, found << 1 | is_reached
    return rank + found


@pytest.mark.parametrize(
    ("count", "within"), [(1, 0), (5, 0), (60, 0), (200, 0), (1050, 0), (300, 8), (300, 16)]
)
def test_blocks(count: int, within: int) -> None:
    """Of addresses everywhere, or of one network: the place that the sorted list gives."""
    random = Random(count)
    addresses = [0x0A0B0000 | random.getrandbits(32 - within) for _ in range(count)]
    networks = [IPv4Network((each, random.randrange(17, 33)), strict=False) for each in addresses]
    ends = [IPv4Network("0.0.0.0/32"), IPv4Network("255.255.255.255/32")]
    for each in (networks, networks + ends):
        found = blacklist.boundaries(each)
        arrangement = blocks.arrange(found)
        assert arrangement.levels <= blacklist.stages(found)
        words = arrangement.words(found)
        assert len(words) == len(arrangement.firsts) * ((1 << arrangement.levels) - 1)
        near = {key % (LAST + 1) for edge in found for key in (edge - 1, edge, edge + 1)}
        for key in {0, LAST, *random.sample(sorted(near), min(300, len(near)))}:
            assert searched(arrangement, words, key) == bisect_right(found, key)


@pytest.mark.parametrize("within", [0, 8, 12])
def test_blocks_of_one_network(within: int) -> None:
    """What all addresses have in common costs no steps of the search."""
    random = Random(1)
    networks = [
        IPv4Network(random.getrandbits(32 - within) | 0x0A0B0C0D >> 32 - within << 32 - within)
        for _ in range(700)
    ]
    arrangement = blocks.arrange(blacklist.boundaries(networks))
    assert arrangement.prefix_bits == within
    assert arrangement.levels == 5
    assert arrangement.luts() < 170


def test_blocks_take_no_more_block_ram_than_a_table() -> None:
    """2.5 for a list that becomes 1,024 to 2,047 boundaries."""
    random = Random(1)
    networks = [IPv4Network((random.getrandbits(32), 32)) for _ in range(700)]
    arrangement = blocks.arrange(blacklist.boundaries(networks))
    assert arrangement.half_block_rams() <= 5
    assert arrangement.luts() < 150


def test_an_empty_list_is_refused() -> None:
    with pytest.raises(UserError, match="the file has no prefixes"):
        table.layer("my_list", "list.txt", [])


@pytest.mark.parametrize("name", ["1bad-name", "module", "a b", "logic", "", "naïve"])
def test_names_that_systemverilog_does_not_take(tmp_path: Path, name: str) -> None:
    (tmp_path / "list.txt").write_text("10.0.0.0/8\n")
    output = tmp_path / f"{name}.sv"
    arguments = ["firewall", "compile", f"{tmp_path}/list.txt", "-o", str(output)]
    error = CliRunner().invoke(app, arguments).exception
    assert isinstance(error, UserError) and "must be an identifier" in str(error)
    assert not output.exists()


def test_command(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("10.0.0.0/8\n11.0.0.0/8\n192.0.2.0/24\n")
    result = CliRunner().invoke(
        app, ["firewall", "compile", f"{tmp_path}/list.txt", "-o", f"{tmp_path}/my_list.sv"]
    )
    assert result.exit_code == 0
    assert "3 prefixes, 2 ranges, 2 steps of a search" in result.output
    assert "module my_list" in (tmp_path / "my_list.sv").read_text()
