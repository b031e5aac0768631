"""What is generated: the same each time, whole or not at all, and clean."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from unit_helpers import DESIGNS, ROOT, Edited

from bombus import check, generate, rtl
from bombus.errors import DesignError, UserError

TWO_MACS = """
name: two_macs
data_width: 128
line_rate_gbps: 10
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
tiles:
  - {name: rx0, layers: [mac_rx, eth_rx], next: {arp: arp0}}
  - {name: rx1, layers: [{mac_rx: {mac_port: 1}}, eth_rx], next: {arp: arp1}}
  - {name: stack, layers: [ipv4_rx, udp_rx, udp_echo, udp_tx, icmp_echo, ipv4_tx],
     next: {tcp_rx: drop, eth_tx: tx0}}
  - {name: arp0, kind: arp, next: {eth_tx: tx0}}
  - {name: arp1, kind: arp, next: {eth_tx: tx1}}
  - {name: tx0, layers: [eth_tx, mac_tx], next: {arp: arp0}}
  - {name: tx1, layers: [eth_tx, {mac_tx: {mac_port: 1}}], next: {arp: arp1}}
"""


def contents(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_text() for file in files}


def test_output_is_the_same_each_time(tmp_path: Path) -> None:
    design = DESIGNS / "udp_echo.yaml"
    generate.generate(design, tmp_path / "a")
    generate.generate(design, tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert not [path for path in tmp_path.iterdir() if path.name not in ("a", "b")]


def test_output_can_be_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    generate.generate(DESIGNS / "udp_echo.yaml", folder)
    before = contents(folder)
    (folder / "udp_echo_top.sv").write_text("broken")
    (folder / "left_over.sv").write_text("")
    generate.generate(DESIGNS / "udp_echo.yaml", folder)
    assert contents(folder) == before


def test_failure_leaves_the_old_output(tmp_path: Path, edited: Edited) -> None:
    folder = tmp_path / "out"
    generate.generate(edited(), folder)
    before = contents(folder)
    with pytest.raises(DesignError):
        generate.generate(edited(("kind: udp_tx", "kind: udp_xt")), folder)
    assert contents(folder) == before


def test_foreign_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="did not write"):
        generate.generate(DESIGNS / "udp_echo.yaml", tmp_path)
    assert contents(tmp_path) == {"thesis.txt": "years of work"}


def test_output_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    generated = generate.generate(DESIGNS / "udp_echo.yaml", tmp_path / "out")
    for line in generated.file_list.read_text().splitlines():
        path = Path(line.removeprefix("+incdir+"))
        assert not path.is_absolute()
        assert (generated.folder / path).exists()
    for path, text in contents(generated.folder).items():
        assert str(ROOT) not in text, path
        assert str(tmp_path) not in text, path


def test_manifest_says_what_is_where(tmp_path: Path) -> None:
    generated = generate.generate(DESIGNS / "udp_echo.yaml", tmp_path / "out")
    manifest = json.loads(generated.manifest.read_text())
    assert (manifest["top"], manifest["macs"]) == ("udp_echo_top", 1)
    assert manifest["mesh"] == {"columns": 3, "rows": 3}
    assert manifest["host"]["ip"] == "10.77.0.2"
    assert [tile["index"] for tile in manifest["tiles"]] == list(range(9))
    echo = next(tile for tile in manifest["tiles"] if tile["name"] == "echo")
    assert (echo["x"], echo["y"], echo["index"]) == (2, 1, 5)
    assert echo["layers"] == [{"name": "udp_echo", "kind": "udp_echo", "params": {"udp_port": 7}}]
    assert echo["counters"][:9] == [
        "noc_in_messages",
        "noc_in_bytes",
        "noc_out_messages",
        "noc_out_bytes",
        "mac_in_frames",
        "mac_in_bytes",
        "mac_out_frames",
        "mac_out_bytes",
        "drop.no_route",
    ]
    assert {"from": "echo.udp_echo", "next": "udp_tx", "to": "udp_tx.udp_tx", "in_tile": False} in (
        manifest["hops"]
    )


def test_counters_fit_what_the_tile_counts() -> None:
    network, _ = check.check(DESIGNS / "udp_echo_fused.yaml")
    texts = generate.texts(network)
    for tile in network.tiles:
        text = texts[f"tiles/udp_echo_fused_tile_{tile.name}.sv"]
        (number,) = re.findall(r"\.NumEvents\((\d+)\)", text)
        assert int(number) == len(tile.events())
        slices = re.findall(r"assign events\[(\d+):(\d+)\]", text)
        bits = [0] + [bit for high, low in slices for bit in range(int(low), int(high) + 1)]
        assert bits == list(range(int(number)))


def test_tables_lead_where_the_hops_do() -> None:
    network, _ = check.check(DESIGNS / "udp_echo.yaml")
    text = generate.texts(network)["tiles/udp_echo_tile_ipv4_rx.sv"]
    number = network.library.next_number("udp_rx")
    assert f"{number}: route(2, 0, 0)" in text
    number = network.library.next_number("tcp_rx")
    assert f"{number}: route" not in text


def test_fused_layers_are_wired() -> None:
    network, _ = check.check(DESIGNS / "udp_echo_fused.yaml")
    text = generate.texts(network)["tiles/udp_echo_fused_tile_receive.sv"]
    assert "assign eth_rx_in = mac_rx_out;" in text
    # icmp_echo is led to from ipv4_rx and udp_rx.
    assert "// icmp_echo takes messages from ipv4_rx and udp_rx" in text
    assert ".UdpPort(7)" in text
    assert ".AppPorts({16'd7})" in text


def test_several_macs_and_parameters_elaborate(tmp_path: Path) -> None:
    file = tmp_path / "design.yaml"
    file.write_text(TWO_MACS)
    network, _ = check.check(file)
    assert network.mac_count() == 2
    texts = generate.texts(network)  # elaborates
    assert "mac1_rx_tdata_i" in texts["two_macs_top.sv"]
    assert ".MacPort(1)" in texts["tiles/two_macs_tile_tx1.sv"]


def test_own_layer_is_copied(tmp_path: Path, edited: Edited) -> None:
    source = (ROOT / "rtl" / "app" / "udp_echo.sv").read_text()
    (tmp_path / "mine.sv").write_text(source.replace("module udp_echo", "module my_echo"))
    file = edited(("kind: udp_echo", "kind: my_echo"), ("tiles:", "sources: [mine.sv]\ntiles:"))
    generated = generate.generate(file, tmp_path / "out")
    assert (generated.folder / "sources" / "mine.sv").is_file()
    assert not (generated.folder / "rtl" / "app").exists()


def test_every_layer_is_in_a_shipped_design() -> None:
    networks = [check.check(file)[0] for file in DESIGNS.glob("*.yaml")]
    used = {layer.kind.name for network in networks for layer in network.layers()}
    assert used == set(rtl.library(512).layers)
