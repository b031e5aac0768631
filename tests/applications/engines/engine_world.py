# SPDX-License-Identifier: Apache-2.0
"""The bench of one engine: packets with any sequence, and what should come out of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from bombus.applications.engines.model import (
    MAX_STEPS,
    NextHop,
    Packet,
    encrypted,
    hashed,
    with_checksum,
)
from bombus.design.rtl import constant, struct_layout
from bombus.protocols.frames import Host, Station, ethernet, ip_frame, udp_frame
from tests.support.harness import Beats, Bench, Benches, Layout, Message
from tests.support.layer_bench import HOST_MAC, open_layer

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


FUNCTIONS: dict[str, Callable[[Packet], Packet]] = {
    "engine_checksum": with_checksum,
    "engine_encrypt": lambda packet: encrypted(packet, KEY, SALT, ROUNDS),
    "engine_hash": hashed,
    "engine_count": lambda packet: packet,
    "engine_forward": lambda packet: replace(
        packet, frame=HOP.destination + HOST_MAC + packet.frame[12:], mac_port=HOP.mac_port
    ),
}


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
