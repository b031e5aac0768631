# SPDX-License-Identifier: Apache-2.0
"""Registers: what is read from SystemRDL, the map of a design, and access by name."""

from __future__ import annotations

import subprocess
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError
from bombus.base.paths import DESIGNS
from bombus.design import register_reference
from bombus.design.register_map import RegisterMap
from bombus.generation.generate import generate
from bombus.generation.manifest import manifest
from bombus.registers.access import RegisterError, open_map
from bombus.registers.model import Block, Register
from bombus.registers.rdl import layer_registers
from tests import ROOT
from tests.support.helpers import Words

DESIGN = DESIGNS / "scale_28.yaml"


def read(folder: Path, text: str, **values: int) -> Block:
    file = folder / "store.rdl"
    file.write_text(text)
    return layer_registers(file, "store", values)


TABLE = "reg { regwidth = 64; accesswidth = 32; field { hw = r; } value[40]; }"


def test_tables_are_as_large_as_the_layer_says(tmp_path: Path) -> None:
    text = f"addrmap store #(longint unsigned N) {{ {TABLE} words[N]; }};"
    (words,) = read(tmp_path, text, N=3000).members
    assert isinstance(words, Register)
    assert (words.count, words.stride, words.type.words, words.end) == (3000, 8, 2, 24000)


