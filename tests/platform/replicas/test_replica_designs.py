# SPDX-License-Identifier: Apache-2.0
"""Replicas in a design file: what they become."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bombus.analysis import check
from bombus.base import yaml_file
from bombus.base.errors import DesignError
from bombus.base.paths import BENCHMARKS
from bombus.design import config, dispatch, resolve
from bombus.design.facts import Facts
from bombus.design.resolved import Design
from bombus.generation import generate
from bombus.generation.manifest import manifest
from bombus.registers.access import open_map
from bombus.simulator.balancer import Balancer
from tests.platform.replicas.replicas import REPLICAS, small
from tests.support.helpers import DESIGNS, Edited, Words


def targets(design: Design, source: str, hop: str) -> list[str]:
    return [
        str(each.target) for each in design.hops if (str(each.source), each.name) == (source, hop)
    ]


def plan(design: Design, tile: str) -> list[dispatch.Dispatch]:
    (found,) = [each for each in design.tiles if each.name == tile]
    return Facts(design).dispatches[found.interfaces[0]]


def test_one_line_makes_several_tiles(tmp_path: Path) -> None:
    facts, warnings = check.check(small(tmp_path, REPLICAS))
    assert warnings == []
    assert targets(facts.design, "receive.udp_rx", "udp_port_7") == ["echo_0", "echo_1", "echo_2"]
    assert [binding.name for binding in facts.design.bindings_of("udp_port")] == ["udp_port_7"]
    (group,) = plan(facts.design, "receive")
    assert (group.group.policy, group.first_slot, group.slot_bits) == ("flow_hash", 0, 6)
    shares = Counter(str(layer) for layer in group.slots)
    assert sorted(shares.values()) == [21, 21, 22]


@pytest.mark.parametrize(
    ("replicas", "bits"), [(2, 6), (15, 6), (16, 6), (17, 7), (32, 7), (33, 8), (64, 8)]
)
def test_a_hash_has_at_least_64_buckets_and_4_for_each_replica(
    tmp_path: Path, replicas: int, bits: int
) -> None:
    file = small(tmp_path, REPLICAS.replace("3", str(replicas)))
    file.write_text(file.read_text().replace("fabric: {columns: 3, rows: 3}\n", ""))
    design, _ = resolve.load(file)
    (group,) = plan(design, "receive")
    assert group.slot_bits == bits
    assert dispatch.num_slots([group]) == 2**bits
    shares = Counter(str(layer) for layer in group.slots)
    assert shares.keys() == {f"echo_{n}" for n in range(replicas)}
    assert sum(shares.values()) == 2**bits
    assert max(shares.values()) - min(shares.values()) <= 1


@pytest.mark.parametrize(
    ("slots", "polynomial"), [(2, 0b11), (8, 0b1011), (64, 0b1000011), (256, 0b100011101)]
)
def test_a_flow_goes_to_the_remainder_of_its_address_and_ports(slots: int, polynomial: int) -> None:
    bits = slots.bit_length() - 1
    for last, source, destination in ((2, 40_000, 7), (254, 1, 65_535), (255, 65_535, 0x8001)):
        rest = (10 << 56) | (77 << 48) | (last << 32) | (source << 16) | destination
        for i in reversed(range(bits, 64)):
            if rest >> i & 1:
                rest ^= polynomial << i - bits
        assert dispatch.flow_bucket(f"10.77.0.{last}", source, destination, slots) == rest


def test_positions_of_replicas(tmp_path: Path) -> None:
    tile = REPLICAS.replace("}", ", at: [[2, 0], [1, 1], [2, 2]]}")
    facts, _ = check.check(small(tmp_path, tile))
    at = {tile.name: (tile.x, tile.y) for tile in facts.design.tiles}
    assert [at[f"echo_{n}"] for n in range(3)] == [(2, 0), (1, 1), (2, 2)]


def test_one_replica_needs_no_choice(tmp_path: Path) -> None:
    facts, _ = check.check(small(tmp_path, REPLICAS.replace("3", "1")))
    assert targets(facts.design, "receive.udp_rx", "udp_port_7") == ["echo_0"]
    assert plan(facts.design, "receive") == []
    texts = generate.texts(facts)
    assert not any("Groups(" in text for text in texts.values() if text.startswith("// Tile"))


@pytest.mark.parametrize("policy", ["round_robin", "flow_hash", "dst_port", "least_loaded"])
def test_scheduler_stands_between(tmp_path: Path, policy: str) -> None:
    tiles = (
        "{name: balancer, kind: scheduler, before: echo, at: [1, 0]}",
        REPLICAS.replace("}", f", dispatch: {policy}}}"),
    )
    facts, warnings = check.check(small(tmp_path, *tiles))
    assert warnings == []
    assert targets(facts.design, "receive.udp_rx", "udp_port_7") == ["balancer"]
    assert targets(facts.design, "balancer", "served") == ["echo_0", "echo_1", "echo_2"]
    assert plan(facts.design, "receive") == []
    (group,) = plan(facts.design, "balancer")
    assert group.group.policy == policy
    text = generate.texts(facts)["tiles/small_tile_balancer.sv"]
    assert ("done_from_echo_2_i" in text) == (policy == "least_loaded")


def test_dst_port_gives_each_replica_a_port(tmp_path: Path) -> None:
    tile = REPLICAS.replace("7", "7002").replace("}", ", dispatch: dst_port}")
    other = "{name: other, kind: udp_echo, udp_port: 9}"
    facts, _ = check.check(small(tmp_path, other, tile))
    bindings = {
        each.name: (each.values, each.targets) for each in facts.design.bindings_of("udp_port")
    }
    assert bindings["udp_port_9"][0] == (9,)
    ports, echoes = bindings["udp_port_7002"]
    assert ports == (7002, 7003, 7004)
    (group,) = plan(facts.design, "receive")
    for port, echo in zip(ports, echoes, strict=True):
        assert group.slots[port & 3] == echo
    text = generate.texts(facts)["tiles/small_tile_receive.sv"]
    assert ".BoundKeys({16'd7004, 16'd7003, 16'd7002, 16'd9})" in text
    assert ".BoundHops({8'd1, 8'd1, 8'd1, 8'd0})" in text


def test_next_names_all_replicas_or_one(tmp_path: Path) -> None:
    for name, expected in (("echo", 3), ("echo_1", 1)):
        file = small(tmp_path, REPLICAS)
        text = file.read_text().replace(
            "  - {name: arp", f"    next: {{udp_port_7: {name}}}\n  - {{name: arp"
        )
        file.write_text(text)
        if expected == 1:  # nothing leads to the others
            file.write_text(text.replace("replicas: 3", "replicas: 2"))
        design, problems = check.resolve.load(file)
        assert not [problem for problem in problems if problem.is_error]
        assert len(targets(design, "receive.udp_rx", "udp_port_7")) == expected


def test_slots_of_several_groups_do_not_meet(tmp_path: Path) -> None:
    facts, _ = check.check(DESIGNS / "scale_28.yaml")
    groups = plan(facts.design, "receive")
    assert [group.group.name for group in groups] == ["flow", "turn", "port"]
    used: list[int] = []
    for group in groups:
        assert group.first_slot % (1 << group.slot_bits) == 0
        used += range(group.first_slot, group.first_slot + (1 << group.slot_bits))
    assert len(used) == len(set(used))
    assert dispatch.num_slots(groups) >= max(used) + 1


def test_the_mesh_that_is_measured_is_the_one_that_ships() -> None:
    """So that simulations at 64 bits are representative of the design at 512."""
    shipped, measured = (
        yaml_file.read(file, "design file")
        for file in (DESIGNS / "scale_28.yaml", BENCHMARKS / "scale.yaml")
    )
    for key in ("name", "data_width", "line_rate_gbps", "sources"):
        assert shipped.pop(key, None) != measured.pop(key, None)
    for tile in measured["tiles"]:
        if tile.get("kind") == "udp_work":
            tile["kind"] = "udp_echo"
    assert measured == shipped


def test_manifest_says_where_slots_lead(tmp_path: Path) -> None:
    facts, _ = check.check(small(tmp_path, REPLICAS.replace("}", ", dispatch: round_robin}")))
    (group,) = manifest(facts)["dispatch"]
    assert group == {
        "network": "data",
        "tile": "receive",
        "next": ["udp_port_7"],
        "group": "echo",
        "number": 0,
        "policy": "round_robin",
        "policies": ["round_robin"],
        "slot_policy": "round_robin",
        "first_slot": 0,
        "replicas": [f"echo_{n}.udp_echo" for n in range(3)],
        "slots": [{"to": f"echo_{n}", "port": 0} for n in range(3)],
    }


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
    design, problems = check.resolve.load(file)
    assert not [problem for problem in problems if problem.is_error]
    flows = {each.flow for plan in Facts(design).dispatches.values() for each in plan}
    assert flows == {flow}
    generate.texts(Facts(design))  # elaborates


def test_instances_are_the_tiles_of_the_mesh(tmp_path: Path) -> None:
    design = config.load(small(tmp_path, REPLICAS)).config
    assert [each.name for each in design.instances] == [
        *("receive", "arp", "transmit"),
        *("echo_0", "echo_1", "echo_2"),
    ]
    assert [each.replica for each in design.instances][2:] == [None, 0, 1, 2]


def test_two_groups_of_one_tile_are_told_apart(tmp_path: Path) -> None:
    """Both next hops are called `served`, and one tile chooses among both groups."""
    two = REPLICAS.replace("3", "2")
    facts, _ = check.check(
        small(
            tmp_path,
            "{name: balancer, layers: [scheduler: {before: one}, scheduler: {before: two}]}",
            two.replace("name: echo", "name: one"),
            two.replace("name: echo", "name: two").replace("7", "8"),
        )
    )
    told = manifest(facts)
    (tile,) = [each for each in told["tiles"] if each["name"] == "balancer"]
    senders = told["dispatch"]
    assert [each["next"] for each in senders] == [["served"], ["balancer.scheduler_2.served"]]
    assert [each["number"] for each in senders] == [0, 1]
    for number, (sender, hop) in enumerate(zip(senders, tile["next_hops"].values(), strict=True)):
        port, expected = Words(), Words()
        registers = open_map(told, port)
        balancer = Balancer(registers, told, [f"{sender['group']}_{n}" for n in range(2)])
        table = open_map(told, expected).tiles["balancer"]
        balancer.policy = "round_robin"
        table.next_hop[hop].write(valid=1, is_group=1, port=0, y=1, x=number)
        assert port.words == expected.words
        balancer.disable(1)
        (stays,) = (each for each in told["tiles"] if each["name"] == balancer.tiles[0])
        for slot in range(64 * number + 1, 64 * (number + 1), 2):
            table.slot[slot].write(valid=1, is_group=0, port=0, y=stays["y"], x=stays["x"])
        assert port.words == expected.words


@pytest.mark.parametrize(
    ("slots", "lanes", "senders", "limit"),
    [(8, 1, 2, 6), (8, 1, 3, 4), (64, 1, 2, 61), (4, 1, 3, 0), (16, 4, 2, 14)],
)
def test_load_is_limited_by_the_slots_of_a_processor(
    tmp_path: Path, slots: int, lanes: int, senders: int, limit: int
) -> None:
    """Less what other senders may have sent that one does not know of yet."""
    name = "middlebox" if lanes == 1 else "middlebox_8"
    text = (DESIGNS / f"{name}.yaml").read_text()
    text = text.replace("dispatch: flow_hash", "dispatch: [flow_hash, least_loaded]")
    text = re.sub("num_slots: [0-9]+", f"num_slots: {slots}", text)
    text = re.sub("slot_bytes: [0-9]+", "slot_bytes: 2048", text)
    if senders == 3:
        loop = "{frame_loop: {mac_port: 2, drops_when_full: true}}"
        text += f"  - {{name: again, layers: [{loop}], at: [1, 2]}}\n"
    file = tmp_path / "design.yaml"
    file.write_text(text)
    if not limit:
        message = "rpu takes 4 messages, but 3 tiles send to it, which need 5 under least_loaded"
        with pytest.raises(DesignError, match=message):
            check.check(file)
        return
    found = generate.texts(check.check(file)[0])
    assert f"limit: {limit}\n" in found[f"tiles/{name}_tile_port_0.sv"]


def test_load_of_others_has_no_limit(tmp_path: Path) -> None:
    file = small(tmp_path, REPLICAS.replace("}", ", dispatch: least_loaded}"))
    assert "limit: 0\n" in generate.texts(check.check(file)[0])["tiles/small_tile_receive.sv"]


@pytest.mark.parametrize("drops", [True, False])
def test_a_sender_that_its_replicas_wait_for_closes_a_cycle(tmp_path: Path, drops: bool) -> None:
    """It waits until a replica has finished a message, which the replica sends to it."""
    text = (DESIGNS / "middlebox.yaml").read_text()
    text = text.replace("dispatch: flow_hash", "dispatch: least_loaded")
    loop = f"{{frame_loop: {{mac_port: 2, drops_when_full: {str(drops).lower()}}}}}"
    file = tmp_path / "design.yaml"
    file.write_text(f"{text}  - {{name: again, layers: [{loop}], at: [1, 2]}}\n")
    if drops:
        check.check(file)
        return
    with pytest.raises(check.DeadlockError, match="again"):
        check.check(file)
