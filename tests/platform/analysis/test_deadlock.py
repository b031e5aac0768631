# SPDX-License-Identifier: Apache-2.0
"""The resource graph: cycles, and what they can hold."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from bombus.analysis import check
from bombus.analysis.deadlock import cycles
from bombus.base.errors import DesignError
from bombus.design import config, resolve
from bombus.design.facts import Facts
from bombus.design.knots import knots, min_cycle_capacity, shortest_cycle
from bombus.design.register_network import NAME, RegisterNetwork
from bombus.fabric.kinds import KINDS
from bombus.fabric.routing import Channel, Routing, eject, inject, routes
from bombus.pictures import mesh as show
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited, Problems, layer_text, without_promise

FIGURE_5A = ROOT / "docs" / "examples" / "deadlock" / "figure_5a.yaml"


def random_graph(seed: int) -> nx.DiGraph[int]:
    choose = random.Random(seed)
    nodes = choose.randrange(2, 8)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for edge in product(range(nodes), repeat=2):
        if choose.random() < 0.2:
            graph.add_edge(*edge)
    return graph


@pytest.mark.parametrize("seed", range(100))
def test_cycles_against_all_simple_cycles(seed: int) -> None:
    graph = random_graph(seed)
    choose = random.Random(seed)
    capacity = {node: choose.randrange(5) for node in graph}
    cycles = list(nx.simple_cycles(graph))
    found = shortest_cycle(graph)
    if not cycles:
        assert found is None
        assert min_cycle_capacity(graph, capacity) is None
        return
    assert found is not None
    assert len(found) == min(map(len, cycles))
    assert all(graph.has_edge(a, b) for a, b in zip(found, found[1:] + found[:1], strict=True))
    fewest = min(sum(capacity[node] for node in cycle) for cycle in cycles)
    assert min_cycle_capacity(graph, capacity) == fewest
    assert min_cycle_capacity(graph, capacity.__getitem__) == fewest


@pytest.mark.parametrize("algorithm", ["xy", "o1turn", "adaptive"])
def test_two_neighbours_that_send_to_each_other_fill_four_queues(algorithm: str) -> None:
    # Chains that visit the tiles of a 4x4 mesh in any order.
    tiles = list(product(range(4), repeat=2))
    graph: nx.DiGraph[Channel] = nx.DiGraph((eject(tile), inject(tile)) for tile in tiles)
    for source, target in product(tiles, repeat=2):
        if source != target:
            graph.add_edges_from(routes(Routing(KINDS["crosspoint"], algorithm), source, target))
    queue_flits = 13
    found = min_cycle_capacity(graph, lambda c: queue_flits if c.enter and c.leave else 0)
    assert found == 4 * queue_flits


def test_every_cycle_that_a_join_does_not_close_itself() -> None:
    """A window that keeps one from filling up says nothing about the other."""
    graph = nx.DiGraph([("a", "b"), ("b", "a"), ("a", "link"), ("link", "a")])
    nx.add_cycle(graph, ["b", "queue"])
    found: Any = knots
    joined = [("a", "b")]
    assert set(found(graph, joined, every=True)) == {
        frozenset({*pair}) for pair in (("a", "link"), ("b", "queue"))
    }
    assert len(found(graph, joined, every=False)) == 1


# ---- The mesh of registers ----


@pytest.mark.parametrize("shape", list(product(range(1, 7), repeat=2)), ids=str)
def test_register_accesses_never_wait_for_each_other(shape: tuple[int, int]) -> None:
    network = RegisterNetwork(*shape)
    graph = network.graph()
    assert nx.is_directed_acyclic_graph(graph)
    if shape != (1, 1):
        # They would if the hub kept a response waiting until it has sent a request.
        graph.add_edge(eject(network.hub, NAME), inject(network.hub, NAME))
        assert len(next(iter(nx.simple_cycles(graph)))) >= 5


def test_a_cycle_of_register_accesses_is_an_error(
    edited: Edited, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = edited(("name: udp_echo", "name: udp_echo\nregisters: mesh"))
    facts, _ = check.check(design)
    assert facts.register_network is not None
    graph = facts.register_network.graph()
    hub = facts.register_network.hub
    graph.add_edge(eject(hub, NAME), inject(hub, NAME))
    monkeypatch.setattr(RegisterNetwork, "graph", lambda _: graph)
    with pytest.raises(DesignError) as caught:
        check.check(design)
    (problem,) = caught.value.problems
    assert problem.line == design.read_text().splitlines().index("registers: mesh") + 1
    assert "possible deadlock: register accesses wait for" in problem.message
    assert "registers of tile" in problem.message and "of network registers" in problem.message


# ---- Cycles of designs ----


def test_figure_5a_is_refused_with_names_and_line() -> None:
    with pytest.raises(check.DeadlockError) as caught:
        check.check(FIGURE_5A)
    (problem,) = caught.value.problems
    lines = FIGURE_5A.read_text().splitlines()
    assert "name: eth_rx" in lines[(problem.line or 0) - 1]
    assert problem.message.splitlines() == [
        "possible deadlock:",
        "  chain eth_rx.mac_rx -> eth_rx.eth_rx -> ipv4_rx -> udp_rx -> app -> udp_tx -> ipv4_tx"
        " -> eth_tx.eth_tx -> eth_tx.mac_tx",
        "  eth_rx.eth_rx (0, 0) -> ipv4_rx (2, 0): holds link (1, 0) to (2, 0) and ejection port "
        "of router (2, 0); waits for layer ipv4_rx",
        "  ipv4_rx (2, 0) -> udp_rx (1, 0): holds injection port of router (2, 0), link (2, 0) to "
        "(1, 0) and ejection port of router (1, 0); waits for layer udp_rx",
        "  udp_rx (1, 0) -> app (3, 0): holds injection port of router (1, 0); waits for link (1, "
        "0) "
        "to (2, 0)",
        "  tiles eth_rx, ipv4_rx, udp_rx, app",
    ]


def test_figure_5b_passes() -> None:
    facts, warnings = check.check(FIGURE_5A.with_name("figure_5b.yaml"))
    assert warnings == []
    assert nx.is_directed_acyclic_graph(facts.resource_graph)


def test_allowed_deadlock_is_a_warning() -> None:
    _, (warning,) = check.check(FIGURE_5A, allow_deadlock=True)
    assert not warning.is_error
    assert "possible deadlock" in warning.message


def with_fabric(tmp_path: Path, fabric: str) -> Path:
    file = tmp_path / "design.yaml"
    file.write_text(FIGURE_5A.read_text().replace("tiles:", f"fabric: {fabric}\ntiles:"))
    return file


def test_virtual_channels_do_not_help(tmp_path: Path) -> None:
    with pytest.raises(check.DeadlockError, match=r"link \(1, 0\) to \(2, 0\)"):
        check.check(with_fabric(tmp_path, "{kind: virtual_channels, virtual_channels: 4}"))


def test_crosspoint_queues_do(tmp_path: Path) -> None:
    # Messages that UDP sends east and messages that pass its router have separate queues.
    check.check(with_fabric(tmp_path, "{kind: crosspoint}"))


def test_a_fabric_that_drops_never_waits(tmp_path: Path) -> None:
    check.check(with_fabric(tmp_path, "{kind: crosspoint, lossless: false}"))
    # It reserves no room, so queues may be as shallow as one likes.
    shallow = "{kind: crosspoint, algorithm: adaptive, lossless: false, buffer_depth: 512}"
    facts, (warning,) = check.check(with_fabric(tmp_path, shallow))
    assert "more than 4096 bytes never fit into queues of 512 flits" in warning.message
    assert not facts.design.networks[0].routing.holds_links


def test_the_crosspoint_fabric_reserves_room_for_the_longest_frame(tmp_path: Path) -> None:
    for width, algorithm, depth in (
        (64, "xy", 2048),
        (64, "o1turn", 4096),
        (128, "adaptive", 2048),
        (512, "xy", 512),
        (512, "adaptive", 512),
    ):
        file = with_fabric(tmp_path, f"{{kind: crosspoint, algorithm: {algorithm}}}")
        file.write_text(file.read_text().replace("data_width: 64", f"data_width: {width}"))
        facts, warnings = check.check(file, allow_deadlock=True)
        assert facts.design.networks[0].fabric.packet_flits * width // 8 >= 9600
        assert facts.design.networks[0].fabric.depth == depth
        assert not any("longer ones" in each.message for each in warnings)


def test_messages_longer_than_the_crosspoint_reserves_hold_links(tmp_path: Path) -> None:
    # Designs that are sound with whole messages in queues are not with messages that stop on a
    # link.
    file = with_fabric(tmp_path, "{kind: crosspoint, max_packet_flits: 24}")
    with pytest.raises(DesignError, match=r"waits for link \(1, 0\) to \(2, 0\)"):
        check.check(file)
    file = with_fabric(tmp_path, "{kind: crosspoint, algorithm: adaptive, max_packet_flits: 24}")
    with pytest.raises(DesignError, match=r"adaptive routing needs .* should be at least 1200"):
        check.check(file)
    # Without the turn back the links wait in one direction only.
    sound = tmp_path / "sound.yaml"
    text = (FIGURE_5A.parent / "figure_5b.yaml").read_text()
    sound.write_text(text + "fabric: {kind: crosspoint, max_packet_flits: 24}\n")
    check.check(sound)


@pytest.mark.parametrize(
    ("fabric", "words"),
    [
        ("{kind: crosspoint, buffer_depth: 8}", "queues of 8 flits are too small"),
        (
            "{kind: crosspoint, algorithm: o1turn, buffer_depth: 2048}",
            "2048 flits in two lanes of 1024 are too small .* buffer_depth should be at least 4096",
        ),
        (
            "{kind: crosspoint, lossless: false, max_packet_flits: 24}",
            "24 applies to a lossless fabric only",
        ),
        (
            "{kind: crosspoint, algorithm: o1turn, max_packet_flits: 2047}",
            "2 in flight on the link: max_packet_flits should be smaller",
        ),
        (
            "{kind: crosspoint, algorithm: adaptive, max_packet_flits: 2048}",
            "4096 flits in two lanes of 2048 are too small for a message of 2048",
        ),
    ],
)
def test_queues_that_cannot_hold_a_message(tmp_path: Path, fabric: str, words: str) -> None:
    file = with_fabric(tmp_path, fabric)
    with pytest.raises(DesignError, match=words) as raised:
        check.check(file)
    assert all(problem.line for problem in raised.value.problems)


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        (("buffer_depth: 8",), "buffer_depth"),
        (("max_packet_flits: 9", "buffer_depth: 8"), "buffer_depth"),
        (("algorithm: adaptive", "max_packet_flits: 2048"), "max_packet_flits"),
    ],
)
def test_too_small_a_queue_is_a_problem_of_its_depth_where_that_is_given(
    tmp_path: Path, problems: Problems, keys: Sequence[str], wrong: str
) -> None:
    lines = "".join(f"\n  {key}" for key in ("kind: crosspoint", *keys))
    file = with_fabric(tmp_path, lines)
    (place,) = (n for n, line in enumerate(file.read_text().splitlines(), 1) if wrong in line)
    found = [each for each in problems(check.check, file) if "too small" in each]
    assert [each.partition(":")[0] for each in found] == [str(place)]


def test_with_xy_routing_a_queue_is_undivided(tmp_path: Path) -> None:
    """Half as deep as one of two lanes would have to be."""
    file = with_fabric(tmp_path, "{kind: crosspoint, max_packet_flits: 1200, buffer_depth: 2048}")
    fabric = config.load(file).config.fabric
    assert (fabric.lanes, fabric.lack_of_room(2)) == (1, "")
    split = fabric.model_copy(update={"algorithm": "o1turn"})
    assert split.lanes == 2
    assert "two lanes of 1024" in split.lack_of_room(2)


def test_only_arp_that_always_takes_opens_its_ring_with_eth_tx() -> None:
    assert cycles(Facts(resolve.load(DESIGNS / "udp_echo.yaml")[0])) == []
    design, _ = resolve.load(DESIGNS / "udp_echo.yaml")
    (arp,) = (layer for layer in design.layers() if layer.kind.name == "arp")
    arp.kind = without_promise(arp.kind)
    (cycle,) = cycles(Facts(design))
    assert {tile.name for tile in cycle.tiles} == {"eth_tx", "arp"}
    assert all(str(chain[0]) == "eth_rx.mac_rx" for chain in cycle.chains)


# A layer that strips the outer header: its output is again an IP packet.
DECAP = layer_text("decap", "NextIpv4Rx", "localparam logic [7:0] IpProtocol = 4;\n  // more")
TILE = "  - {name: decap, kind: decap, at: [1, 3]NEXT}\n"


def ip_in_ip(tmp_path: Path, edited: Edited, *, layer: str = DECAP, more: str = "") -> Path:
    (tmp_path / "decap.sv").write_text(layer)
    return edited(
        ("tiles:\n", "sources: [decap.sv]\ntiles:\n"),
        (
            "  # Beside the path\n",
            TILE.replace("NEXT", ", next: {ipv4_rx: inner}" if more else "") + more,
        ),
    )


def test_ip_in_ip_through_one_tile_is_refused(tmp_path: Path, edited: Edited) -> None:
    with pytest.raises(check.DeadlockError) as caught:
        check.check(ip_in_ip(tmp_path, edited))
    (cycle,) = caught.value.cycles
    assert [str(layer) for layer in cycle.chains[0]].count("ipv4_rx") == 2
    assert {tile.name for tile in cycle.tiles} == {"ipv4_rx", "decap"}


def test_ip_in_ip_through_two_tiles_passes(tmp_path: Path, edited: Edited) -> None:
    inner = "  - {name: inner, kind: ipv4_rx, at: [2, 3], next: {decap: drop}}\n"
    file = ip_in_ip(tmp_path, edited, more=inner)
    file.write_text(
        file.read_text()
        .replace("udp_rx, kind: udp_rx, at: [2, 0]", "udp_rx, kind: udp_rx, at: [3, 0]")
        .replace("udp_port: 7, at: [2, 1]", "udp_port: 7, at: [3, 1]")
        .replace("kind: arp, at: [2, 2]", "kind: arp, at: [1, 2]")
        .replace("icmp_echo, at: [1, 2]", "icmp_echo, at: [2, 2]")
        .replace("  - {name: eth_rx,", "  - {name: eth_rx, next: {ipv4_rx: ipv4_rx},")
    )
    check.check(file)


def test_ip_in_ip_through_a_layer_that_always_takes_passes(tmp_path: Path, edited: Edited) -> None:
    layer = DECAP.replace("// more", "localparam bit AlwaysTakes = 1'b1;")
    facts, _ = check.check(ip_in_ip(tmp_path, edited, layer=layer))
    takers = [each.layer.kind.name for each in facts.design.inputs() if each.stream.always_takes]
    assert sorted(takers) == ["arp", "decap"]


def test_picture_of_a_cycle(tmp_path: Path) -> None:
    with pytest.raises(check.DeadlockError) as caught:
        check.check(FIGURE_5A)
    file = tmp_path / "new" / "cycle.svg"
    show.draw(caught.value.facts.design, file, caught.value.cycles[0])
    text = file.read_text()
    for words in ("figure_5a: deadlock", "1 holds", "2 holds", "3 waits", "ipv4_rx → udp_rx"):
        assert f">{words}<" in text or words in text, words
    assert text.count("#b00020") == 4  # the frames of the tiles in it
