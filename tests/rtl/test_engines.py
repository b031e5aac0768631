# SPDX-License-Identifier: Apache-2.0
"""The engines one by one: every packet is what the model says, goes where its sequence says, at
every pace, one beat a cycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

import pytest
from harness import PACES, SEEDS, Beats, Bench, Benches, Layout, Message, consecutive
from layer_bench import HOST_MAC, counts, open_layer

from bombus.design.rtl import constant, struct_layout
from bombus.golden.engines import (
    MAX_STEPS,
    NUM_FLOWS,
    Engines,
    Flow,
    NextHop,
    Packet,
    Rule,
    encrypted,
    hashed,
    with_checksum,
)
from bombus.golden.frames import (
    Host,
    Station,
    ethernet,
    ip_frame,
    pseudo_header,
    sums_to_zero,
    udp_frame,
)

WIDTH = 512
KINDS = {
    1: "engine_checksum",
    2: "engine_encrypt",
    3: "engine_hash",
    4: "engine_count",
    5: "engine_forward",
}
# Bound targets of an engine: engines, and the exits of MAC ports 0 and 2.
FIRST_EXIT = constant("engine_pkg::FirstExit")
BOUND = (*KINDS, FIRST_EXIT, FIRST_EXIT + 2)
NUMBERS = {kind: number for number, kind in KINDS.items()}
KEY, SALT = bytes(range(7, 39)), bytes((9, 8, 7, 6))
ROUNDS = 8
HOP = NextHop(bytes.fromhex("c2917b55d3aa"))
STATION = Station.of("02:00:00:00:00:99", "10.77.0.1")
HOST = Host(HOST_MAC, bytes((10, 77, 0, 2)), bytes(4))
NEXT = ("next", 5)
# What the bench reads from engine_count: the time, then an entry as in engine_count.rdl.
FLOW = Layout(("time_us", 32), ("packets", 32), ("hash", 32), ("bytes", 48))


def next_hop(packet: Packet, step: int, own: int = 0) -> int | None:
    """The key of a packet's next step; None if it does not exist."""
    key = step or FIRST_EXIT + packet.mac_port
    return key if key in BOUND and step != (own or None) else None


def bindings() -> list[str]:
    return [
        f".NumBound({len(BOUND)})",
        f".NumBoundHops({len(BOUND)})",
        ".BoundKeys({" + ",".join(f"16'd{key}" for key in reversed(BOUND)) + "})",
        ".BoundHops({" + ",".join(f"8'd{n}" for n in reversed(range(len(BOUND)))) + "})",
    ]


@cache
def fields() -> dict[str, tuple[int, int]]:
    layout = struct_layout("engine_packet_meta_t", "engine_pkg")
    return {name: (place.offset, place.width) for name, place in layout.items()}


def meta_bits() -> int:
    return max(offset + width for offset, width in fields().values())


def packet_beats(*side: tuple[str, int]) -> Beats:
    """Metadata wider than a packet's is passed next to the beat."""
    packet_bits = dict(Beats(WIDTH).layout.fields)["meta"][1].bit_length()
    return Beats(WIDTH, ("more", meta_bits() - packet_bits), *side, first_only=["more"])


def pack(**values: int) -> int:
    meta = 0
    for name, value in values.items():
        offset, width = fields()[name]
        assert 0 <= value < 1 << width
        meta |= value << offset
    return meta


def unpack(meta: int) -> dict[str, int]:
    return {name: meta >> at & (1 << width) - 1 for name, (at, width) in fields().items()}


def message(frame: bytes, meta: int, kind: int = 1) -> Message:
    """With metadata of an engine_packet, split as the bench wants them."""
    low = packet_beats().layout.fields["meta"][1].bit_length()
    above = (kind << 14 | len(frame)) << low
    return Message(frame, meta & (1 << low) - 1 | above, {"more": meta >> low})


def meta_of(got: Message) -> dict[str, int]:
    low = packet_beats().layout.fields["meta"][1].bit_length()
    return unpack(got.side["more"] << low | got.meta & (1 << low) - 1)


