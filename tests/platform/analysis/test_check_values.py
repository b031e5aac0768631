# SPDX-License-Identifier: Apache-2.0
"""`bombus check` on values: those that layers refuse or doubt, and how large a design may be."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.design import resolve
from bombus.design.rtl import Shared, library
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited, Problems


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("shard_bytes: 512", "shard_bytes: 100", "must be a multiple of the bytes in a beat"),
        ("shard_bytes: 512", "shard_bytes: 2048", "do not fit into one frame"),
        ("data_shards: 8", "data_shards: 0", "must be 1 or more"),
        ("parity_shards: 2", "parity_shards: 2\n    matrix: 3", "matrix must be 0, 1 or 2"),
    ],
)
def test_values_that_a_layer_refuses(
    problems: Problems, tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = (DESIGNS / "rs.yaml").read_text()
    assert text.count(old) == 1
    file = tmp_path / "rs.yaml"
    file.write_text(text.replace(old, new))
    line = 1 + text[: text.index("kind: rs_encode")].count("\n")
    found = problems(check.check, file)
    assert any(said.startswith(f"{line}: ") and message in said for said in found), found


@pytest.mark.parametrize(
    ("design", "old", "new", "message"),
    [
        (
            "udp_echo",
            "{name: icmp, kind: icmp_echo",
            "{name: icmp, kind: icmp_echo, queue_beats: 7",
            "queue_beats must be 0 or a power of two, at least 4",
        ),
        ("tcp_echo", "kind: tcp,", "kind: tcp, mss: 9000,", "mss must be 64 to 8960"),
        (
            "tcp_echo",
            "kind: tcp,",
            "kind: tcp, num_sessions: 8,",
            "num_sessions must be a power of two, 16 to 16384",
        ),
        (
            "tcp_echo",
            "kind: tcp,",
            "kind: tcp, least_timeout_us: 0,",
            "least_timeout_us must be 1 to 1000000",
        ),
        (
            "tcp_echo",
            "kind: tcp_send_buffer,",
            "kind: tcp_send_buffer, ring_bytes: 100,",
            "ring_bytes must be a power of two of at least 4 beats",
        ),
    ],
)
def test_a_refused_value_is_reported_by_its_key(
    problems: Problems, tmp_path: Path, design: str, old: str, new: str, message: str
) -> None:
    """Not by the name that a module inside the layer has for it."""
    text = (DESIGNS / f"{design}.yaml").read_text()
    assert text.count(old) == 1
    file = tmp_path / f"{design}.yaml"
    file.write_text(text.replace(old, new))
    (said,) = problems(check.check, file)
    assert said.endswith(f"rejects its parameters: {message}")


@pytest.mark.parametrize(
    ("data_shards", "parity_shards", "is_weak"),
    [(16, 3, False), (21, 4, False), (5, 5, False), (22, 4, True), (24, 4, True), (6, 5, True)],
)
def test_codes_that_cannot_recover_every_loss_are_doubtful(
    tmp_path: Path, data_shards: int, parity_shards: int, is_weak: bool
) -> None:
    text = (
        (DESIGNS / "rs.yaml").read_text().replace("data_shards: 8", f"data_shards: {data_shards}")
    )
    text = text.replace("parity_shards: 2", f"parity_shards: {parity_shards}\n    matrix: 2")
    file = tmp_path / "rs.yaml"
    file.write_text(text.replace("shard_bytes: 512", "shard_bytes: 64"))
    _, warnings = check.check(file)
    assert ["matrix 2 cannot recover every loss" in str(each) for each in warnings] == (
        [True] if is_weak else []
    )
    assert all(
        "kind: rs_encode" in file.read_text().splitlines()[each.line - 1]
        for each in warnings
        if each.line
    )


def test_a_host_alone_in_its_network_is_doubtful(edited: Edited) -> None:
    file = edited(("prefix: 24, gateway: 10.77.0.1", "prefix: 32"))
    _, warnings = check.check(file)
    (warning,) = warnings
    assert "10.77.0.2/32 has no other host" in warning.message
    assert "host:" in file.read_text().splitlines()[(warning.line or 0) - 1]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        # The index of a tile is one byte of a register's address, empty tiles included.
        (
            "at: [2, 2]",
            "at: [19, 19]",
            "arp",
            "'arp' is at (19, 19): the mesh of 20 x 20 has 400",
        ),
        ("clock_mhz: 250", "fabric: {columns: 86}", "fabric:", "mesh of 86 x 3 has 258 tiles"),
        (
            "at: [2, 2]",
            "at: [2, 85]",
            "name: arp",
            "the mesh of 3 x 86 has 258 tiles, empty ones incl",
        ),
    ],
)
def test_a_mesh_beyond_the_register_map_is_refused(
    edited: Edited, problems: Problems, old: str, new: str, line: str, message: str
) -> None:
    file = edited((old, new))
    (problem,) = problems(check.check, file)
    number, _, words = problem.partition(": ")
    assert message in words
    assert line in file.read_text().splitlines()[int(number) - 1]


def test_the_largest_mesh_is_sound(edited: Edited) -> None:
    facts, _ = check.check(edited(("at: [2, 2]", "at: [2, 84]")))
    assert [tile.index for tile in facts.design.tiles] == list(range(255))


def test_as_many_tiles_as_registers_can_address_find_positions(tmp_path: Path) -> None:
    """A square of 16 x 16 would be one too many."""
    file = tmp_path / "many.yaml"
    echo = "  - {name: echo_%d, kind: udp_echo, replicas: 60, next: {udp_tx: drop}}\n"
    text = (DESIGNS / "udp_echo.yaml").read_text()
    file.write_text(re.sub(r", at: \[\d, \d\]", "", text) + "".join(echo % n for n in range(4)))
    design, _ = resolve.load(file)
    assert (design.columns, design.rows) == (17, 15)
    assert len({tile.index for tile in design.tiles if tile.layers}) == 240 + 9


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "next: {adder: adder.adder.left}, ",
            "",
            "may lead to adder.adder.left and adder.adder.right; choose one with "
            "`next: {adder: adder.adder.left}`",
        ),
        (
            "adder.adder.right",
            "adder.adder.rigth",
            "layer adder has no input 'rigth'; did you mean 'right'?",
        ),
        ("adder.adder.right", "adder.addr.right", "no layer 'addr'; did you mean 'adder'?"),
    ],
)
def test_inputs_of_a_layer_are_told_apart(
    tmp_path: Path, problems: Problems, old: str, new: str, message: str
) -> None:
    folder = shutil.copytree(ROOT / "docs" / "examples" / "join", tmp_path / "join")
    file = folder / "join.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    assert any(message in each for each in problems(check.check, file))


def test_replicas_reject_their_parameters_once(tmp_path: Path, problems: Problems) -> None:
    text = (DESIGNS / "middlebox.yaml").read_text()
    file = tmp_path / "middlebox.yaml"
    file.write_text(text.replace("num_slots: 8", "num_slots: 8, code_bytes: 100"))
    (found,) = problems(check.check, file)
    assert "rpu rejects its parameters: code_bytes must be a power of two" in found


def test_a_layer_that_needs_wide_beats_stops_only_designs_that_have_it(
    tmp_path: Path, problems: Problems
) -> None:
    assert "ip_blacklist" in library(64).refusing
    assert not library(512, shared=Shared(num_mac_ports=2)).refusing
    check.check(DESIGNS / "udp_echo_10g.yaml")
    text = (ROOT / "docs" / "examples" / "middlebox" / "firewall.yaml").read_text()
    file = tmp_path / "firewall.yaml"
    for width in (512, 256):
        file.write_text(text.replace("data_width: 512", f"data_width: {width}"))
        if width == 512:
            check.check(file)
        else:
            found = problems(check.check, file)
            assert any("rejects its parameters: data_width must be 512" in each for each in found)
