# SPDX-License-Identifier: Apache-2.0
"""Positions that the solver chooses: sound, short, and kept in the file; what cannot be."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from bombus.analysis import blocking, check, deadlock
from bombus.analysis import load as traffic
from bombus.analysis.placement import placer, task
from bombus.analysis.placement.annealing import Judge, anneal
from bombus.analysis.placement.task import blocked, cost, links_between, task_of
from bombus.base.errors import DesignError
from bombus.design import config, edit, resolve
from bombus.design.facts import Facts
from bombus.design.network import Network
from bombus.design.resolved import Design
from bombus.fabric.kinds import KINDS
from bombus.fabric.routing import Routing
from tests import DESIGNS as TEST_DESIGNS
from tests import ROOT
from tests.support.helpers import DESIGNS, Edited, without_promise

FIGURE_5A = ROOT / "docs" / "examples" / "deadlock" / "figure_5a.yaml"


def resolved(file: Path) -> Design:
    found, problems = resolve.load(file)
    assert not any(problem.is_error for problem in problems)
    return found


def placed(file: Path, *, move: bool = False, effort: float = 5.0) -> placer.Placed:
    found = resolved(file)
    result = placer.solve(Facts(found), placer.given(found, move=move), effort)
    file.write_text(edit.with_positions(found.file, result.positions))
    after = resolved(file)
    assert {tile.name: (tile.x, tile.y) for tile in after.tiles if tile.layers} == result.positions
    assert deadlock.cycles(Facts(after)) == []
    return result


def refused(file: Path) -> str:
    found = resolved(file)
    with pytest.raises(DesignError) as caught:
        placer.solve(Facts(found), placer.given(found), effort=1)
    (problem,) = caught.value.problems
    return f"{problem.line}: {problem.message}"


def copied(tmp_path: Path, *edits: tuple[str, str], file: Path = FIGURE_5A) -> Path:
    text = file.read_text()
    for old, new in edits:
        assert re.search(old, text), old
        text = re.sub(old, new, text)
    copy = tmp_path / "design.yaml"
    copy.write_text(text)
    return copy


def big(tmp_path: Path, fabric: str = "") -> Path:
    """28 tiles: the way of UDP with twelve applications and eight replicas of another."""
    head = (DESIGNS / "udp_echo.yaml").read_text().split("tiles:")[0]
    tiles = [
        "{name: eth_rx, layers: [mac_rx, eth_rx], at: [0, 0]}",
        "{name: eth_tx, layers: [eth_tx, mac_tx], at: [0, 3]}",
        "{name: ipv4_rx, kind: ipv4_rx}",
        *(f"{{name: {kind}, kind: {kind}}}" for kind in ("udp_rx", "udp_tx", "ipv4_tx", "arp")),
        "{name: icmp, kind: icmp_echo}",
        *(f"{{name: app{i}, kind: udp_echo, udp_port: {i + 7}}}" for i in range(12)),
        "{name: worker, kind: udp_echo, udp_port: 99, replicas: 8}",
    ]
    file = tmp_path / "big.yaml"
    file.write_text(f"{head}{fabric}tiles:\n" + "".join(f"  - {tile}\n" for tile in tiles))
    return file


@pytest.mark.sweep
@pytest.mark.slow
def test_28_tiles(tmp_path: Path) -> None:
    # The tiles in the order of the file form a cycle; the solver finds none, and shorter ways.
    file = big(tmp_path, "fabric: {columns: 7, rows: 4}\n")
    with pytest.raises(check.DeadlockError):
        check.check(file)
    before = resolved(file)
    snake = sum(
        gbps
        * (abs(hop.source.tile.x - hop.target.tile.x) + abs(hop.source.tile.y - hop.target.tile.y))
        for hop, gbps in traffic.expected(Facts(before)).items()
        if hop.target
    )
    result = placed(file, effort=2)
    assert len(result.positions) == 28
    assert result.positions["eth_rx"] == (0, 0)
    assert result.positions["eth_tx"] == (0, 3)
    assert result.max_load <= 1
    assert result.gbps_hops < 0.75 * snake


@pytest.mark.parametrize(
    "file",
    [
        DESIGNS / "tcp_echo.yaml",
        DESIGNS / "tcp_echo_bypass.yaml",
        ROOT / "docs" / "examples" / "tcp_host" / "tcp_host.yaml",
        ROOT / "docs" / "examples" / "tcp_kernel" / "tcp_kernel.yaml",
    ],
    ids=lambda file: file.stem,
)
def test_designs_with_tcp(tmp_path: Path, file: Path) -> None:
    """Requests on the narrow network have no payload."""
    for source in file.parent.glob("*.sv"):
        copy(source, tmp_path)
    result = placed(copied(tmp_path, file=file), move=True, effort=0.2)
    assert 0 < result.max_load <= 1


def test_the_same_positions_every_time(tmp_path: Path) -> None:
    first, second = (
        placed(copied(tmp_path, (r"(kind: \w+), at: \[\d, \d\]", r"\1")), effort=1)
        for _ in range(2)
    )
    assert first == second


def test_the_solver_alone_finds_the_shortest_ways(tmp_path: Path) -> None:
    """Without a placement to start from it proves the optimum that both reach together."""
    design = resolved(copied(tmp_path))
    fixed = placer.given(design, move=True)
    task = placer.task_of(Facts(design), fixed)
    model = placer.PlacementModel(task)
    model.minimise()
    status, found = model.solve(effort=5)
    assert status == "OPTIMAL" and found
    assert placer.cost(task, found) == placer.cost(
        task, placer.solve(Facts(design), fixed).positions
    )


def test_figure_5a_is_moved_to_the_shortest_ways(tmp_path: Path) -> None:
    result = placed(copied(tmp_path), move=True)
    assert result.is_best
    assert result.positions["eth_rx"] == (0, 0)  # it has the MAC
    assert result.positions["eth_tx"] == (1, 1)
    # Six next hops of the datagram take one link each; ARP's traffic is negligible.
    assert 6 * 10 * 0.99 < result.gbps_hops < 6 * 10 * 1.01


@pytest.mark.parametrize("algorithm", ["xy", "o1turn", "adaptive"])
def test_crosspoint_fabric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, algorithm: str) -> None:
    monkeypatch.setattr(Network, "routing", Routing(KINDS["crosspoint"], algorithm))
    result = placed(copied(tmp_path), move=True, effort=2)
    assert result.gbps_hops < 6 * 10 * 1.05


def test_traffic_pulls_tiles_together(tmp_path: Path) -> None:
    # One application gets nearly all, whichever it is: the ways to and from it are shorter.
    for favourite, other in ((0, 1), (1, 0)):
        second = "  - {name: app1, kind: udp_echo, udp_port: 8}\n"
        file = copied(
            tmp_path,
            (r"name: app,(.*), at: \[3, 0\]}\n", rf"name: app0,\1}}\n{second}"),
            (r"(kind: (udp|ipv4)_.x), at: \[\d, \d\]", r"\1"),
            (
                "kind: udp_rx,",
                f"kind: udp_rx, traffic: {{udp_port_{7 + favourite}: 0.9}},",
            ),
        )
        placed(file)
        found = resolved(file)
        tiles = {tile.name: tile for tile in found.tiles}
        links = found.networks[0].links
        ways = [
            len(links(tiles["udp_rx"].at, tiles[app].at) + links(tiles[app].at, tiles["udp_tx"].at))
            for app in (f"app{favourite}", f"app{other}")
        ]
        assert ways[0] < ways[1]


def test_expected_traffic(edited: Edited) -> None:
    found = resolved(edited(("kind: udp_rx,", "kind: udp_rx, traffic: {udp_port_7: 0.25},")))
    rates = {
        (hop.source.tile.name, hop.target.tile.name): gbps
        for hop, gbps in traffic.expected(Facts(found)).items()
        if hop.target and not hop.in_tile
    }
    assert rates["eth_rx", "arp"] == pytest.approx(100 / 101)
    assert rates["eth_rx", "ipv4_rx"] == pytest.approx(100 - 100 / 101)
    assert rates["udp_rx", "echo"] == pytest.approx(rates["ipv4_rx", "udp_rx"] / 4)
    assert rates["udp_rx", "icmp"] == pytest.approx(rates["ipv4_rx", "udp_rx"] * 3 / 4)
    assert rates["eth_tx", "arp"] < rates["arp", "eth_tx"] < 3


def test_unknown_next_hop_of_traffic(edited: Edited) -> None:
    _, problems = resolve.load(edited(("kind: udp_rx,", "kind: udp_rx, traffic: {ap0: 1},")))
    assert "no layer of tile 'udp_rx' has a next hop 'ap0'" in problems[0].message


# ---- Infeasible designs ----


def test_cycle_between_tiles_with_positions(tmp_path: Path) -> None:
    message = refused(copied(tmp_path))
    assert message.startswith("9: possible deadlock at the positions given")
    assert "chain eth_rx.mac_rx -> eth_rx.eth_rx -> ipv4_rx -> udp_rx -> app" in message


def test_one_position_too_many(tmp_path: Path) -> None:
    # The tiles of figure 5a whose positions make the cycle, and no other place for the last.
    file = copied(
        tmp_path,
        (r"udp_port: 7, at: \[3, 0\]", "udp_port: 7"),
        ("tiles:", "fabric: {max_load: 2}\ntiles:"),
    )
    assert refused(file).endswith(
        "no placement on a mesh of 4 x 2 fits: every placement can deadlock; there is one if the "
        "position of 'eth_rx' at (0, 0) is removed"
    )
    # A link of the ring has to carry all twice.
    file = copied(tmp_path, (r"udp_port: 7, at: \[3, 0\]", "udp_port: 7"))
    assert "every placement can deadlock or exceeds max_load" in refused(file)


def test_load_beyond_bounds(tmp_path: Path) -> None:
    sound = FIGURE_5A.with_name("figure_5b.yaml")
    file = copied(tmp_path, ("tiles:", "fabric: {max_load: 0.5}\ntiles:"), file=sound)
    assert (
        "eth_rx -> ipv4_rx has an expected load of 9.9 Gbit/s, above max_load 0.5 of a link of "
        "16 Gbit/s" in refused(file)
    )


def test_load_of_links_that_all_must_share(tmp_path: Path) -> None:
    # In one row, everything that eth_rx sends passes one link.
    head = FIGURE_5A.read_text().split("tiles:")[0]
    tiles = [
        "{name: eth_rx, layers: [mac_rx, eth_rx, ipv4_rx, udp_rx], at: [0, 0], next: {icmp: drop}}",
        "{name: eth_tx, layers: [udp_tx, ipv4_tx, eth_tx, mac_tx]}",
        "{name: app, kind: udp_echo, udp_port: 7}",
        "{name: arp, kind: arp}",
    ]
    file = tmp_path / "row.yaml"
    for max_load in (0.63, 0.62):
        fabric = f"fabric: {{columns: 4, rows: 1, max_load: {max_load}}}\n"
        file.write_text(f"{head}{fabric}tiles:\n" + "".join(f"  - {tile}\n" for tile in tiles))
        if max_load == 0.63:
            assert placed(file).max_load < 0.63
        else:
            assert "every placement exceeds max_load 0.62 on a link" in refused(file)


JOIN = ROOT / "docs" / "examples" / "join" / "join.yaml"


@pytest.mark.parametrize("most", [32, 1], ids=["all choices", "by analysis"])
def test_inputs_of_a_join_do_not_wait_for_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(task, "_MOST_VARIANTS", most)
    layers = (r"\[operand.sv, adder.sv\]", f"[{JOIN.parent}/operand.sv, {JOIN.parent}/adder.sv]")
    file = copied(tmp_path, layers, file=JOIN)
    assert placed(file, move=True).is_best
    check.check(file)
    # Both on one network: the ejection port would hold one back behind the other.
    one = copied(
        tmp_path,
        layers,
        (r"networks: \{out: side\}", ""),
        (r", networks: \{right: side\}", ""),
        (r"    \n", ""),
        file=JOIN,
    )
    assert "an input waits for messages that wait for it" in refused(one)


def test_chain_that_comes_back_has_no_placement(tmp_path: Path) -> None:
    found = resolved(copied(tmp_path))
    (arp,) = (layer for layer in found.layers() if layer.kind.name == "arp")
    arp.kind = without_promise(arp.kind)
    with pytest.raises(DesignError, match=r"messages revisits a tile \((arp|eth_tx) -> "):
        placer.solve(Facts(found), {}, effort=1)


# ---- The file ----

FORMS = """\
# a design
name: forms
data_width: 512
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2, prefix: 24, gateway: 10.77.0.1}