def some_frame(random: Random) -> bytes:
    size = random.choice([0, 7, 8, 9, 21, 22, 23, random.randrange(150), random.randrange(1500)])
    data = random.randbytes(size)
    shape = random.randrange(8)
    if shape == 0:
        return ethernet(HOST.mac, STATION.mac, 0x88B5, random.randbytes(max(4, size)))
    if shape == 1:
        return ip_frame(STATION, HOST, 6, random.randbytes(20) + data)
    if shape == 2:  # options: no ports
        return ip_frame(STATION, HOST, 17, data, options=bytes(4))
    if shape == 3:  # a fragment
        return ip_frame(STATION, HOST, 17, data + bytes(8), fragment=random.choice([1, 0x2000]))
    if shape == 4:
        return ip_frame(STATION, HOST, random.choice([6, 17, 1]), data[:7])
    checksum = random.choice([None, 0, random.getrandbits(16)])
    return udp_frame(STATION, HOST, data, port=random.choice([7, 8, 9]), udp_checksum=checksum)


@dataclass(frozen=True)
class Case:
    """A packet arriving at an engine, with its remaining sequence."""

    packet: Packet
    steps: tuple[int, ...]
    vlan: int

    @classmethod
    def random(cls, random: Random, *, small: bool = False) -> Case:
        frame = udp_frame(STATION, HOST, b"") if small else some_frame(random)
        packet = Packet(frame, random.getrandbits(2), random.randrange(64), random.getrandbits(32))
        size = random.choice([0, 0, 1, 2, MAX_STEPS])
        steps = tuple(random.choice([1, 2, 3, 4, 5, 9]) for _ in range(size))
        return cls(packet, steps, random.getrandbits(17))

    def meta(self, **changes: int) -> int:
        packet = self.packet
        protocol = packet.protocol
        return pack(
            **{
                "steps": sum(step << 4 * n for n, step in enumerate(self.steps)),
                "flow": packet.flow,
                "hash": packet.hash,
                "is_udp": int(protocol == 17),
                "is_tcp": int(protocol == 6),
                "vlan": self.vlan,
                "mac_port": packet.mac_port,
                **changes,
            }
        )


Function = Callable[[Packet], Packet]
FUNCTIONS: dict[str, Function] = {
    "engine_checksum": with_checksum,
    "engine_encrypt": lambda packet: encrypted(packet, KEY, SALT, ROUNDS),
    "engine_hash": hashed,
    "engine_count": lambda packet: packet,
    "engine_forward": lambda packet: replace(
        packet, frame=HOP.destination + HOST_MAC + packet.frame[12:], mac_port=HOP.mac_port
    ),
}
STORING = ("engine_checksum", "engine_hash", "engine_encrypt")


def number(data: bytes) -> int:
    """Bytes as the registers have them, the first one lowest."""
    return int.from_bytes(data, "little")


def hop_word(hop: NextHop) -> str:
    given = hop.registers()
    value = Layout(("destination", 48), ("mac_port", 3), ("refuse", 1), ("valid", 1))
    return f"{value.width}'h{value.pack(**given):x}"


def open_engine(benches: Benches, layer: str, seed: int = 1, hop: NextHop = HOP) -> Bench:
    arguments = [f".Engine({NUMBERS[layer]})", *bindings()]
    # The table of engine_count is read continuously, at the index given by the time.
    inputs = {
        "next_hops_i": hop_word(hop),
        "flows_request_i": "1'b1",
        "flows_index_i": "time_us_i[5:0]",
    }
    if layer == "engine_encrypt":
        arguments.append(f".Rounds({ROUNDS})")
        key, salt = f"256'h{number(KEY):x}", f"32'h{number(SALT):x}"
        inputs["regs_i"] = f"'{{key: '{{bits: {key}}}, salt: '{{bits: {salt}}}}}"
    return open_layer(
        benches,
        layer,
        arguments,
        bound=len(BOUND),
        metadata="engine_pkg::engine_packet_meta_t",
        shown="flows_rdata_o" if layer == "engine_count" else "",
        inputs=inputs,
        seed=seed,
        NumWidths=1,
        FirstWidth=WIDTH,
    )


def run(bench: Bench, cases: Sequence[Case], random: Random) -> list[Message]:
    items = packet_beats().stream((message(c.packet.frame, c.meta()) for c in cases), random)
    bench.push(items)
    bench.drain(quiet=200)
    return packet_beats(NEXT).messages(bench.items(), lengths=True)


