# SPDX-License-Identifier: Apache-2.0
"""What is generated: the same each time, whole or not at all, and clean."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from ruamel.yaml import YAML

from bombus.analysis import check
from bombus.cluster.check import check as cluster_check
from bombus.design import rtl
from bombus.design.next_hops import hop_names, num_hops
from bombus.design.resolve import load
from bombus.fabric.routing import LOCAL, STEPS, Channel, inject, step
from bombus.generation import generate
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited

TWO_MACS = TEST_DESIGNS / "two_stacks.yaml"
TWO_NETWORKS = ROOT / "docs" / "examples" / "lookup" / "two_networks.yaml"


def contents(folder: Path) -> dict[str, str]:
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.read_text() for file in files}


def test_output_is_the_same_each_time(tmp_path: Path) -> None:
    design = DESIGNS / "udp_echo.yaml"
    generate.generate(design, tmp_path / "a")
    generate.generate(design, tmp_path / "b")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    assert not [path for path in tmp_path.iterdir() if path.name not in ("a", "b")]


def test_output_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    generated = generate.generate(DESIGNS / "udp_echo.yaml", tmp_path / "out")
    for line in generated.file_list.read_text().splitlines()[1:]:
        path = Path(line.removeprefix("+incdir+"))
        assert not path.is_absolute()
        assert (generated.folder / path).exists()
    for path, text in contents(generated.folder).items():
        assert str(ROOT) not in text, path
        assert str(tmp_path) not in text, path


def test_manifest_says_what_is_where(tmp_path: Path) -> None:
    generated = generate.generate(DESIGNS / "udp_echo.yaml", tmp_path / "out")
    manifest = json.loads(generated.manifest.read_text())
    assert (manifest["top"], len(manifest["mac_ports"])) == ("udp_echo_top", 1)
    assert manifest["mesh"] == {"columns": 3, "rows": 3}
    assert manifest["mac_ports"][0]["ip"] == "10.77.0.2"
    assert [tile["index"] for tile in manifest["tiles"]] == list(range(9))
    echo = next(tile for tile in manifest["tiles"] if tile["name"] == "echo")
    assert (echo["x"], echo["y"], echo["index"]) == (2, 1, 5)
    assert echo["layers"] == [
        {
            "name": "udp_echo",
            "kind": "udp_echo",
            "params": {"cuts_ready": 0, "udp_port": 7, "first_client_port": 32768},
        }
    ]
    assert echo["counters"][:10] == [
        "noc_in_messages",
        "noc_in_bytes",
        "noc_out_messages",
        "noc_out_bytes",
        "mac_in_frames",
        "mac_in_bytes",
        "mac_out_frames",
        "mac_out_bytes",
        "drop.no_route",
        "drop.unknown_kind",
    ]
    assert {
        "from": "echo.udp_echo",
        "number": 0,
        "next": "udp_tx",
        "to": "udp_tx.udp_tx",
        "group": None,
        "in_tile": False,
        "network": "data",
        "entry": 0,
    } in manifest["hops"]


def test_counters_fit_what_the_tile_counts() -> None:
    facts, _ = check.check(DESIGNS / "udp_echo_fused.yaml")
    texts = generate.texts(facts)
    for tile in facts.design.tiles:
        text = texts[f"tiles/udp_echo_fused_tile_{tile.name}.sv"]
        (number,) = re.findall(r"\.NumEvents\((\d+)\)", text)
        assert int(number) == len(tile.events())
        slices = re.findall(r"assign events\[(\d+)(?::(\d+))?\]", text)
        bits = [bit for high, low in slices for bit in range(int(low or high), int(high) + 1)]
        assert bits == list(range(int(number)))


def test_messages_that_wait_aside_count_as_work() -> None:
    """A register for layers named under `waits` only; the tile is busy with what is in it."""
    facts, _ = check.check(DESIGNS / "udp_echo_fused.yaml")
    text = generate.texts(facts)["tiles/udp_echo_fused_tile_transmit.sv"]
    assert re.findall(r"u_(\w+)_waiting \(", text) == ["eth_tx_in"]
    (busy,) = re.findall(r"assign busy_o = ([^;]*);", text)
    assert "eth_tx_in_merge_valid[1]" in re.split(r"\s*\|\|\s*", busy)


@pytest.mark.parametrize("layer", ["acl", "shaper"])
def test_addresses_change_while_a_layer_waits(layer: str) -> None:
    facts, _ = check.check(ROOT / "docs" / "examples" / "functions" / f"{layer}_fused.yaml")
    texts = generate.texts(facts).values()
    found = [re.findall(r"assign (moving|busy)_o = ([^;]*);", text) for text in texts]
    (signals,) = [dict(each) for each in found if f"{layer}_busy" in str(each)]
    terms = {name: re.split(r" \|\| ", " ".join(text.split())) for name, text in signals.items()}
    assert f"{layer}_busy" in terms["busy"]
    assert f"({layer}_busy && !{layer}_waits)" in terms["moving"]


def test_tables_lead_where_the_hops_do() -> None:
    facts, _ = check.check(DESIGNS / "udp_echo.yaml")
    text = generate.texts(facts)["tiles/udp_echo_tile_ipv4_rx.sv"]
    (tile,) = [tile for tile in facts.design.tiles if tile.name == "ipv4_rx"]
    (source,) = tile.sources
    names = hop_names(source, facts.design)
    assert f"{names.index('udp_rx')}: route(2, 0, 0)" in text
    assert f"{names.index('icmp')}: route(1, 2, 0)" in text
    assert text.count(": route(") == len(names)


@pytest.mark.parametrize("design", ["udp_echo", "scale_28"])
def test_fixed_tables_leave_the_turns_that_messages_take(design: str, tmp_path: Path) -> None:
    file = tmp_path / f"{design}.yaml"
    file.write_text(f"{(DESIGNS / file.name).read_text()}tables: fixed\n")
    generated = generate.generate(file, tmp_path / "out")
    manifest = json.loads(generated.manifest.read_text())
    assert not re.search(r"\bnext_hop\b", json.dumps(manifest["registers"]))
    at = {tile["name"]: (tile["x"], tile["y"]) for tile in manifest["tiles"]}
    used: dict[tuple[int, int], set[tuple[str, str]]] = {place: set() for place in at.values()}
    for hop in manifest["hops"]:
        if hop["in_tile"] or not hop["to"]:
            continue
        (x, y), (to_x, to_y) = (at[hop[end].split(".")[0]] for end in ("from", "to"))
        came = "local"
        while True:  # along x first
            if x != to_x:
                out, step = ("east", (1, 0)) if to_x > x else ("west", (-1, 0))
            elif y != to_y:
                out, step = ("south", (0, 1)) if to_y > y else ("north", (0, -1))
            else:
                out, step = "local", (0, 0)
            used[x, y].add((came, out))
            if out == "local":
                break
            x, y = x + step[0], y + step[1]
            came = {"east": "west", "west": "east", "south": "north", "north": "south"}[out]
    names = ["west", "south", "east", "north", "local"]
    for tile, place in at.items():
        text = (generated.folder / "tiles" / f"{manifest['name']}_tile_{tile}.sv").read_text()
        (turns,) = re.findall(r"\.Turns\(\{(.*)\}\)", text)
        found = {
            (came, out)
            for out, row in zip(names, turns.split(", "), strict=True)
            for came, bit in zip(names, row.removeprefix("5'b"), strict=True)
            if bit == "1"
        }
        assert found == used[place], tile


def test_layers_of_a_tile_are_wired() -> None:
    facts, _ = check.check(DESIGNS / "udp_echo_1g.yaml")
    text = generate.texts(facts)["tiles/udp_echo_1g_tile_receive.sv"]
    assert "assign eth_rx_in = mac_rx_out;" in text
    # icmp_echo is led to from ipv4_rx and udp_rx.
    assert "// icmp_echo_in takes messages from receive.ipv4_rx and receive.udp_rx" in text
    assert ".UdpPort(7)" in text
    assert ".BoundKeys({16'd7})" in text


def test_several_macs_and_parameters_elaborate() -> None:
    facts, _ = check.check(TWO_MACS)
    assert facts.design.mac_count() == 2
    texts = generate.texts(facts)  # elaborates
    assert "mac1_rx_tdata_i" in texts["two_stacks_top.sv"]
    assert ".MacPort(1)" in texts["tiles/two_stacks_tile_transmit_1.sv"]


def test_own_layer_is_copied(tmp_path: Path, edited: Edited) -> None:
    source = (ROOT / "rtl" / "applications" / "echo" / "udp_echo.sv").read_text()
    (tmp_path / "mine.sv").write_text(source.replace("module udp_echo", "module my_echo"))
    file = edited(("kind: udp_echo", "kind: my_echo"), ("tiles:", "sources: [mine.sv]\ntiles:"))
    generated = generate.generate(file, tmp_path / "out")
    assert (generated.folder / "sources" / "mine.sv").is_file()
    assert not (generated.folder / "rtl" / "app").exists()


def test_every_layer_is_in_a_shipped_design() -> None:
    examples = ROOT / "docs" / "examples"
    files = [*DESIGNS.glob("*.yaml")]
    for folder in (
        "tcp_*",
        "*_kernel",
        "control",
        "functions",
        "logs",
        "middlebox",
        "pe",
        "rpu",
        "vr",
    ):
        files += examples.glob(f"{folder}/*.yaml")
    networks = [check.check(file)[0].design for file in files]
    clusters = [cluster_check(file) for file in examples.glob("cluster/udp_*.yaml")]
    networks += [facts.design for each in clusters for facts in each.boards]
    used = {layer.kind.name for design in networks for layer in design.layers()}
    assert used >= set(rtl.library(512).layers)


def own_number(expression: str, chosen: int) -> int:
    """The value of an expression of `src_next` when a layer chooses a next hop."""
    if expression == "'0":
        return 0
    assert re.fullmatch(r"\w+_next|\d+'\(\w+_next\)", expression)
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(DESIGNS.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_next_hop_reads_its_own_entry(file: Path) -> None:
    """Also those of several layers of a tile, which share its table, on each network."""
    facts, _ = check.check(file)
    texts = generate.texts(facts)
    for tile in facts.design.tiles:
        text = texts[f"tiles/{facts.design.config.name}_tile_{tile.name}.sv"]
        for interface in tile.interfaces:
            network = interface.network
            prefix = f"{network.name}_" if network.index else ""
            said = dict(re.findall(rf"assign {prefix}src_next(?:\[(\d+)\])? = (.+);", text))
            name = f" {network.name.capitalize() if network.index else ''}TableInit = "
            # A table of one entry is no array.
            (dimension,) = re.findall(rf"localparam next_hop_t(.*){name}", text)
            size = int(re.sub(r"\D*(\d+):0\D*", r"\1", dimension) or 0) + 1
            table = f"{'0: ' if size == 1 else ''}{text.partition(name)[2]}"
            table = table.partition(";")[0]
            routes = dict(re.findall(r"(\d+): (route\(.+?\)|group\(\d+\))", table))
            assert size == max(1, sum(num_hops(each, facts.design) for each in interface.sources))
            instance = text.partition(f") u_{prefix}network_interface (")[0]
            bases = re.findall(r"\.FirstHop\(\{(.+?)\}\)", instance)[-1].split(", ")[::-1]
            used = set()
            index = "[]" if len(interface.sources) > 1 else ""
            for port, source in enumerate(interface.sources):
                for hop in facts.topology.hops_from(source):
                    if hop.target is None or hop.in_tile:
                        continue
                    base = int(bases[port].removeprefix("16'd"))
                    number = base + own_number(said[index and str(port)], hop.number)
                    target = hop.target
                    route = f"route({target.tile.x}, {target.tile.y}, {target.entry_port})"
                    assert hop.group or routes[str(number)] == route
                    used.add((number, port, hop.number))
            assert len({number for number, _, _ in used}) == len(used)


@pytest.mark.parametrize("name", ["udp_echo", "udp_echo_memory"])
def test_every_text_names_its_licence(name: str) -> None:
    """But JSON, which has no comments, and pages."""
    facts, _ = check.check(DESIGNS / f"{name}.yaml")
    texts = generate.texts(facts)
    suffixes = {PurePosixPath(path).suffix for path in texts}
    assert {".sv", ".svh", ".f", ".rdl", ".h", ".core", ".json", ".md"} <= suffixes
    for path, text in texts.items():
        if not path.endswith((".json", ".md")):
            beginning = text.splitlines()[:2]
            assert any("SPDX-License-Identifier: Apache-2.0" in line for line in beginning), path
            assert text.count("SPDX-License-Identifier") == 1, path


def test_the_core_description_has_the_files_of_the_file_list() -> None:
    facts, _ = check.check(DESIGNS / "udp_echo.yaml")
    texts = generate.texts(facts)
    core = YAML(typ="safe").load(texts["udp_echo.core"])
    files = core["filesets"]["rtl"]["files"]
    sources = [each for each in files if isinstance(each, str)]
    assert sources == [line for line in texts["udp_echo.f"].splitlines() if line.endswith(".sv")]
    headers = {name for each in files if isinstance(each, dict) for name in each}
    assert headers == {path for path in texts if path.endswith(".svh")}
    assert core["targets"]["default"]["toplevel"] == "udp_echo_top"


@pytest.mark.parametrize("design", [TWO_MACS, TWO_NETWORKS], ids=lambda design: design.stem)
def test_every_link_and_mac_port_has_a_checker(tmp_path: Path, design: Path) -> None:
    resolved, _ = load(design)
    expected: Counter[str] = Counter()
    for network in resolved.networks:
        tiles = [tile.at for tile in resolved.tiles if network.area.holds(tile.at)]
        for at in tiles:
            expected[str(inject(at, network.label))] += 1
            ways = [way for way in STEPS if network.area.holds(step(at, way))]
            for way in (LOCAL, *ways):
                expected[str(Channel(at, "", way, network=network.label))] += 1
    for number, port in enumerate(resolved.config.ports):
        for way in ("receive", "transmit"):
            expected[f"MAC port {number}, {way}"] += 1 if port.clock_mhz is None else 2
    texts = contents(generate.generate(design, tmp_path / "out").folder).values()
    found = Counter(name for text in texts for name in re.findall(r'name_i\("(.+): "\)', text))
    assert found == expected
