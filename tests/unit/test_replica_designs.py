"""Replicas in a design file: what they become, and the mistakes that are found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from unit_helpers import DESIGNS, Edited, Problems

from bombus import check, config, dispatch, generate
from bombus.network import Network

ECHO = "{name: echo, kind: udp_echo, udp_port: 7, at: [2, 1]}"
REPLICAS = "{name: echo, kind: udp_echo, udp_port: 7, replicas: 3}"
# Requests go east and south, answers west and to the first column.
SOUND = """name: small
data_width: 64
line_rate_gbps: 10
fabric: {columns: 3, rows: 3}
host: {mac: "02:b0:0b:05:00:01", ip: 10.77.0.2}
tiles:
  - name: receive
    layers: [mac_rx, eth_rx, ipv4_rx, icmp_echo, udp_rx]
    at: [0, 0]
    next: {tcp_rx: drop}
  - {name: arp, kind: arp, at: [0, 1]}
  - {name: transmit, layers: [udp_tx, ipv4_tx, eth_tx, mac_tx], at: [0, 2]}
"""


def small(tmp_path: Path, *tiles: str) -> Path:
    file = tmp_path / "design.yaml"
    file.write_text(SOUND + "".join(f"  - {tile}\n" for tile in tiles))
    return file


def targets(network: Network, source: str, hop: str) -> list[str]:
    return [
        str(each.target)
        for each in network.hops
        if (str(each.source), network.library.next_names[each.number]) == (source, hop)
    ]


def plan(network: Network, tile: str) -> list[dispatch.Dispatch]:
    (found,) = [each for each in network.tiles if each.name == tile]
    return dispatch.dispatch_plan(found, network)


def test_one_line_makes_several_tiles(tmp_path: Path) -> None:
    network, warnings = check.check(small(tmp_path, REPLICAS))
    assert warnings == []
    assert targets(network, "receive.udp_rx", "app0") == ["echo_0", "echo_1", "echo_2"]
    assert {layer.app_index for layer in network.apps()} == {0}
    (group,) = plan(network, "receive")
    assert (group.group.policy, group.first_slot, group.slot_bits) == ("flow_hash", 0, 6)
    shares = Counter(str(layer) for layer in group.slots)
    assert sorted(shares.values()) == [21, 21, 22]


def test_positions_of_replicas(tmp_path: Path) -> None:
    tile = REPLICAS.replace("}", ", at: [[2, 0], [1, 1], [2, 2]]}")
    network, _ = check.check(small(tmp_path, tile))
    at = {tile.name: (tile.x, tile.y) for tile in network.tiles}
    assert [at[f"echo_{n}"] for n in range(3)] == [(2, 0), (1, 1), (2, 2)]


def test_one_replica_needs_no_choice(tmp_path: Path) -> None:
    network, _ = check.check(small(tmp_path, REPLICAS.replace("3", "1")))
    assert targets(network, "receive.udp_rx", "app0") == ["echo_0"]
    assert plan(network, "receive") == []
    texts = generate.texts(network)
    assert not any("Groups(" in text for text in texts.values() if text.startswith("// Tile"))


@pytest.mark.parametrize("policy", ["round_robin", "flow_hash", "dst_port", "least_loaded"])
def test_scheduler_stands_between(tmp_path: Path, policy: str) -> None:
    tiles = (
        "{name: balancer, kind: scheduler, before: echo, at: [1, 0]}",
        REPLICAS.replace("}", f", dispatch: {policy}}}"),
    )
    network, warnings = check.check(small(tmp_path, *tiles))
    assert warnings == []
    assert targets(network, "receive.udp_rx", "app0") == ["balancer"]
    assert targets(network, "balancer", "app0") == ["echo_0", "echo_1", "echo_2"]
    assert plan(network, "receive") == []
    (group,) = plan(network, "balancer")
    assert group.group.policy == policy
    text = generate.texts(network)["tiles/small_tile_balancer.sv"]
    assert ".Before(bombus_pkg::NextApp0)" in text
    assert ("done_from_echo_2_i" in text) == (policy == "least_loaded")


def test_dst_port_gives_each_replica_a_port(tmp_path: Path) -> None:
    tile = REPLICAS.replace("7", "7002").replace("}", ", dispatch: dst_port}")
    other = "{name: other, kind: udp_echo, udp_port: 9}"
    network, _ = check.check(small(tmp_path, other, tile))
    ports = {port: (str(app), app.app_index) for port, app in network.app_ports().items()}
    assert ports == {
        9: ("other", 0),
        7002: ("echo_0", 1),
        7003: ("echo_1", 1),
        7004: ("echo_2", 1),
    }
    (group,) = plan(network, "receive")
    for port in (7002, 7003, 7004):
        assert str(group.slots[port & 3]) == ports[port][0]
    text = generate.texts(network)["tiles/small_tile_receive.sv"]
    assert ".AppPorts({16'd7004, 16'd7003, 16'd7002, 16'd9})" in text
    assert ".AppOfPort({4'd1, 4'd1, 4'd1, 4'd0})" in text


def test_next_names_all_replicas_or_one(tmp_path: Path) -> None:
    for name, expected in (("echo", 3), ("echo_1", 1)):
        file = small(tmp_path, REPLICAS)
        text = file.read_text().replace("{tcp_rx: drop}", f"{{tcp_rx: drop, app0: {name}}}")
        file.write_text(text)
        if expected == 1:  # nothing leads to the others
            file.write_text(text.replace("replicas: 3", "replicas: 2"))
        network, problems = check.resolve.load(file)
        assert not [problem for problem in problems if problem.is_error]
        assert len(targets(network, "receive.udp_rx", "app0")) == expected


def test_slots_of_several_groups_do_not_meet(tmp_path: Path) -> None:
    network, _ = check.check(DESIGNS / "scale_28.yaml")
    groups = plan(network, "receive")
    assert [group.group.name for group in groups] == ["flow", "turn", "port"]
    used: list[int] = []
    for group in groups:
        assert group.first_slot % (1 << group.slot_bits) == 0
        used += range(group.first_slot, group.first_slot + (1 << group.slot_bits))
    assert len(used) == len(set(used))
    assert dispatch.num_slots(groups) >= max(used) + 1


def test_manifest_says_where_slots_lead(tmp_path: Path) -> None:
    network, _ = check.check(small(tmp_path, REPLICAS.replace("}", ", dispatch: round_robin}")))
    (group,) = generate.manifest(network)["dispatch"]
    assert group == {
        "tile": "receive",
        "next": "app0",
        "group": "echo",
        "policy": "round_robin",
        "first_slot": 0,
        "replicas": [f"echo_{n}.udp_echo" for n in range(3)],
        "slots": [{"to": f"echo_{n}", "port": 0} for n in range(3)],
    }


def test_layers_with_state_want_their_flows_whole(tmp_path: Path) -> None:
    source = (DESIGNS.parent / "rtl" / "app" / "udp_echo.sv").read_text()
    source = source.replace("module udp_echo", "module my_echo")
    (tmp_path / "mine.sv").write_text(
        source.replace(
            "  localparam logic [31:0] Next",
            "  localparam bit KeepsFlowState = 1;\n  localparam logic [31:0] Next",
        )
    )
    for policy, is_good in (
        ("round_robin", False),
        ("flow_hash", True),
        ("least_loaded", False),
        ("dst_port", True),
    ):
        tile = REPLICAS.replace("udp_echo", "my_echo").replace("}", f", dispatch: {policy}}}")
        file = small(tmp_path, tile)
        file.write_text(file.read_text().replace("tiles:", "sources: [mine.sv]\ntiles:"))
        _, warnings = check.check(file)
        if is_good:
            assert warnings == []
        else:
            (warning,) = warnings
            assert warning.line == len(file.read_text().splitlines())
            assert f"my_echo keeps state of flows, but {policy}" in warning.message


def test_least_loaded_wants_a_fabric_without_loss(tmp_path: Path) -> None:
    file = small(tmp_path, REPLICAS.replace("}", ", dispatch: least_loaded}"))
    lossy = "{kind: crosspoint, lossless: false, columns: 3,"
    file.write_text(file.read_text().replace("{columns: 3,", lossy))
    _, warnings = check.check(file)
    assert any("may drop messages, and least_loaded" in each.message for each in warnings)


LAST = SOUND.count("\n") + 1  # line of the first tile given


@pytest.mark.parametrize(
    ("tiles", "line", "message"),
    [
        ([REPLICAS.replace("3", "0")], LAST, "tile 'echo': replicas: should be at least 1, not 0"),
        ([REPLICAS.replace("3", "65")], LAST, "replicas: should be at most 64, not 65"),
        ([REPLICAS.replace("3", "two")], LAST, "replicas: should be a whole number, not 'two'"),
        ([REPLICAS.replace("replicas: 3", "dispatch: flow_hash")], LAST, "say `replicas`, too"),
        (
            [REPLICAS.replace("}", ", dispatch: random}")],
            LAST,
            "dispatch: should be 'round_robin', ",
        ),
        ([REPLICAS.replace("}", ", at: [1, 1]}")], LAST, "`at` has one position for replicas: 3"),
        ([REPLICAS.replace("}", ", at: [[1, 1], [2, 1]]}")], LAST, "`at` has 2 positions for repl"),
        (
            [REPLICAS.replace("}", ", at: []}")],
            LAST,
            "at: should be a list, such as [2, 1], not []",
        ),
        ([REPLICAS.replace("replicas: 3", "at: [[1, 1]]")], LAST, "say `replicas`, too, or give"),
        (
            [REPLICAS.replace("}", ", at: [[1, 1], [1, 1], [2, 2]]}")],
            LAST,
            "where tile 'echo_0' is",
        ),
        ([REPLICAS.replace("}", ", at: [[1, 1], [1, 3], [2, 2]]}")], LAST, "outside the mesh"),
        (
            [REPLICAS.replace("3", "7")],
            4,
            "a mesh of 3 x 3 is too small: it has room for 9 of the 10 tiles",
        ),
        (
            ["{name: echo_1, kind: udp_echo, udp_port: 9}", REPLICAS],
            LAST + 1,
            "tile 'echo_1' is ther",
        ),
        ([REPLICAS, "{name: b, kind: scheduler}"], LAST + 1, "say which, `before: <tile>`"),
        ([REPLICAS, "{name: b, kind: scheduler, before: ecko}"], LAST + 1, "did you mean 'echo'"),
        ([REPLICAS, "{name: b, kind: scheduler, before: receive}"], LAST + 1, "`receive.udp_rx`"),
        (
            [REPLICAS] + [f"{{name: {n}, kind: scheduler, before: echo}}" for n in "ab"],
            *(LAST + 2, "a stands before 'echo' already"),
        ),
        (
            [
                "{name: a, kind: scheduler, before: b}",
                "{name: b, kind: scheduler, before: echo}",
                REPLICAS,
            ],
            *(LAST, "'b' itself stands before a tile"),
        ),
        (
            [REPLICAS.replace("7", "65534").replace("}", ", dispatch: dst_port}")],
            LAST,
            "ports are 1",
        ),
        (
            [
                REPLICAS.replace("}", ", dispatch: dst_port}"),
                "{name: e, kind: udp_echo, udp_port: 8}",
            ],
            *(LAST + 1, "e has UDP port 8, which echo_1 has already"),
        ),
    ],
)
def test_mistakes_are_found(
    tmp_path: Path, problems: Problems, tiles: list[str], line: int, message: str
) -> None:
    found = problems(check.check, small(tmp_path, *tiles))
    assert any(words.startswith(f"{line}: ") and message in words for words in found), found


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("[mac_rx, eth_rx], ", "[mac_rx, eth_rx], replicas: 2, ", "eth_rx", "has a MAC port, of"),
        ("kind: arp, ", "kind: arp, replicas: 2, ", "arp", "arp must be there once"),
        ("kind: ipv4_rx, ", "kind: ipv4_rx, replicas: 2, ", "ipv4_rx", "ipv4_rx do not tell flows"),
        (
            *("kind: ipv4_rx, ", "kind: ipv4_rx, replicas: 2, dispatch: dst_port, "),
            *("ipv4_rx", "ipv4_rx have no port"),
        ),
        (
            *("kind: ipv4_tx, ", "kind: ipv4_tx, replicas: 2, dispatch: least_loaded, "),
            *("ipv4_tx", "`{kind: scheduler, before: ipv4_tx}`"),
        ),
    ],
)
def test_what_cannot_be_shared_out(
    edited: Edited, problems: Problems, old: str, new: str, place: str, message: str
) -> None:
    file = edited((old, new))
    text = file.read_text()
    for part in text.splitlines():
        if f"name: {place}," in part:
            text = text.replace(
                part,
                part.rpartition(", at:")[0]
                + (
                    part[part.index("]}") + 1 :]
                    if "next" not in part
                    else ", next: {tcp_rx: drop}}"
                ),
            )
    file.write_text(text)
    line = next(n for n, part in enumerate(text.splitlines(), 1) if f"name: {place}," in part)
    found = problems(check.check, file)
    assert any(words.startswith(f"{line}: ") and message in words for words in found), found


@pytest.mark.parametrize(
    ("layer", "flow"),
    [("udp_tx", "meta"), ("udp_rx", "payload"), ("ipv4_tx", "address"), ("icmp_echo", "address")],
)
def test_protocol_layers_have_replicas_too(edited: Edited, layer: str, flow: str) -> None:
    file = edited((f"kind: {layer}, ", f"kind: {layer}, replicas: 2, "))
    text = file.read_text()
    lines = [
        part.rpartition(", at:")[0] + "}" if "replicas" in part else part
        for part in text.splitlines()
    ]
    file.write_text("\n".join(lines) + "\n")
    network, problems = check.resolve.load(file)
    assert not [problem for problem in problems if problem.is_error]
    flows = {each.flow for tile in network.tiles for each in dispatch.dispatch_plan(tile, network)}
    assert flows == {flow}
    generate.texts(network)  # elaborates


def test_too_many_slots_for_a_tile(tmp_path: Path, problems: Problems) -> None:
    names = ("a", "b", "c", "d", "e")
    tiles = [
        REPLICAS.replace("echo,", f"{name},", 1).replace("7", str(n + 10)).replace("s: 3", "s: 2")
        for n, name in enumerate(names)
    ]
    file = small(tmp_path, *tiles)
    file.write_text(file.read_text().replace("columns: 3", "columns: 5"))
    found = problems(check.check, file)
    assert any("would need 512 slots" in words and "256 are the most" in words for words in found)


def test_instances_are_the_tiles_of_the_mesh(tmp_path: Path) -> None:
    design = config.load(small(tmp_path, REPLICAS)).design
    assert [each.name for each in design.instances] == [
        *("receive", "arp", "transmit"),
        *("echo_0", "echo_1", "echo_2"),
    ]
    assert [each.replica for each in design.instances][2:] == [None, 0, 1, 2]