BAD = {
    "another name": ("addrmap other {{ {} words[2]; }};", "no address map store"),
    "unknown parameter": (
        "addrmap store #(longint unsigned Depth = 4) {{ {} words[Depth]; }};",
        "store has no parameter Depth",
    ),
    "not SystemRDL": ("addrmap store {{ {} words[2] }};", "store.rdl:1: "),
    "reserved name": ("addrmap store {{ {} level; }};", r"write \\level"),
    "both write": ("addrmap store {{ reg {{ field {{}} a; }} b; }};", "b.a is written by hardware"),
    "nobody reads": (
        "addrmap store {{\n reg {{ field {{ sw = rw; hw = na; }} a; }} b; }};",
        "store.rdl:2: .*b.a is written by software, but hardware does not read it",
    ),
    "table of the layer": (
        "addrmap store {{\n reg {{ field {{ sw = r; hw = w; }} a; }} b[4]; }};",
        r"store.rdl:2: .*b\[\]?.*a is of a table that software cannot write",
    ),
    "pulses in a table": (
        "addrmap store {{ reg {{ field {{ hw = r; singlepulse; }} a[0:0] = 0; }} b[4]; }};",
        "has singlepulse, which tables do not have",
    ),
    "a secret that can be read": (
        "addrmap store {{ reg {{ field {{ sw = rw; hw = r; }} a; }} secret; }};",
        "secret.a is of a secret, which software must not read",
    ),
    "written once": (
        "addrmap store {{\n reg {{ field {{ sw = rw1; hw = r; }} a; }} b; }};",
        "store.rdl:2: .*b.a has sw=rw1",
    ),
    "written once, never read": (
        "addrmap store {{\n reg {{ field {{ sw = w1; hw = r; }} a; }} b; }};",
        "store.rdl:2: .*b.a has sw=w1",
    ),
    "nobody writes": (
        "addrmap store {{ reg {{ field {{ sw = r; hw = r; }} a; }} b; }};",
        "b.a is read by hardware, but nothing writes it",
    ),
    "keyword, a register": (
        "addrmap store {{\n reg {{ field {{ hw = r; }} a; }} logic; }};",
        "store.rdl:2: store.logic has the name of a SystemVerilog keyword",
    ),
    "keyword, a field": (
        "addrmap store {{\n reg {{ field {{ hw = r; }} begin; }} b; }};",
        "store.rdl:2: store.b.begin has the name of a SystemVerilog keyword",
    ),
    "a table with the name of a port": (
        "addrmap store {{\n {} regs[4]; {} b; }};",
        r"store.rdl:2: store.regs\[\]? ?.*has the name of the layer's port regs",
    ),
    "an external register with the name of a port": (
        "addrmap store {{ external {} status; }};",
        "store.status has the name of the layer's port status",
    ),
    "one name in SystemVerilog": (
        "addrmap store {{ regfile {{ {} b; }} a;\n {} a_b; }};",
        "store.rdl:2: store.a_b and a.b would have one name",
    ),
    "counts": (
        "addrmap store {{ reg {{ field {{ hw = r; counter; }} a; }} b; }};",
        "b.a has the property counter, which Bombus does not know",
    ),
    "no words": (
        "addrmap store {{ reg {{ regwidth = 64; field {{ hw = r; }} a; }} b; }};",
        "b should have accesswidth = 32",
    ),
    "two dimensions": ("addrmap store {{ {} words[2][3]; }};", "more than one dimension"),
    "table in a regfile": ("addrmap store {{ regfile {{ {} words[2]; }} f; }};", "outside of"),
    "prompt": (
        "addrmap store {{ reg {{ prompt; field {{ hw = r; }} a; }} b; }};",
        "b is prompt, which only external registers can be",
    ),
    "memory": (
        "addrmap store {{ external mem {{ mementries = 4; memwidth = 32; }} m; }};",
        "is of a kind that Bombus does not know",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_bombus_does_not_know_is_an_error(tmp_path: Path, case: str) -> None:
    text, message = BAD[case]
    with pytest.raises(DesignError, match=message):
        read(tmp_path, text.format(*[TABLE] * text.count("{}")))


@pytest.fixture(scope="module")
def register_map() -> RegisterMap:
    return check.check(DESIGN)[0].register_map


def test_no_two_registers_share_an_address(register_map: RegisterMap) -> None:
    taken: dict[int, str] = {}

    def take(block: Block, base: int) -> None:
        for member in block.members:
            for n in range(member.count or 1):
                at = base + member.offset + n * member.stride
                if isinstance(member, Block):
                    take(member, at)
                    continue
                for address in range(at, at + member.type.bytes, 4):
                    assert address not in taken, f"{member.name} and {taken[address]}"
                    taken[address] = member.name

    take(register_map.root, 0)
    assert len(taken) > 800
    assert max(taken) < 1 << register_map.address_bits


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    return manifest(check.check(DESIGN)[0])


def test_registers_have_names(plain: dict[str, Any]) -> None:
    port = Words()
    registers = open_map(plain, port)
    mac = registers.host[0].mac
    mac.address = 0x02B00B050001
    assert port.accesses == [(0, 0x0B050001), (4, 0x02B0)]  # nothing to keep, so nothing is read
    assert mac.address == 0x02B00B050001
    assert mac["address"] == mac.read()["address"] == mac.read_value()
    tile = plain["tiles"][3]
    counters = registers.tiles[tile["name"]].counters
    for n in range(len(tile["counters"])):
        name = tile["counters"][n].replace(".", "_")
        assert counters[name].where() == counters.where() + 8 * n
    hop = registers.tiles[tile["name"]].next_hop
    assert len(list(hop)) == len(hop) > 0
    port.accesses.clear()
    hop[0].write(x=1, y=2, port=3, is_group=0, valid=1)
    assert port.accesses == [(hop[0].where(), 0x80030201)]


def test_a_tile_shows_registers_of_another(plain: dict[str, Any]) -> None:
    tiles = open_map(plain, Words()).tiles
    (holder,) = (name for name in tiles if "eth_tx" in tiles[name] and name != "arp")
    there = tiles[holder].eth_tx.cache
    assert tiles.arp.cache[2047].where() == there[2047].where() == there[0].where() + 2047 * 16
    with pytest.raises(RegisterError, match="entries 0 to 2047"):
        tiles.arp.cache[2048]


REFUSED = {
    "no tile": (lambda r: r.tiles.nowhere, "no register 'nowhere'"),
    "no register": (lambda r: r.hots, "did you mean 'host'"),
    "no field": (lambda r: r.host[0].ip.adress, "did you mean 'address'"),
    "index": (lambda r: r.host[1], r"host has entries 0 to 0, not 1"),
    "negative index": (lambda r: r.host[-1], r"host has entries 0 to 0, not -1"),
    "too large": (lambda r: setattr(r.host[0].mac, "address", 1 << 48), "48 bits"),
    "negative": (lambda r: setattr(r.host[0].ip, "address", -1), "-1 does not fit"),
    "float": (lambda r: setattr(r.host[0].ip, "address", 1.5), "address: 1.5 is not an integer"),
    "whole float": (lambda r: r.host[0].ip.write(address=1.0), "address: 1.0 is not an integer"),
    "not a number": (lambda r: setattr(r.host[0].ip, "address", nan), "nan is not an integer"),
    "infinite": (lambda r: setattr(r.host[0].ip, "address", inf), "inf is not an integer"),
    "text": (lambda r: setattr(r.host[0].ip, "address", "1"), "'1' is not an integer"),
    "float for all": (lambda r: r.host[0].ip.write_value(1.0), "ip: 1.0 is not an integer"),
    "nan for all": (lambda r: r.host[0].ip.write_value(nan), "ip: nan is not an integer"),
    "too large for all": (lambda r: r.host[0].ip.write_value(1 << 32), "32 bits"),
    "negative for all": (lambda r: r.host[0].ip.write_value(-1), "-1 does not fit"),
    "true is 1": (lambda r: r.host[True], r"host has entries 0 to 0, not 1"),
    "float index": (lambda r: r.host[0.0], "host: 0.0 is not an integer"),
    "nan index": (lambda r: r.host[nan], "host: nan is not an integer"),
    "slice": (lambda r: r.host[0:1], "host: slice.* is not an integer"),
    "large index": (
        lambda r: r.host[1 << 70],
        r"host has entries 0 to 0, not 1180591",
    ),
    "a register": (lambda r: setattr(r.host[0], "ip", 1), "set one of its fields"),
    "read only": (
        lambda r: setattr(r.tiles.flow_0.counters.noc_in_bytes, "count", 0),
        "noc_in_bytes.count is read only",
    ),
    "write only": (lambda r: r.tiles.flow_0.next_hop[0].x, r"next_hop\[0\].x is write only"),
    "write only, all": (lambda r: r.tiles.flow_0.next_hop[0].read(), "is write only"),
    "only a part": (lambda r: r.tiles.flow_0.next_hop[0].write(x=1), "cannot be read"),
    "unknown field": (lambda r: r.host[0].ip.write(addres=1), "no field 'addres'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_nothing_is_written_where_something_is_wrong(plain: dict[str, Any], case: str) -> None:
    call, message = REFUSED[case]
    port = Words()
    with pytest.raises(RegisterError, match=message):
        call(open_map(plain, port))
    assert not port.accesses


def test_names_that_need_no_layer_are_told_and_completed(plain: dict[str, Any]) -> None:
    arp = open_map(plain, Words()).tiles.arp
    assert "cache" not in list(arp)
    assert "cache" in dir(arp)
    with pytest.raises(RegisterError, match="did you mean 'cache'"):
        _ = arp.cach


def test_true_and_false_are_written_as_bits(plain: dict[str, Any]) -> None:
    port = Words()
    hop = open_map(plain, port).tiles.flow_0.next_hop
    hop[False].write(x=1, y=2, port=3, is_group=False, valid=True)
    assert port.accesses == [(hop[0].where(), 0x80030201)]
    assert type(port.words[hop[0].where()]) is int


def test_generated_header_compiles_and_agrees(tmp_path: Path) -> None:
    generated = generate(DESIGNS / "udp_echo.yaml", tmp_path / "out")
    registers = open_map(manifest(generated.facts), Words())
    tiles = registers.tiles
    places = {
        "host[0].gateway": registers.host[0].gateway.where(),
        "tiles.echo.counters": tiles.echo.counters.where(),
        "tiles.udp_rx.next_hop[1]": tiles.udp_rx.next_hop[1].where(),
    }
    source = '#include <stddef.h>\n#include "udp_echo_registers.h"\n'
    for place, address in places.items():
        source += f'_Static_assert(offsetof(udp_echo_t, {place}) == {address}, "{place}");\n'
    (tmp_path / "use.c").write_text(source)
    flags = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iout")
    subprocess.run(["gcc", *flags, "use.c"], cwd=tmp_path, check=True)
    # The SystemRDL stands alone.
    from systemrdl.compiler import RDLCompiler

    compiler = RDLCompiler()
    compiler.compile_file(str(generated.folder / "udp_echo.rdl"))
    assert compiler.elaborate("udp_echo").top.size == generated.facts.register_map.root.size
    page = (generated.folder / "registers.md").read_text()
    assert f"`{tiles.echo.counters.noc_in_bytes.where():#x}` | `noc_in_bytes` |" in page
    # Counters have the names of docs/counters.md; what all have in common is said once.
    where = tiles.echo.counters.drop_no_route.where()
    assert f"| `{where:#x}` | `drop.no_route` |" in page
    assert page.count("lag their events") == 1
    assert "lags its events" not in page.partition("## Fields")[0]


def test_the_page_is_current() -> None:
    page = (ROOT / "docs" / "registers.md").read_text()
    assert page == register_reference.page(), "run `make docs`"