tiles:
  # The way in
  - {name: eth_rx, layers: [mac_rx, eth_rx], at: [0, 0]}  # fixed
  - name: ipv4_rx   # in the middle
    kind: ipv4_rx
    next:
      udp_rx: udp_rx   # to the next
    # between

  - {name: udp_rx, kind: udp_rx, at: [2,0] , }   # odd
  - layers:
      - udp_echo: {udp_port: 7}
    name: echo
    at:
      - 2
      - 1
  - {name: udp_tx, kind: udp_tx}
  - {name: ipv4_tx, kind: ipv4_tx,
     next: {}}
  # Beside it
  - {name: arp, kind: arp}
  - {name: worker, kind: udp_echo, udp_port: 8, replicas: 2}   # two
  - name: eth_tx
    layers: [eth_tx, mac_tx]
    at: [0, 2]
  - kind: icmp_echo
    name: icmp"""


def test_nothing_but_positions_changes_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "forms.yaml"
    file.write_text(FORMS)
    design = config.load(file)
    positions = {tile.name: (i, 7) for i, tile in enumerate(design.config.instances)}
    text = edit.with_positions(design, positions)
    file.write_text(text)
    assert {tile.name: tile.at for tile in config.load(file).config.instances} == positions

    def bare(text: str) -> str:
        """Without positions and white space."""
        text = re.sub(r",?\s*at:\s*(\[\[.*?\]\]|\[.*?\]|- \d\s*- \d)", "", text)
        return re.sub(r"\s", "", text)

    assert bare(text) == bare(FORMS)
    assert edit.with_positions(config.load(file), positions) == text  # and again: the same
    for comment in re.findall(r"#.*", FORMS):
        assert comment in text


def test_annealing_may_find_a_longer_placement_than_it_starts_with() -> None:
    """One that fits, from a shorter one in which tiles wait for each other."""
    task = task_of(Facts(resolved(FIGURE_5A)), {"eth_rx": (1, 0), "udp_rx": (1, 1)})
    start = {"eth_rx": (1, 0), "udp_rx": (1, 1), "ipv4_rx": (0, 1), "app": (2, 1)}
    start |= {"arp": (0, 0), "eth_tx": (2, 0), "ipv4_tx": (3, 0), "udp_tx": (3, 1)}
    knotted, over = Judge(task).faults(start)
    assert knotted and not over
    found = anneal(task, start, 2000)
    assert found is not None and Judge(task).faults(found) == (0, 0)
    assert cost(task, found) > cost(task, start)


HELD = TEST_DESIGNS / "held.yaml"
# As short as any, but messages to `quick` pass the router of `slow`.
BEHIND = {
    "receive": (1, 0),
    "transmit": (1, 1),
    "slow": (0, 0),
    "quick": (0, 1),
    "arp": (2, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("by", ["annealing", "CP-SAT"])
def test_nobody_waits_behind_a_slow_tile(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both find positions that are as short as those before, without shared links."""
    real = placer.anneal

    def anneal(*given: Any, unblocks: bool = False, **others: Any) -> Any:
        if not unblocks:
            return dict(BEHIND)
        return real(*given, unblocks=True, **others) if by == "annealing" else None

    monkeypatch.setattr(placer, "anneal", anneal)
    if by == "annealing":
        monkeypatch.setattr(placer.PlacementModel, "solve", lambda *_: ("UNKNOWN", {}))
    else:
        # The first of its solutions counts only where it is shorter, which none is.
        assert placer.solve(Facts(resolved(HELD)), {}, effort=1).blocked == 0
    found = resolved(HELD)
    result = placer.solve(Facts(found), placer.given(found), effort=1)
    assert result.blocked == 0
    task = task_of(Facts(found), placer.given(found))
    assert cost(task, result.positions) == cost(task, BEHIND)
    assert blocked(task, BEHIND) == 1