def check(layer: str, cases: Sequence[Case], got: Sequence[Message], refused: bool = False) -> None:
    assert len(got) == len(cases)
    for case, came in zip(cases, got, strict=True):
        expected = FUNCTIONS[layer](case.packet)
        step = case.steps[0] if case.steps else 0
        hop = next_hop(expected, step, NUMBERS[layer])
        goes_to = FIRST_EXIT if hop is None or refused else hop
        assert BOUND[came.side["next"]] == goes_to
        assert came.payload == expected.frame
        meta = meta_of(came)
        assert meta == unpack(
            replace(case, steps=case.steps[1:]).meta(
                hash=expected.hash,
                mac_port=expected.mac_port,
                is_udp=int(case.packet.protocol == 17),
                is_tcp=int(case.packet.protocol == 6),
                lost=int(hop is None and not refused),
                discard=int(refused),
            )
        )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("layer", FUNCTIONS)
def test_engine(benches: Benches, layer: str, seed: int) -> None:
    random = Random(seed)
    bench = open_engine(benches, layer, seed)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        cases = [Case.random(random) for _ in range(60)]
        check(layer, cases, run(bench, cases, random))


@pytest.mark.parametrize("layer", FUNCTIONS)
def test_reset(benches: Benches, layer: str) -> None:
    random = Random(4)
    bench = open_engine(benches, layer)
    for _ in range(30):
        some = [Case.random(random) for _ in range(5)]
        bench.push(packet_beats().stream(message(c.packet.frame, c.meta()) for c in some))
        bench.pace(gap=0.2, stall=random.choice([0.2, 0.8, 1.0]))
        bench.run(random.randrange(1, 150))
        bench.reset(1)
        bench.pace(gap=0.3, stall=0.3)
        cases = [Case.random(random) for _ in range(3)]
        check(layer, cases, run(bench, cases, random))
        bench.forget()


@pytest.mark.parametrize("layer", FUNCTIONS)
@pytest.mark.parametrize("small", [True, False])
def test_a_beat_goes_through_in_every_cycle(benches: Benches, layer: str, small: bool) -> None:
    """Packets of one beat, and of any size, back to back: none waits."""
    random = Random(5)
    bench = open_engine(benches, layer)
    cases = [Case.random(random, small=small) for _ in range(700)]
    check(layer, cases, run(bench, cases, random))
    assert consecutive(bench.taken())
    if small:
        assert consecutive([cycle for cycle, _ in bench.received()])


@pytest.mark.parametrize("layer", STORING)
def test_full_store(benches: Benches, layer: str) -> None:
    """Nothing is lost when an engine fills up behind a stalled output."""
    random = Random(6)
    bench = open_engine(benches, layer)
    cases = [Case.random(random, small=n % 2 == 0) for n in range(700)]
    bench.push(packet_beats().stream(message(c.packet.frame, c.meta()) for c in cases))
    bench.pace(stall=1.0)
    bench.run(3000)
    assert bench.waiting()
    bench.pace()
    bench.drain(quiet=200)
    check(layer, cases, packet_beats(NEXT).messages(bench.items(), lengths=True))


def test_refused(benches: Benches) -> None:
    """Packets refused by engine_forward go to the exit, marked, and are counted."""
    layer, random = "engine_forward", Random(7)
    for hop, event in ((replace(HOP, refuse=True), "refused"), (None, "no_entry")):
        cases = [Case.random(random) for _ in range(50)]
        if hop is None:
            bench = open_layer_without_entry(benches)
            got = run(bench, cases, random)
            assert all(meta_of(came)["discard"] for came in got)
        else:
            bench = open_engine(benches, layer, hop=hop)
            check(layer, cases, run(bench, cases, random), refused=True)
        assert counts(bench, layer, 0)[event] == len(cases)


def tcp_frame(checksum: int | None = None) -> bytes:
    """A segment whose checksum is 0 if it is right; that, or another."""
    segment = bytes.fromhex("0007 1f90 00000001 00000002 5010 ffff 0000 0000") + b"bees"
    frame = ip_frame(STATION, HOST, 6, segment + bytes(2))
    right = int.from_bytes(with_checksum(Packet(frame, 0)).frame[50:52])
    frame = frame[:58] + right.to_bytes(2)  # the last two bytes make up for the rest
    return frame if checksum is None else frame[:50] + checksum.to_bytes(2) + frame[52:]


