# SPDX-License-Identifier: Apache-2.0
"""engine_parser: the rule, metadata and next hop of every packet match the model."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from bombus.applications.engines.model import MAX_STEPS, Engines, Packet, Rule
from bombus.design.rtl import struct_layout
from tests.applications.engines.engine_world import (
    BOUND,
    FIRST_EXIT,
    NEXT,
    WIDTH,
    Case,
    bindings,
    fields,
    message,
    meta_of,
    next_hop,
    packet_beats,
    some_frame,
    unpack,
)
from tests.support.harness import PACES, SEEDS, Benches, Layout, consecutive
from tests.support.layer_bench import counts, open_layer

pytestmark = pytest.mark.slow

RULES = {
    0: Rule((5, 9), 1, 1, port=7),
    1: Rule((1,) * MAX_STEPS, 2, 2, protocol=6),
    3: Rule((), 63, 0, ether_type=0x88B5),
    4: Rule((2, 3), 5, 1, port=8, mac_port=1),
    9: Rule((3,), 6, 3, protocol=17, ether_type=0x0800, mac_port=0),
    15: Rule((15, 1), 7, 0, ether_type=0x0800, mac_port=3),
}


# A rule as the layer has it, the highest bits first.
RULE = (
    ("ether_type", 16),
    ("port", 16),
    ("protocol", 8),
    ("mac_port", 3),
    ("any_ether_type", 1),
    ("any_port", 1),
    ("any_protocol", 1),
    ("any_mac_port", 1),
    ("valid", 1),
    ("flow", 6),
    ("to_mac_port", 3),
    ("steps", 60),
)


def rule_word(rule: Rule | None) -> str:
    layout = Layout(*reversed(RULE))
    value = layout.pack(**rule.registers()) if rule else 0
    return f"{layout.width}'h{value:x}"


@pytest.mark.parametrize("seed", SEEDS)
def test_parser(benches: Benches, seed: int) -> None:
    random = Random(seed)
    table = "{" + ",".join(rule_word(RULES.get(n)) for n in reversed(range(16))) + "}"
    bench = open_layer(
        benches,
        "engine_parser",
        bindings(),
        bound=len(BOUND),
        metadata="engine_pkg::engine_packet_meta_t",
        inputs={"regs_i": table},
        seed=seed,
        NumWidths=1,
        FirstWidth=WIDTH,
    )
    packet_meta = struct_layout("packet_meta_t")
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        frames = [some_frame(random) for _ in range(80)]
        frames[::9] = [frame[: random.randrange(1, 18)] for frame in frames[::9]]
        sent, expected = [], []
        drops = {"too_short": 0, "no_rule": 0}
        for frame in frames:
            vlan, port = random.getrandbits(17), random.getrandbits(2)
            values = {"vlan.valid": vlan >> 16, "vlan.tci": vlan & 0xFFFF, "mac_port": port}
            meta = sum(values[name] << packet_meta[name].offset for name in values)
            sent.append(message(frame, meta, 0))
            packet = Packet(frame, port)
            rule = next((r for r in RULES.values() if packet.matches(r)), None)
            if len(frame) < 18:
                drops["too_short"] += 1
            elif rule is None:
                drops["no_rule"] += 1
            else:
                packet = replace(packet, mac_port=rule.to_mac_port, flow=rule.flow)
                expected.append((Case(packet, rule.steps, vlan), frame))
        before = counts(bench, "engine_parser", 0)
        bench.push(packet_beats().stream(sent, random))
        bench.drain()
        got = packet_beats(NEXT).messages(bench.items(), lengths=True)
        assert counts(bench, "engine_parser", 0) - before == {k: v for k, v in drops.items() if v}
        assert len(got) == len(expected)
        for came, (case, frame) in zip(got, expected, strict=True):
            step = case.steps[0] if case.steps else 0
            hop = next_hop(case.packet, step)
            assert BOUND[came.side["next"]] == (hop or FIRST_EXIT)
            assert came.payload == frame and came["kind"] == 1
            lost = int(hop is None)
            assert meta_of(came) == unpack(replace(case, steps=case.steps[1:]).meta(lost=lost))
        if not pace["gap"] and not pace["stall"]:
            assert consecutive(bench.taken())


def test_model_numbers() -> None:
    """The model's limits are those of the package."""
    assert fields()["steps"][1] == 4 * MAX_STEPS
    assert Engines({}, []).rounds == 20
