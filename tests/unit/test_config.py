"""The design file: its forms, and an error with its line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from unit_helpers import DESIGNS, Edited, Problems

from bombus import config
from bombus.errors import UserError

ECHO = "{name: echo, kind: udp_echo, udp_port: 7, at: [2, 1]}"
HOST = 'host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}'


def line_of(text: str) -> int:
    lines = (DESIGNS / "udp_echo.yaml").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("file", sorted(DESIGNS.glob("*.yaml")), ids=lambda file: file.stem)
def test_shipped_designs_are_valid(file: Path) -> None:
    assert config.load(file).design.name == file.stem


def test_shorthand_is_a_tile_with_one_layer(edited: Edited) -> None:
    tile = config.load(edited()).design.tiles[3]
    (layer,) = tile.layer_configs()
    assert (tile.name, layer.kind, layer.params) == ("echo", "udp_echo", {"udp_port": 7})


def test_long_form_says_the_same(edited: Edited) -> None:
    long = "{name: echo, layers: [{udp_echo: {udp_port: 7}}], at: [2, 1]}"
    (layer,) = config.load(edited((ECHO, long))).design.tiles[3].layer_configs()
    assert (layer.kind, layer.params) == ("udp_echo", {"udp_port": 7})


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("name: udp_echo\n", "name: Udp-Echo\n", "name: udp_echo", "name: should be snake_case"),
        ("512", "500", "data_width", "data_width: should be 64, 128, 256 or 512, not 500"),
        ("512", "'512'", "data_width", "data_width: should be 64, 128, 256 or 512, not '512'"),
        ("clock_mhz: 250", "clock_mhz: 0", "clock_mhz", "clock_mhz: should be greater than 0"),
        (HOST, "", "", "'host' is missing"),
        ("02:b0:0b:05:00:01", "02:b0:0b:05:00", "host:", "host.mac: should be a MAC address"),
        ("02:b0:0b:05:00:01", "03:b0:0b:05:00:01", "host:", "is a group address"),
        ("10.77.0.2", "10.77.0.256", "host:", "host.ip: is not a valid IPv4 address"),
        ("gateway: 10.77.0.1", "gateway: 10.78.0.1", "host:", "outside the host's own network"),
        ("prefix: 24", "prefix: 33", "host:", "host.prefix: should be less than or equal to 32"),
        ("prefix: 24", "prefx: 24", "host:", "host.prefx: unknown key; did you mean 'prefix'?"),
        ("at: [2, 1]", "at: [2]", "echo,", "tile 'echo': at: should be two numbers, `[x, y]`"),
        ("at: [2, 1]", "at: [2, -1]", "echo,", "tile 'echo': at[1]: should be greater than"),
        ("at: [2, 1]", "at: [2, 1.5]", "echo,", "tile 'echo': at[1]: should be a valid integer"),
        ("udp_port: 7", "udp_port: [7]", "echo,", "tile 'echo': udp_port: should be a number"),
        ("kind: udp_tx, ", "", "udp_tx,", "tile 'udp_tx': has neither `layers` nor `kind`"),
        ("name: echo", "name: drop", "echo,", "'drop' is reserved"),
        ("name: arp", "name: icmp", "icmp_echo", "tile 'icmp' is there already"),
        ("[mac_rx, eth_rx]", "[mac_rx, 3]", "mac_rx", "layers[1]: should be a kind of layer"),
        ("[mac_rx, eth_rx]", "[{a: {}, b: {}}]", "mac_rx", "each layer should be one kind"),
        ("[mac_rx, eth_rx]", "[]", "mac_rx", "at least 1 item"),
        ("[mac_rx, eth_rx]", "[mac_rx], atx: 1", "mac_rx", "tile 'eth_rx': atx: unknown key"),
        ("tcp_rx: drop", "tcp_rx: 3", "ipv4_rx,", "next.tcp_rx: should be a valid string, not 3"),
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


def test_all_mistakes_are_reported_at_once(edited: Edited, problems: Problems) -> None:
    file = edited(("512", "500"), ("10.77.0.2", "here"), ("at: [0, 0]", "at: [0, -1]"))
    assert len(problems(config.load, file)) == 3


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("name: a\ntiles: [\n", 3, "flow"),
        ("name: a\nname: b\n", 2, "duplicate key"),
        ("- a\n", 1, "mapping"),
        ("", 1, "mapping"),
        ("name: a\n\tb: c\n", 2, "\\t"),
    ],
)
def test_yaml_errors_have_a_line(
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
    schema = config.Design.model_json_schema()
    assert set(schema["properties"]) == set(config.Design.model_fields)
    assert schema["additionalProperties"] is False