def test_right_and_wrong_checksums_are_counted(benches: Benches) -> None:
    """0 is right for a TCP segment that sums to all ones, and says the same as 0xFFFF."""
    random = Random(9)
    udp = udp_frame(STATION, HOST, b"bees")
    assert sums_to_zero(pseudo_header(udp[26:30], udp[30:34], 6, 26) + tcp_frame()[34:])
    for frame, event in (
        (udp, "right"),
        (udp_frame(STATION, HOST, b"bees", udp_checksum=0), "corrected"),
        (udp_frame(STATION, HOST, b"bees", udp_checksum=1), "corrected"),
        (tcp_frame(), "right"),
        (tcp_frame(0xFFFF), "right"),
        (tcp_frame(1), "corrected"),
        (with_checksum(Packet(ip_frame(STATION, HOST, 6, bytes(20)), 0)).frame, "right"),
        (ip_frame(STATION, HOST, 6, bytes(20)), "corrected"),
        (ip_frame(STATION, HOST, 1, bytes(20)), "no_checksum"),
    ):
        bench = open_engine(benches, "engine_checksum")
        cases = [Case(Packet(frame, 0), (), 0)]
        check("engine_checksum", cases, run(bench, cases, random))
        counted = counts(bench, "engine_checksum", 0)
        assert {name for name, count in counted.items() if count} == {event}, frame.hex()


def flows(bench: Bench) -> dict[int, Flow]:
    """Counters of engine_count, by flow."""
    found = {}
    for _ in range(NUM_FLOWS):
        bench.control(1)
        bench.run()
        bench.control(0)
        bench.run(3)
        entry = FLOW.unpack(bench.status)
        counted = Flow(entry["packets"], entry["bytes"], entry["hash"])
        if counted != Flow():
            found[entry["time_us"] % NUM_FLOWS] = counted
    return found


def expected_flows(cases: Sequence[Case]) -> dict[int, Flow]:
    found: dict[int, Flow] = {}
    for packet in (case.packet for case in cases):
        flow = found.setdefault(packet.flow, Flow())
        flow.packets += 1
        flow.bytes += len(packet.frame)
        flow.hash = packet.hash
    return found


# Flows of consecutive packets: an entry is read while packets are being added to it.
SEQUENCES = ([7] * 60, [7, 8] * 40, [7, 7, 8] * 40, [7, 8, 9] * 30, [63, 0, 0, 63, 0] * 20, [])


@pytest.mark.parametrize("pace", PACES)
def test_packets_of_a_flow_are_counted(benches: Benches, pace: dict[str, float]) -> None:
    """Of one beat each; without pauses, in consecutive cycles."""
    random = Random(8)
    bench = open_engine(benches, "engine_count")
    for sequence in SEQUENCES:
        bench.reset()
        bench.pace(**pace)
        numbers = sequence or random.choices([3, 4, 5], k=200)
        cases = [Case.random(random, small=True) for _ in numbers]
        cases = [
            replace(case, packet=replace(case.packet, flow=flow))
            for case, flow in zip(cases, numbers, strict=True)
        ]
        check("engine_count", cases, run(bench, cases, random))
        if not pace["gap"] and not pace["stall"]:
            assert consecutive(bench.taken())
            assert consecutive([cycle for cycle, _ in bench.received()])
        assert flows(bench) == expected_flows(cases)


def test_packets_of_any_size_are_counted(benches: Benches) -> None:
    """Each once, with the bytes of all of its beats."""
    random = Random(9)
    bench = open_engine(benches, "engine_count")
    cases = [Case.random(random) for _ in range(300)]
    check("engine_count", cases, run(bench, cases, random))
    assert flows(bench) == expected_flows(cases)


def test_counting_starts_anew_with_a_reset(benches: Benches) -> None:
    """Also in the middle of packets: none of those before counts."""
    random = Random(10)
    bench = open_engine(benches, "engine_count")
    for _ in range(20):
        before = [Case.random(random, small=random.random() < 0.7) for _ in range(40)]
        bench.push(packet_beats().stream(message(c.packet.frame, c.meta()) for c in before))
        bench.run(random.randrange(1, 40))
        bench.reset(1)
        cases = [Case.random(random, small=True) for _ in range(5)]
        check("engine_count", cases, run(bench, cases, random))
        assert flows(bench) == expected_flows(cases)


def open_layer_without_entry(benches: Benches) -> Bench:
    return open_layer(
        benches,
        "engine_forward",
        bindings(),
        metadata="engine_pkg::engine_packet_meta_t",
        bound=len(BOUND),
        NumWidths=1,
        FirstWidth=WIDTH,
    )


# ---- The parser ----


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
