# SPDX-License-Identifier: Apache-2.0
"""Designs with several networks: what the design file may say, and what follows from it."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bombus.analysis import check, deadlock
from bombus.analysis.placement import placer
from bombus.base.errors import DesignError
from bombus.cli import app
from bombus.design import resolve
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from bombus.generation import generate, watchpoints
from bombus.generation.manifest import manifest
from bombus.pictures import mesh as pictures
from tests import ROOT
from tests.platform.analysis.test_waiting_model import ASKS, DROPS, ENDS, asker, module, store

LOOKUP = ROOT / "docs" / "examples" / "lookup"
SOURCES = f"[{LOOKUP}/udp_lookup.sv, {LOOKUP}/store.sv]"
HEAD = """name: networks
networks:
  data: {data_width: 128, fabric: {columns: 3, rows: 2}}
  control: {data_width: 64}
line_rate_gbps: 10
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
"""
TILES = """  - {name: source, kind: source, at: [0, 0]}
  - {name: sink, kind: sink, at: [2, 1]}
  - {name: asker, kind: asker, at: [1, 0], networks: {query: control, answer: control}}
  - {name: store, kind: store, at: [2, 0], networks: {in: control, out: control}}
"""
TYPES = ", parameter type query_beat_t = beat_t, parameter type answer_beat_t = beat_t"


def typed(declarations: str) -> str:
    """The asker with types of its own for the streams from and to the store."""
    text = asker(declarations, TYPES)
    return text.replace("beat_t query_o", "query_beat_t query_o").replace(
        "beat_t answer_i", "answer_beat_t answer_i"
    )


def written(folder: Path, tiles: str = TILES, *layers: str, head: str = HEAD) -> Path:
    (folder / "layers.sv").write_text("".join(layers or (ENDS, typed(ASKS), store())))
    file = folder / "design.yaml"
    file.write_text(head + "sources: [layers.sv]\ntiles:\n" + tiles)
    return file


def resolved(folder: Path, tiles: str = TILES, *layers: str, head: str = HEAD) -> Design:
    design, problems = resolve.load(written(folder, tiles, *layers, head=head))
    assert not [problem for problem in problems if problem.is_error]
    return design


def edited(folder: Path, *changes: tuple[str, str]) -> Path:
    """The shipped design with two networks, changed."""
    text = (LOOKUP / "two_networks.yaml").read_text()
    text = text.replace("[udp_lookup.sv, store.sv]", SOURCES)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    file = folder / "edited.yaml"
    file.write_text(text)
    return file


# ---- The design file ----


@pytest.mark.parametrize(
    ("old", "new", "marked", "reason"),
    [
        ("networks:\n  data:", "data_width: 64\nnetworks:\n  data:", "networks:", "`data_width`"),
        ("{data_width: 64}", "{data_width: 60}", "control", "should be 64, 128, 256 or 512"),
        ("{data_width: 64}", "{fabric: {}}", "control", "data_width"),
        ("{data_width: 64}", "{data_width: 64, fabric: {rows: 2}}", "networks:", "the first one"),
        ("query: control", "query: contrl", "networks:", "no network 'contrl'; did you mean"),
        ("query: control", "qury: control", "networks:", "has a stream 'qury'; did you mean"),
        ("query: control, ", "", "lookup$", "next hop 'store' of lookup uses network 'data'"),
        (", out: control}", "}", "networks:", "128 and 64 bits|64 and 128 bits"),
        ("{in: control, out: control}", "{}", "kind: udp_lookup", "uses 'data'"),
        ("control", "store", "store: {", "has the name of layer store"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_by_line(
    tmp_path: Path, old: str, new: str, marked: str, reason: str
) -> None:
    file = edited(tmp_path, (old, new))
    with pytest.raises(DesignError) as caught:
        check.check(file)
    found = [each for each in caught.value.problems if re.search(reason, each.message)]
    assert found, caught.value.problems
    assert re.search(marked, file.read_text().splitlines()[(found[0].line or 1) - 1])


def test_streams_of_an_unknown_layer_are_not_missed(tmp_path: Path) -> None:
    file = edited(tmp_path, ("kind: store", "kind: stor"))
    with pytest.raises(DesignError) as caught:
        check.check(file)
    (problem,) = caught.value.problems
    assert "there is no layer kind 'stor'; did you mean 'store'" in problem.message


def test_a_network_without_messages_is_doubtful_and_costs_nothing(tmp_path: Path) -> None:
    file = edited(tmp_path, ("  control: {", "  idle: {data_width: 64}\n  control: {"))
    facts, (doubt,) = check.check(file)
    assert not doubt.is_error
    assert "no message travels over network 'idle'" in doubt.message
    assert "idle:" in file.read_text().splitlines()[(doubt.line or 1) - 1]
    assert not [each for each in facts.design.interfaces() if each.network.name == "idle"]
    sources = generate.texts(facts)
    assert not any("idle" in text for name, text in sources.items() if "/tiles/" in f"/{name}")
    result = CliRunner().invoke(app, ["check", str(file)])
    assert "on meshes of 3 x 2 (data) and 2 x 1 (control)" in result.output


def test_neither_width_nor_networks(tmp_path: Path) -> None:
    text = (LOOKUP / "lookup.yaml").read_text().replace("data_width: 64\n", "")
    (tmp_path / "none.yaml").write_text(text)
    with pytest.raises(DesignError, match="`data_width` is missing; give it, or several"):
        check.check(tmp_path / "none.yaml")


def test_streams_of_one_type_have_one_width(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match=r"needs `parameter type (query|answer)_beat_t`"):
        check.check(written(tmp_path, TILES, ENDS, asker(ASKS), store()))
    # Networks of one width are no reason for types.
    resolved(tmp_path, TILES, ENDS, asker(ASKS), store(), head=HEAD.replace("64", "128"))


def test_wires_join_streams_of_one_width(tmp_path: Path) -> None:
    tiles = TILES[: TILES.index("  - {name: asker")]
    tiles += "  - {name: asker, layers: [asker, store], at: [1, 0], networks: {query: control}}\n"
    tiles += "  - {name: other, kind: store, at: [2, 0], networks: {in: control}}\n"
    with pytest.raises(DesignError, match="joined to it by wires, has 128"):
        check.check(written(tmp_path, tiles))


def test_a_stream_of_two_layers_is_named_with_its_layer(tmp_path: Path) -> None:
    tiles = TILES.replace("kind: store", "layers: [store, sink]").replace("name: sink", "name: end")
    tiles = tiles.replace("kind: asker,", "kind: asker, next: {sink: end},")
    with pytest.raises(DesignError, match=r"name `store\.in` and `sink\.in`"):
        check.check(written(tmp_path, tiles))
    design, _ = resolve.load(written(tmp_path, tiles.replace("{in: c", "{store.in: c")))
    (tile,) = (each for each in design.tiles if each.name == "store")
    store_layer, sink = tile.layers
    assert store_layer.inputs[0].network.name == "control"
    assert sink.inputs[0].network.name == "data"


def test_links_have_a_name_each(tmp_path: Path) -> None:
    text = (
        (LOOKUP / "two_networks.yaml").read_text().replace("name: transmit", "name: control_lookup")
    )
    file = tmp_path / "design.yaml"
    file.write_text(text.replace("[udp_lookup.sv, store.sv]", SOURCES))
    complaint = (
        "links from control_lookup to store on network data and from lookup to store on network "
        "control would both be called control_lookup_to_store; rename one of the tiles"
    )
    with pytest.raises(DesignError, match=complaint):
        check.check(file)


def test_mac_ports_have_the_width_of_the_first_network(tmp_path: Path) -> None:
    text = (LOOKUP / "two_networks.yaml").read_text()
    facts, _ = check.check(LOOKUP / "two_networks.yaml")
    assert [network.data_width for network in facts.design.networks] == [128, 64]
    assert manifest(facts)["data_width"] == 128
    order = text.replace("  control: {data_width: 64}\n", "").replace(
        "networks:\n", "networks:\n  control: {data_width: 64}\n", 1
    )
    order = order.replace(
        "[udp_lookup.sv, store.sv]", f"[{LOOKUP}/udp_lookup.sv, {LOOKUP}/store.sv]"
    )
    order = order.replace("at: [1, 0]", "at: [1, 0], networks: {mac_tx.in: data, eth_tx.out: data}")
    (tmp_path / "order.yaml").write_text(order)
    with pytest.raises(DesignError, match="MAC ports have the width of the first network, 64 bits"):
        check.check(tmp_path / "order.yaml")


# ---- The resolved design ----


def test_a_further_network_has_routers_where_it_is_used(tmp_path: Path) -> None:
    design = resolved(tmp_path)
    data, control = design.networks
    assert (data.area, control.area) == ((0, 0, 3, 2), (1, 0, 2, 1))
    names = {tile.name: [each.network.name for each in tile.interfaces] for tile in design.tiles}
    assert names["asker"] == names["store"] == ["data", "control"]
    assert names["source"] == names["sink"] == names["empty_0_1"] == ["data"]


def test_tables_and_counters_follow_each_other() -> None:
    facts, _ = check.check(LOOKUP / "two_networks.yaml")
    described = manifest(facts)
    tiles = {tile["name"]: tile for tile in described["tiles"]}
    lookup = tiles["lookup"]
    assert lookup["next_hops"] == {"udp_tx": 0, "store": 1}
    assert lookup["entries"] == {"data": ["udp_lookup"], "control": ["udp_lookup.answer"]}
    assert [(each["network"], each["first_hop"]) for each in lookup["hop_networks"]] == [
        ("data", 0),
        ("control", 1),
    ]
    counters = lookup["counters"]
    assert counters[8:12] == [
        *(f"noc_control_{way}_{unit}" for way in ("in", "out") for unit in ("messages", "bytes"))
    ]
    assert counters[12:16] == [
        *("drop.no_route", "drop.unknown_kind"),
        *("drop.control.no_route", "drop.control.unknown_kind"),
    ]
    assert "noc_control_in_messages" not in tiles["receive"]["counters"]


# ---- Deadlock ----


def one_network(folder: Path, *layers: str) -> Design:
    tiles = re.sub(r", networks: \{.*?\}", "", TILES)
    short = "data_width: 64\nfabric: {columns: 3, rows: 2}\nline"
    head = re.sub(r"networks:.*?line", short, HEAD, flags=re.DOTALL)
    return resolved(folder, tiles, *layers, head=head)


def test_a_network_for_answers_cures_what_one_network_cannot(tmp_path: Path) -> None:
    layers = ENDS, typed(ASKS), store()
    assert deadlock.cycles(Facts(one_network(tmp_path, *layers)))
    assert not deadlock.cycles(Facts(resolved(tmp_path, TILES, *layers)))


def test_a_network_for_answers_alone(tmp_path: Path) -> None:
    """Requests share the network of the datagrams, answers have their own."""
    answers = store("", ", parameter type out_beat_t = beat_t").replace(
        "beat_t out_o", "out_beat_t out_o"
    )
    tiles = TILES.replace("query: control, ", "").replace("in: control, ", "")
    assert not deadlock.cycles(Facts(resolved(tmp_path, tiles, ENDS, typed(ASKS), answers)))


def test_a_network_for_requests_alone_is_no_cure(tmp_path: Path) -> None:
    """The answers wait behind the datagrams that wait for them."""
    answers = store("", ", parameter type out_beat_t = beat_t").replace(
        "beat_t out_o", "out_beat_t out_o"
    )
    tiles = TILES.replace(", answer: control", "").replace(", out: control", "")
    (cycle,) = deadlock.cycles(Facts(resolved(tmp_path, tiles, ENDS, typed(ASKS), answers)))
    assert "ejection port of router (1, 0) of network data" in str(cycle)


def test_a_cycle_in_one_network_is_found_beside_another(tmp_path: Path) -> None:
    """Requests and answers that wait for each other on the second network."""
    waits = DROPS + "localparam bit AnswerWaitsForQuery = 1;\n"
    waits = waits.replace('localparam string AnswerAnswers = "query";', "").replace(
        "localparam int unsigned QueryCredits = 1;", ""
    )
    found = deadlock.cycles(Facts(resolved(tmp_path, TILES, ENDS, typed(waits), store())))
    assert any("of network control" in str(cycle) for cycle in found)
    assert not any("of network data" in str(cycle) for cycle in found)


def test_a_dropping_network_beside_a_lossless_one(tmp_path: Path) -> None:
    dropping = HEAD.replace("64}", "64, fabric: {kind: crosspoint, lossless: false}}")
    (problem,) = (
        each
        for each in _problems(written(tmp_path, TILES, head=dropping))
        if "which the fabric may drop" in each
    )
    assert "asker waits for messages on input answer" in problem


def _problems(file: Path) -> list[str]:
    from bombus.analysis.checks import requests

    design, _ = resolve.load(file)
    return [problem.message for problem in requests.problems(Facts(design))]


# ---- Placement, watchdog, pictures ----


def test_placement_avoids_deadlock_over_all_networks(tmp_path: Path) -> None:
    tiles = re.sub(r", at: \[\d, \d\]", "", TILES)
    placed = placer.solve(Facts(resolved(tmp_path, tiles)), {}, effort=1)
    # One link for each of the four next hops; each output of the asker gets half of its input.
    assert placed.is_best
    assert placed.gbps_hops == pytest.approx(10 + 5 + 5 + 10)
    assert 0 < placed.max_load < 1


def test_a_narrow_network_carries_less(tmp_path: Path) -> None:
    head = HEAD.replace("gbps: 10", "gbps: 12")
    assert placer.solve(
        Facts(resolved(tmp_path, head=head)), {}, effort=1
    ).max_load == pytest.approx(0.75)
    head = HEAD.replace("gbps: 10", "gbps: 16").replace("64}", "64, fabric: {max_load: 0.5}}")
    reason = r"store -> asker .* 16 Gbit/s, above max_load 0\.5 of a link of 16"
    with pytest.raises(DesignError, match=reason):
        placer.solve(Facts(resolved(tmp_path, head=head)), {}, effort=1)


def test_the_watchdog_knows_the_places_of_each_network() -> None:
    facts, _ = check.check(LOOKUP / "two_networks.yaml")
    points = {point["name"]: point for point in watchpoints.points(facts)}
    for network, router in (("control", "u_control_router"), ("data", "u_router")):
        link = points[f"link (0, 1) to (1, 1) of network {network}"]
        assert link["scope"].split(".")[1] == router
    names = list(points)
    waits_for = {names[n] for n in points["layer lookup"]["waits_for"]}
    assert "injection port of router (0, 1) of network control" in waits_for


def test_the_picture_shows_the_networks(tmp_path: Path) -> None:
    facts, _ = check.check(LOOKUP / "two_networks.yaml")
    file = tmp_path / "picture.svg"
    pictures.draw(facts.design, file)
    text = file.read_text()
    assert "data: 128 bits, wormhole, 3 \N{MULTIPLICATION SIGN} 2 routers" in text
    assert "control: 64 bits, wormhole, 2 \N{MULTIPLICATION SIGN} 1 routers" in text
    dashed = re.findall(r'style="[^"]*stroke-dasharray: (?!none)[^"]*"', text)
    assert len(dashed) >= 3  # the mesh, a request, an answer


@pytest.mark.parametrize(("count", "is_sound"), [(3, True), (2, False)])
def test_a_join_of_three_streams(tmp_path: Path, count: int, is_sound: bool) -> None:
    """Each input needs a network of its own."""
    streams = "abc"
    waits = "\n".join(
        f"localparam bit {one.upper()}WaitsFor{other.upper()} = 1;"
        for one, other in permutations(streams, 2)
    )
    layers = module("joins", list(streams), {"out": "sink"}, waits) + module("sink", ["in"], {})
    layers += "".join(module(f"source_{x}", [], {"out": f"joins_{x}"}) for x in streams)
    names = [f"n{i}" for i in range(count)]
    of = dict(zip(streams, [*names, names[-1]], strict=False))
    given = ", ".join(f"{name}: {{data_width: 64}}" for name in names)
    head = re.sub(r"networks:\n.*\n.*\n", f"networks: {{{given}}}\n", HEAD)
    tiles = "".join(
        f"  - {{name: s{x}, kind: source_{x}, networks: {{out: {of[x]}}}, at: [{i}, 0]}}\n"
        for i, x in enumerate(streams)
    )
    uses = ", ".join(f"{x}: {of[x]}" for x in streams)
    tiles += f"  - {{name: join, layers: [joins, sink], networks: {{{uses}}}, at: [1, 1]}}\n"
    assert bool(deadlock.cycles(Facts(resolved(tmp_path, tiles, layers, head=head)))) != is_sound
