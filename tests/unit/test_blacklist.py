# SPDX-License-Identifier: Apache-2.0
"""Blacklists: prefixes of a file, and boundaries that cover the same addresses as ipaddress."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from random import Random

import pytest

from bombus.base.errors import UserError
from bombus.firewall import blacklist

LAST = (1 << 32) - 1


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
