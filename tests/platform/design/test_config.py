# SPDX-License-Identifier: Apache-2.0
"""The design file: its forms, and an error with its line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.base.errors import UserError
from bombus.design import config
from bombus.measure import sweep
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited, Problems

ECHO = "{name: echo, kind: udp_echo, udp_port: 7, at: [2, 1]}"
HOST = 'host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}'


def line_of(text: str) -> int:
    lines = (DESIGNS / "udp_echo.yaml").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_addresses_of_the_host() -> None:
    (host,) = config.load(DESIGNS / "udp_echo.yaml").config.ports
    assert (str(host.ip), host.prefix, str(host.gateway)) == ("10.77.0.2", 24, "10.77.0.1")


@pytest.mark.parametrize("file", sorted(DESIGNS.glob("*.yaml")), ids=lambda file: file.stem)
def test_shipped_designs_are_valid(file: Path) -> None:
    assert config.load(file).config.name == file.stem


def test_shorthand_is_a_tile_with_one_layer(edited: Edited) -> None:
    tile = config.load(edited()).config.tiles[3]
    (layer,) = tile.layer_configs()
    assert (tile.name, layer.kind, layer.params) == ("echo", "udp_echo", {"udp_port": 7})


def test_long_form_says_the_same(edited: Edited) -> None:
    long = "{name: echo, layers: [{udp_echo: {udp_port: 7}}], at: [2, 1]}"
    (layer,) = config.load(edited((ECHO, long))).config.tiles[3].layer_configs()
    assert (layer.kind, layer.params) == ("udp_echo", {"udp_port": 7})


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("name: udp_echo\n", "name: Udp-Echo\n", "name: udp_echo", "name: should be snake_case"),
        ("512", "500", "data_width", "data_width: should be 64, 128, 256 or 512, not 500"),
        ("512", "'512'", "data_width", "data_width: should be 64, 128, 256 or 512, not '512'"),
        ("clock_mhz: 250", "clock_mhz: 0", "clock_mhz", "clock_mhz: should be at least 1, not 0"),
        (HOST, "", "", "'host' is missing"),
        ("data_width", "data_with", "data_width", "unknown key; did you mean 'data_width'?"),
        ("host:", "hosts:", "host:", "hosts: unknown key; did you mean 'host'?"),
        (
            "data_width: 512",
            "networks: {data: {data_with: 512}}",
            "data_width",
            "networks.data.data_with: unknown key; did you mean 'data_width'?",
        ),
        ("name: arp", "name: true", "kind: arp", "tiles[7]: name: should be a text, not true"),
        ("02:b0:0b:05:00:01", "02:b0:0b:05:00", "host:", "host.mac: should be a MAC address"),
        ("02:b0:0b:05:00:01", "03:b0:0b:05:00:01", "host:", "is a group address"),
        (
            "10.77.0.2",
            "10.77.0.256",
            "host:",
            "host.ip: should be an IPv4 address, such as 10.77.0.2, not",
        ),
        ("02:b0:0b:05:00:01", "00:00:00:00:00:00", "host:", "host.mac: should be the address of"),
        ("gateway: 10.77.0.1", "gateway: 10.78.0.1", "host:", "outside the network of the host"),
        ("gateway: 10.77.0.1", "gateway: 10.77.0.2", "host:", "is the host's own address"),
        ("gateway: 10.77.0.1", "gateway: 10.77.0.0", "host:", "is the network address of 10.77"),
        ("gateway: 10.77.0.1", "gateway: 10.77.0.255", "host:", "is the broadcast address of 10"),
        ("ip: 10.77.0.2", "ip: 0.0.0.0", "host:", "host.ip: should be the address of one host"),
        ("ip: 10.77.0.2", "ip: 0.1.2.3", "host:", "0.1.2.3 means `this network`"),
        ("ip: 10.77.0.2", "ip: 127.0.0.1", "host:", "127.0.0.1 is a loopback address"),
        ("ip: 10.77.0.2", "ip: 224.0.0.1", "host:", "224.0.0.1 is a multicast address"),
        ("ip: 10.77.0.2", "ip: 250.0.0.1", "host:", "250.0.0.1 is reserved (class E)"),
        ("ip: 10.77.0.2", "ip: 255.255.255.255", "host:", "is the broadcast address"),
        ("ip: 10.77.0.2", "ip: 10.77.0.0", "host:", "is the network address of 10.77.0.0/24"),
        ("ip: 10.77.0.2", "ip: 10.77.0.255", "host:", "is the broadcast address of 10.77.0.0/24"),
        (
            "ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1",
            "ip: 10.77.0.0",
            "host:",
            "host: with prefix 24, the host's address 10.77.0.0 is the network address",
        ),
        ("prefix: 24", "prefix: 33", "host:", "host.prefix: should be at most 32, not 33"),
        ("prefix: 24", "prefx: 24", "host:", "host.prefx: unknown key; did you mean 'prefix'?"),
        ("at: [2, 1]", "at: [2]", "echo,", "at: should be a longer list, such as [2, 1], not [2]"),
        ("at: [2, 1]", "at: [2, -1]", "echo,", "tile 'echo': at[1]: should be at least 0"),
        ("at: [2, 1]", "at: [2, 1.5]", "echo,", "at[1]: should be a whole number, such as 2"),
        ("udp_port: 7", "udp_port: [7]", "echo,", "udp_port: should be a whole number"),
        ("kind: udp_tx, ", "", "udp_tx,", "tile 'udp_tx': needs `layers` or `kind`"),
        ("name: echo", "name: drop", "echo,", "'drop' is reserved"),
        ("name: arp", "name: icmp", "icmp_echo", "tile 'icmp' is a duplicate"),
        ("[mac_rx, eth_rx]", "[mac_rx, 3]", "mac_rx", "layers[1]: should be a layer kind"),
        ("[mac_rx, eth_rx]", "[{a: {}, b: {}}]", "mac_rx", "each layer should be a single kind"),
        ("[mac_rx, eth_rx]", "[]", "mac_rx", "layers: should be a list of at least 1, such as"),
        ("[mac_rx, eth_rx]", "[mac_rx], atx: 1", "mac_rx", "tile 'eth_rx': atx: unknown key"),
        (
            "kind: udp_rx,",
            "kind: udp_rx, next: {icmp: 3},",
            "udp_rx,",
            "next.icmp: should be a text, not 3",
        ),
        (
            "clock_mhz: 250",
            "fabric: crosspoint",
            "clock_mhz",
            "a mapping, such as {kind: crosspoint}, not",
        ),
        (
            "clock_mhz: 250",
            "fabric:",
            "clock_mhz",
            "fabric: has no value; it should be a mapping, such as",
        ),
        (
            "clock_mhz: 250",
            "sources: a.sv",
            "clock_mhz",
            "a list, such as [my_layer.sv], not 'a.sv'",
        ),
        ("name: udp_echo", "name: private", "name: udp_echo", "reserved word of C++: 'private'"),
        ("name: udp_echo", "name: linux", "name: udp_echo", "reserved word of C: 'linux'"),
        ("{name: echo,", "{name: lambda,", "{name: echo,", "reserved word of Python: 'lambda'"),
        ("clock_mhz: 250", "sources: [absent.sv]", "clock_mhz", "there is no file /"),
        ("clock_mhz: 250", "clock_mhz: fast", "clock_mhz", "clock_mhz: should be a number, not 'f"),
        ("clock_mhz: 250", "clock_mhz: .inf", "clock_mhz", "should be at most 10000, not inf"),
        ("clock_mhz: 250", "clock_mhz: .nan", "clock_mhz", "clock_mhz: should be"),
        (
            "at: [2, 1]",
            "at: 3",
            "echo,",
            "tile 'echo': at: should be a list, such as [2, 1], not 3",
        ),
        ("at: [2, 1]", "att: [2, 1]", "echo,", "true or false; is it meant to be 'at'?"),
        ("at: [2, 1]", "at:", "echo,", "`at:` has no value"),
        (
            "at: [2, 1]",
            "next: udp_tx",
            "echo,",
            "next: should be a mapping, such as {icmp: drop}",
        ),
        ("at: [2, 1]", "layers: [a]", "echo,", "has both `kind` and `layers`; give one of them"),
        ("[mac_rx, eth_rx]", "[{mac_rx: 3}]", "mac_rx", "the layer's parameters, such as {udp_po"),
        ("[mac_rx, eth_rx]", "[{mac_rx: {a: [1]}}]", "mac_rx", "number, a text, true or false"),
        (
            "kind: udp_tx, ",
            "depth: 4, ",
            "udp_tx,",
            "tile 'udp_tx': needs `layers` or `kind`",
        ),
        ("kind: udp_tx", "knd: udp_tx", "udp_tx", "`kind`; is 'knd' meant to be 'kind'?"),
        ("at: [2, 1]", "at: [2, 1, 0]", "echo,", "at: should be a shorter list, such as [2, 1]"),
        ("at: [2, 1]", "at: 2, 1", "echo,", "1 is not a key; a list is written in brackets"),
        (
            "at: [2, 1]",
            "replicas: 2, dispatch: flowhash",
            "echo,",
            "should be 'round_robin', 'flow_hash', 'dst_port' or 'least_loaded', not 'flowhash'",
        ),
        ("at: [2, 1]", "slow: maybe", "echo,", "slow: should be true or false, not 'maybe'"),
        (
            "clock_mhz: 250",
            "routes: [{to: 10.80.0.1/16}]",
            "clock_mhz",
            "routes[0].to: should be an IPv4 network, with zeros after its prefix, such as "
            '"10.80.0.0/16", not',
        ),
    ],
)
def test_mistakes_are_reported_with_their_line(
    edited: Edited, problems: Problems, old: str, new: str, place: str, message: str
) -> None:
    found = problems(config.load, edited((old, new)))
    assert len(found) == 1, found
    number, _, words = found[0].partition(": ")
    assert message in words
    assert int(number) == (line_of(place) if place else 1)


@pytest.mark.parametrize("ip", ["10.77.0.2", "10.77.0.3"])
def test_a_network_of_two_has_no_broadcast_address(edited: Edited, ip: str) -> None:
    """RFC 3021."""
    other = {"10.77.0.2": "10.77.0.3", "10.77.0.3": "10.77.0.2"}[ip]
    for gateway in ("", f", gateway: {other}"):
        host = HOST[: HOST.index("ip:")] + f"ip: {ip}, prefix: 31{gateway}}}"
        assert str(config.load(edited((HOST, host))).config.host.ip) == ip


@pytest.mark.parametrize(
    ("fabric", "message"),
    [
        ("virtual_channels: 2", "2 applies to `kind: virtual_channels` only, not to wormhole"),
        ("max_packet_flits: 8", "8 applies to `kind: crosspoint` only, not to wormhole"),
        ("algorithm: o1turn", "o1turn applies to `kind: crosspoint` only"),
        ("lossless: false", "false applies to `kind: crosspoint` only"),
        ("kind: virtual_channels\n  algorithm: adaptive", "only, not to virtual_channels"),
        ("kind: crosspoint\n  virtual_channels: 4", "only, not to crosspoint"),
        ("buffer_depth: 128", "of a wormhole fabric it should be a power of two up to 64, not 128"),
        ("buffer_depth: 24", "of a wormhole fabric it should be a power of two up to 64, not 24"),
        ("kind: virtual_channels\n  buffer_depth: 6", "a power of two up to 512, not 6"),
        ("kind: crosspoint\n  buffer_depth: 1023", "a power of two up to 4096, not 1023"),
        ("columns: 20\n  rows: 20", "a mesh of 20 x 20 tiles is too large"),
    ],
)
def test_keys_that_a_fabric_has_no_use_for_are_refused(
    edited: Edited, problems: Problems, fabric: str, message: str
) -> None:
    file = edited(("512", f"512\nfabric:\n  {fabric}"))
    (found,) = problems(config.load, file)
    key = fabric.splitlines()[-1].strip().partition(":")[0]
    number = file.read_text().splitlines().index(f"  {fabric.splitlines()[-1].strip()}") + 1
    assert found.startswith(f"{number}: fabric.{key}: ")
    assert message in found


@pytest.mark.parametrize(
    ("kind", "most"), [("wormhole", 64), ("virtual_channels", 512), ("crosspoint", 4096)]
)
def test_buffers_are_as_deep_as_powers_of_two(edited: Edited, kind: str, most: int) -> None:
    depth = 4
    while depth <= most:
        file = edited(("512", f"512\nfabric: {{kind: {kind}, buffer_depth: {depth}}}"))
        assert config.load(file).config.fabric.depth == depth
        depth *= 2


def test_design_and_sweep_are_told_apart(problems: Problems) -> None:
    (found,) = problems(config.load, ROOT / "sweeps" / "fabrics.yaml")
    assert "this is a sweep file, for `bombus sweep`" in found
    (found,) = problems(sweep.load, DESIGNS / "udp_echo.yaml")
    assert found.startswith("8: this is a design file; a sweep file lists fabrics and traffic")


def test_all_mistakes_are_reported_at_once(edited: Edited, problems: Problems) -> None:
    file = edited(("512", "500"), ("10.77.0.2", "here"), ("at: [0, 0]", "at: [0, -1]"))
    assert len(problems(config.load, file)) == 3


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("name: a\ntiles: [\n", 3, "invalid YAML: unexpected end of file"),
        ("name: 'a\n\n\nb: c\n", 5, "string starting at line 1"),
        ("name: a\nname: b\n", 2, "'name' is a duplicate key"),
        ("name: a\n  b: c\n", 2, "invalid YAML: unexpected key"),
        ("name: a\n1: c\n", 2, "1: keys must be strings"),
        ("name: a\n[[]]: c\n", 2, "this key is a list or a mapping; put it in quotes"),
        ("name: a\n? {b: c}\n: d\n", 2, "this key is a list or a mapping"),
        ("name: a\nb: &b []\n*b : c\n", 3, "this key is a list or a mapping"),
        ("- a\n", 1, "mapping"),
        ("", 1, "mapping"),
        ("name: a\n\tb: c\n", 2, "tabs cannot indent a line"),
        (f"name: a\ndata_width: 64\n{HOST}\ntiles: []\n", 4, "should be a list of at least 1, su"),
    ],
)
def test_mistakes_of_form_have_a_line(
    tmp_path: Path, problems: Problems, text: str, line: int, message: str
) -> None:
    file = tmp_path / "design.yaml"
    file.write_text(text)
    (found,) = problems(config.load, file)
    assert found.startswith(f"{line}: ")
    assert message in found


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent\.yaml"):
        config.load(tmp_path / "absent.yaml")


def test_schema_knows_every_key() -> None:
    schema = config.DesignConfig.model_json_schema()
    assert set(schema["properties"]) == set(config.DesignConfig.model_fields)
    assert schema["additionalProperties"] is False
