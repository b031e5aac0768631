"""The protocol layers one by one: all widths give what a model says, at every pace.

What a layer refuses is tested with whole designs (tests/system); here it is the
streams that matter: stalls and gaps at every beat, resets, messages back to back.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest
from harness import (
    PACES,
    SEEDS,
    WIDTHS,
    Beats,
    Bench,
    Benches,
    Message,
    consecutive,
    csum,
    pack_meta,
)

from bombus.rtl import library

# As in benches/layer.sv.
HOST_MAC = bytes.fromhex("020000000001")
HOST_IP = bytes((10, 0, 0, 1))
GATEWAY_IP = bytes((10, 0, 0, 254))
PEER_MAC = bytes.fromhex("0200000000aa")
PEER_IP = bytes((10, 0, 0, 2))
FAR_IP = bytes((192, 0, 2, 7))

PACKET, ARP_BODY, ARP_UPDATE, UNRESOLVED, UNREACHABLE = range(5)
PROTOCOL_ICMP, PROTOCOL_UDP = 1, 17
OPEN_PORTS = (7, 9)
PARAMETERS = {
    "udp_rx": (".NumAppPorts(2)", ".AppPorts({16'd9,16'd7})", ".AppOfPort({4'd1,4'd0})"),
}


@dataclass(frozen=True)
class Case:
    """A message in, and what must come out of the layer: nothing if it is dropped."""

    message: Message
    payload: bytes | None
    next_hop: str = ""


Traffic = Callable[[Random], Case]


def number(address: bytes) -> int:
    return int.from_bytes(address, "big")


def payload(random: Random) -> bytes:
    length = random.choice([0, 1, 2, 18, random.randrange(150), random.randrange(600)])
    return random.randbytes(length)


def received(data: bytes, more: int = 0) -> Message:
    """A message with its length, its sum and more metadata."""
    return Message(data, pack_meta(length=len(data), csum=csum(data)) | more)


def checksummed(data: bytes, position: int) -> bytes:
    """With the checksum of the data put in."""
    field = (0xFFFF ^ csum(data)).to_bytes(2, "big")
    return data[:position] + field + data[position + 2 :]


def eth_rx(random: Random) -> Case:
    data = payload(random)
    kind, next_hop = random.choice([(0x0800, "ipv4_rx"), (0x0806, "arp"), (0x86DD, "")])
    to = random.choice([HOST_MAC, HOST_MAC, PEER_MAC])
    frame = to + PEER_MAC + struct.pack("!H", kind) + data
    message = Message(frame, pack_meta(length=len(frame), csum=csum(data)))
    return Case(message, data if next_hop and to == HOST_MAC else None, next_hop)


def ipv4_rx(random: Random) -> Case:
    data = payload(random)
    options = random.randbytes(4 * random.choice([0, 0, 0, 1, 3, 10]))
    protocol, next_hop = random.choice([(1, "icmp"), (17, "udp_rx"), (6, "tcp_rx"), (89, "")])
    words = 5 + len(options) // 4
    header = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x40 | words, random.getrandbits(8), 4 * words + len(data), random.getrandbits(16)),
        *(0x4000, 64, protocol, 0, PEER_IP, HOST_IP),
    )
    packet = checksummed(header + options, 10) + data
    good = random.random() < 0.8
    if not good:
        packet = packet[:10] + bytes((packet[10] ^ 0x55,)) + packet[11:]
    return Case(received(packet), data if good and next_hop else None, next_hop)


def udp_datagram(source: int, destination: int, data: bytes) -> bytes:
    pseudo = PEER_IP + HOST_IP + struct.pack("!HH", PROTOCOL_UDP, 8 + len(data))
    header = struct.pack("!HHHH", source, destination, 8 + len(data), 0)
    total = 0xFFFF ^ csum(pseudo + header + data)
    return header[:6] + (total or 0xFFFF).to_bytes(2, "big") + data


def udp_rx(random: Random) -> Case:
    data = payload(random)
    port = random.choice([*OPEN_PORTS, 5000])
    datagram = udp_datagram(random.randrange(1, 1 << 16), port, data)
    good = random.random() < 0.8
    if not good:
        datagram = datagram[:4] + struct.pack("!H", 9 + len(data)) + datagram[6:]
    message = received(datagram, pack_meta(ip=number(PEER_IP), l4__ip_rx__protocol=PROTOCOL_UDP))
    if not good:
        return Case(message, None)
    if port not in OPEN_PORTS:
        return Case(message, datagram[:8], "icmp")
    return Case(message, data, f"app{OPEN_PORTS.index(port)}")


def udp_tx(random: Random) -> Case:
    data = payload(random)
    source, destination = random.getrandbits(16), random.getrandbits(16)
    meta = pack_meta(
        ip=number(PEER_IP), l4__ports__src_port=source, l4__ports__dst_port=destination
    )
    message = received(data, meta)
    header = struct.pack("!HHHH", source, destination, 8 + len(data), 0)
    return Case(message, header + data, "ipv4_tx")


def ipv4_tx(random: Random) -> Case:
    data = payload(random)
    to, protocol, tos = (
        random.choice([PEER_IP, FAR_IP]),
        random.getrandbits(8),
        random.getrandbits(8),
    )
    message = received(data, pack_meta(ip=number(to), tos=tos, l4__ip_tx__protocol=protocol))
    header = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x45, tos, 20 + len(data), 0, 0x4000, 64, protocol, 0, HOST_IP, to),
    )
    return Case(message, checksummed(header, 10) + data, "eth_tx")


def eth_tx(random: Random) -> Case:
    kind = random.choice([PACKET, PACKET, ARP_BODY, ARP_UPDATE])
    known = random.random() < 0.7
    if kind == ARP_UPDATE:  # always the same binding, which makes the cache's state plain
        meta = pack_meta(meta_type="meta_arp_t", kind=kind, ip=number(FAR_IP), mac=number(PEER_MAC))
        return Case(Message(b"", meta), None)
    data = payload(random)
    if kind == ARP_BODY:
        meta = pack_meta(meta_type="meta_arp_t", kind=kind, length=len(data), mac=number(PEER_MAC))
        return Case(Message(data, meta), PEER_MAC + HOST_MAC + b"\x08\x06" + data, "mac_tx")
    if known:
        frame = PEER_MAC + HOST_MAC + b"\x08\x00" + data
        return Case(received(data, pack_meta(ip=number(FAR_IP))), frame, "mac_tx")
    # The destination of a frame without a binding means nothing.
    return Case(received(data, pack_meta(ip=number(PEER_IP))), data, "arp")


def icmp_echo(random: Random) -> Case:
    data = payload(random)
    kind = random.choice([8, 8, 8, 0, 13])
    request = checksummed(bytes((kind, 0, 0, 0)) + random.randbytes(4) + data, 2)
    reply = checksummed(bytes(4) + request[4:], 2)
    message = received(request, pack_meta(ip=number(PEER_IP)))
    return Case(message, reply if kind == 8 else None, "ipv4_tx")


def udp_echo(random: Random) -> Case:
    data = payload(random)
    source = random.choice([0, 5000, 6000])
    message = received(data, pack_meta(l4__ports__src_port=source, l4__ports__dst_port=7))
    return Case(message, data if source else None, "udp_tx")


LAYERS: dict[str, Traffic] = {
    layer.__name__: layer
    for layer in (eth_rx, ipv4_rx, udp_rx, udp_tx, ipv4_tx, eth_tx, icmp_echo, udp_echo)
}
# What a layer must have seen before its model holds.
FIRST = {
    "eth_tx": Message(
        b"",
        pack_meta(meta_type="meta_arp_t", kind=ARP_UPDATE, ip=number(FAR_IP), mac=number(PEER_MAC)),
    )
}
STREAMING = [name for name in LAYERS if name not in ("ipv4_rx", "eth_tx")]


def open_bench(benches: Benches, layer: str, seed: int = 1) -> Bench:
    ports = library(64).kind(layer).ports
    parameters = ",".join([".beat_t(beat_t)", *PARAMETERS.get(layer, ())])
    macros: dict[str, str | int] = {
        "LAYER": f"{layer} #({parameters}) u_layer (.*);",
        "NUM_DROPS": ports.get("drop_o", 1),
        "NUM_EVENTS": ports.get("event_o", 1),
    }
    return benches("layer", seed=seed, macros=macros)


def push(bench: Bench, layer: str, cases: list[Case], random: Random) -> None:
    messages = [FIRST[layer]] if layer in FIRST else []
    messages += [case.message for case in cases]
    for stream, width in enumerate(WIDTHS):
        bench.push(Beats(width).stream(messages, random), stream)


def next_hop_name(value: int) -> str:
    return library(64).next_names[value]


def check(bench: Bench, layer: str, cases: list[Case]) -> None:
    expected = [case for case in cases if case.payload is not None]
    dropped = len(cases) - len(expected)
    first: list[int] = []
    for stream, width in enumerate(WIDTHS):
        beats = Beats(width, ("next", 5))
        got = beats.messages(bench.items(stream), lengths=True)
        assert len(got) == len(expected)
        for message, case in zip(got, expected, strict=True):
            assert next_hop_name(message.side["next"]) == case.next_hop
            behind = 14 if layer == "eth_tx" and case.next_hop == "arp" else 0
            assert message.payload[behind:] == case.payload
        # Metadata are the same at all widths.
        first = first or [message.meta for message in got]
        assert [message.meta for message in got] == first
        if "drop_o" in library(64).kind(layer).ports and layer != "eth_tx":  # which takes updates
            assert sum(bench.events[16 * stream : 16 * stream + 8]) == dropped


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("layer", LAYERS)
def test_layer(benches: Benches, layer: str, seed: int) -> None:
    random = Random(seed)
    bench = open_bench(benches, layer, seed)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        cases = [LAYERS[layer](random) for _ in range(60)]
        push(bench, layer, cases, random)
        bench.drain()
        check(bench, layer, cases)


@pytest.mark.parametrize("layer", LAYERS)
def test_layer_forgets_at_reset(benches: Benches, layer: str) -> None:
    random = Random(9)
    bench = open_bench(benches, layer)
    for _ in range(15):
        push(bench, layer, [LAYERS[layer](random) for _ in range(20)], random)
        bench.pace(gap=0.2, stall=random.choice([0.2, 0.8, 1.0]))
        bench.run(random.randrange(1, 80))
        bench.reset(1)
        bench.pace(gap=0.3, stall=0.3)
        cases = [LAYERS[layer](random) for _ in range(8)]
        push(bench, layer, cases, random)
        bench.drain()
        check(bench, layer, cases)
        bench.forget()


@pytest.mark.parametrize("layer", STREAMING)
def test_layer_takes_or_gives_a_beat_in_every_cycle(benches: Benches, layer: str) -> None:
    """Back to back messages: a layer that removes bytes never stops its input, one that
    adds bytes leaves no gap in its output."""
    random = Random(10)
    bench = open_bench(benches, layer)
    cases: list[Case] = []
    while len(cases) < 60:
        case = LAYERS[layer](random)
        if case.payload is not None and case.next_hop != "icmp":
            cases.append(case)
    push(bench, layer, cases, random)
    bench.drain()
    check(bench, layer, cases)
    for stream in range(len(WIDTHS)):
        out = [cycle for cycle, _ in bench.received(stream)]
        assert consecutive(bench.taken(stream)) or consecutive(out)
