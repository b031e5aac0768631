# SPDX-License-Identifier: Apache-2.0
"""Ports of two layers of a tile that are joined by wires."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base.errors import DesignError
from bombus.generation.generate import texts
from bombus.generation.manifest import manifest
from tests import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "tcp_kernel"
NAMES = ("tcp_kernel.yaml", "echo_kernel.sv")
CHAIN = ("tcp_stream", "control_tcp", "controller")
LAYERS = "layers: [{tcp_stream: {tcp_port: 7}}, echo_kernel]"


def edited(folder: Path, *edits: tuple[str, str]) -> Path:
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    for old, new in edits:
        found = [file for name in NAMES if old in (file := folder / name).read_text()]
        assert found
        for file in found:
            file.write_text(file.read_text().replace(old, new))
    return folder / NAMES[0]


def test_ports_of_one_name_are_wires_of_the_tile() -> None:
    facts, _ = check.check(EXAMPLE / "tcp_kernel.yaml")
    tile = texts(facts)["tiles/tcp_kernel_tile_echo.sv"]
    assert "logic [511:0] joined_kernel_rx_tdata;" in tile
    assert tile.count(".kernel_rx_tdata_o(joined_kernel_rx_tdata)") == 1
    assert tile.count(".kernel_rx_tdata_i(joined_kernel_rx_tdata)") == 1
    pins = [pin["name"] for pin in manifest(facts)["pins"]]
    own = ("fetch_", "count_")
    assert all(name.startswith(own) for name in pins), "raised by the design, not the tile's"
    assert manifest(facts)["streams"] == []


def test_those_that_the_tile_raises_are_not(tmp_path: Path) -> None:
    raised = (LAYERS, "layers: [{tcp_stream: {tcp_port: 7}}]\n    ports: {kernel: app}")
    facts, _ = check.check(edited(tmp_path, raised))
    assert [each["name"] for each in manifest(facts)["streams"]] == ["app_rx", "app_tx"]


def accelerated(tmp_path: Path, layers: str) -> Path:
    given = (ROOT / "docs" / "examples" / "middlebox" / "firewall.yaml").read_text()
    start, end = given.index("    layers:\n      - rpu:"), given.index("    next: {udp_tx")
    file = tmp_path / "firewall.yaml"
    file.write_text(f"{given[:start]}    layers: [rpu_share, {layers}]\n{given[end:]}")
    return file


def test_two_of_a_kind_are_told_apart(tmp_path: Path) -> None:
    layers = ", ".join(f"{{rpu: {{lane: {n}, frames: true}}}}" for n in (1, 2))
    lists = ", ".join(["{ip_blacklist: {stages: 4}}"] * 2)
    facts, _ = check.check(accelerated(tmp_path, f"{layers}, {lists}"))
    tile = texts(facts)["tiles/firewall_tile_rpu.sv"]
    assert "logic [152:0] joined_accel_packet_1;" in tile
    assert "logic [152:0] joined_accel_packet_2;" in tile


def test_the_nth_of_a_kind_is_joined_to_the_nth_of_another(tmp_path: Path) -> None:
    processors = ", ".join(f"{{rpu: {{lane: {n}, frames: true}}}}" for n in range(1, 5))
    lists = ", ".join(["{ip_blacklist: {stages: 4}}"] * 4)
    facts, _ = check.check(accelerated(tmp_path, f"{processors}, {lists}"))
    tile = texts(facts)["tiles/firewall_tile_rpu.sv"]
    for port, width in (("packet", 153), ("verdict", 42)):
        for n in range(1, 5):
            signal = f"joined_accel_{port}_{n}"
            assert f"logic [{width - 1}:0] {signal};" in tile
            assert tile.count(f".accel_{port}_o({signal})") == 1
            assert tile.count(f".accel_{port}_i({signal})") == 1
    open_ones = accelerated(tmp_path, processors)
    assert "joined_" not in texts(check.check(open_ones)[0])["tiles/firewall_tile_rpu.sv"]
    with pytest.raises(DesignError, match="layer rpu_2: rpu drives accel_packet_o too"):
        check.check(accelerated(tmp_path, f"{processors}, ip_blacklist"))


def test_a_row_has_the_order_of_its_layers(tmp_path: Path) -> None:
    """A layer in it passes on what it takes; it is not joined to itself."""
    example = ROOT / "docs" / "examples" / "pe"
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    file = tmp_path / "memory.yaml"
    facts, _ = check.check(file)
    tile = texts(facts)["tiles/pe_memory_example_tile_sum_0.sv"]
    for signal, count in (("joined_memory_araddr_1", 3), ("joined_memory_araddr_2", 3)):
        assert tile.count(signal) == count
    file.write_text(file.read_text().replace("pe_memory, pe_dma", "pe_dma, pe_memory"))
    message = "layer pe_dma: memory_araddr_o would be joined to its own memory_araddr_i; another"
    with pytest.raises(DesignError, match=message):
        check.check(file)


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        (
            [("DataWidth-1:0] kernel_rx_tdata_i", "DataWidth-2:0] kernel_rx_tdata_i")],
            "kernel_rx_tdata_i has 511 bits, but kernel_rx_tdata_o of tcp_stream, to which it is",
        ),
        ([("echo_kernel]", "echo_kernel, echo_kernel]")], "echo_kernel drives kernel_rx_tready_o"),
        (
            [(", echo_kernel]", "]")],
            "no layer of tile 'echo' has the other end of 'kernel_rx' and 'kernel_tx' of "
            "tcp_stream; add one, or raise them to the top by `ports: {kernel: <name>}`",
        ),
        (
            [("kernel_tx_tlast_o", "kernel_tx_tend_o")],
            "port kernel_tx_tlast_i is none that Bombus connects by itself; raise it to the top by "
            "`ports: {kernel_tx_tlast: <name>}` in the tile of the design file, or give another "
            "layer of the tile the port kernel_tx_tlast_o",
        ),
        (
            [("kernel_rx_tdata_i", "s_axis_tdata")],
            "port s_axis_tdata is none that Bombus connects by itself; name it s_axis_tdata_i to "
            "raise it to the top by `ports` in the design file, or x_i to join it to x_o of",
        ),
    ],
)
def test_what_cannot_be(tmp_path: Path, edits: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(DesignError) as caught:
        check.check(edited(tmp_path, *edits))
    assert any(message in problem.message for problem in caught.value.problems)


def test_broadcast_joins_all_that_share_it(tmp_path: Path) -> None:
    given = (ROOT / "docs" / "examples" / "rpu" / "rpu_echo.yaml").read_text()
    file = tmp_path / "two.yaml"
    more = "{name: other, kind: rpu, udp_port: 9, at: [3, 1]}"
    file.write_text(given.replace("  - {name: udp_tx", f"  - {more}\n  - {{name: udp_tx"))
    facts, _ = check.check(file)
    found = texts(facts)
    top = found["rpu_echo_top.sv"]
    assert "broadcast #(\n      .NumMembers(2),\n      .Width(37)" in top
    for tile, place in (("echo", 0), ("other", 1)):
        assert "output logic [36:0] rpu_share_word_o" in found[f"tiles/rpu_echo_tile_{tile}.sv"]
        part = top.split(f"u_{tile} (")[1].split(");\n")[0]
        assert f".rpu_share_word_o(share_word[{place}])" in part
        assert f".rpu_share_wait_i(share_wait[{place}])" in part
        assert ".rpu_share_got_i(share_got)" in part
    assert manifest(facts)["pins"] == []


def test_optional_ports_may_stay_open() -> None:
    folder = ROOT / "docs" / "examples" / "rpu"
    facts, _ = check.check(folder / "rpu_echo.yaml")
    tile = texts(facts)["tiles/rpu_echo_tile_echo.sv"]
    assert ".accel_verdict_i('0)" in tile
    assert ".accel_packet_o()" in tile
    assert ".share_wait_i('0)" in tile, "a broadcast of one"
    assert manifest(facts)["pins"] == []
    facts, _ = check.check(folder / "rpu_filter.yaml")
    tile = texts(facts)["tiles/rpu_filter_tile_filter.sv"]
    assert tile.count("(joined_accel_verdict)") == 2
    assert ".accel_stopped_o()" in tile, "the accelerator has no such port"


def test_modules_in_a_row_are_joined_to_their_neighbours() -> None:
    """As many outputs as inputs of one name: the n-th to the n-th, also in a module with both."""
    facts, _ = check.check(ROOT / "docs" / "examples" / "control" / "control_tcp.yaml")
    tile = texts(facts)["tiles/control_tcp_tile_control.sv"]
    parts = {name: tile.split(f" u_{name} (")[1].split(");\n")[0] for name in CHAIN}
    for stream, forward in (("kernel_rx", "tdata"), ("kernel_tx", "tready")):
        for number, (near, far) in enumerate(pairwise(CHAIN), 1):
            assert f".{stream}_{forward}_o(joined_{stream}_{forward}_{number})" in parts[near]
            assert f".{stream}_{forward}_i(joined_{stream}_{forward}_{number})" in parts[far]