def test_replicas_and_slow_tiles_keep_messages_waiting() -> None:
    found = resolved(DESIGNS / "udp_echo_replicas.yaml")
    slow = blocking.slow_tiles(found)
    assert slow == {f"{name}_{n}" for name in ("echo", "any") for n in range(4)}
    assert blocking.slow_tiles(resolved(DESIGNS / "udp_echo.yaml")) == set()
    # By hand: whose links are on the way to a replica of another tile.
    ways = {
        leg: links_between(Routing(KINDS["wormhole"], "xy"), at[leg.source], at[leg.target])
        for at in [{tile.name: tile.at for tile in found.tiles}]
        for leg in task_of(Facts(found), {}).legs
    }
    right = {
        leg
        for leg, links in ways.items()
        if any(
            other.target in slow and other.target != leg.target and links & ways[other]
            for other in ways
        )
    }
    assert set(blocking.of_design(found)) == right
    assert right


def test_nobody_waits_in_a_network_that_drops(tmp_path: Path) -> None:
    text = (DESIGNS / "udp_echo_replicas.yaml").read_text()
    file = tmp_path / "design.yaml"
    for lossless in ("true", "false"):
        file.write_text(f"{text}fabric: {{kind: crosspoint, lossless: {lossless}}}\n")
        found = resolved(file)
        assert blocking.slow_tiles(found)
        assert bool(blocking.of_design(found)) == (lossless == "true")


def test_a_queue_of_the_crosspoint_fabric_is_shared_by_one_turn_only() -> None:
    """Both pass the link from (1, 0) to (2, 0), but never by the same input and output."""
    at = {"a": (1, 0), "slow": (3, 0), "b": (0, 0), "c": (2, 1)}
    legs = [blocking.Leg("a", "slow", 0), blocking.Leg("b", "c", 0)]
    for kind, count in (("wormhole", 1), ("crosspoint", 0)):
        ways = {
            leg: blocking.queues(Routing(KINDS[kind], "xy"), at[leg.source], at[leg.target])
            for leg in legs
        }
        assert len(blocking.blocked(ways, {"slow"})) == count
