# SPDX-License-Identifier: Apache-2.0
"""Messages for each layer by itself, and what must become of them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from tests.support.harness import (
    WIDTHS,
    Beats,
    Bench,
    Benches,
    Message,
    csum,
    pack_meta,
    same_sum,
)
from tests.support.layer_bench import HOST_IP, HOST_MAC, counts, layer_kind, open_layer

PEER_MAC = bytes.fromhex("c2917b55d3aa")
PEER_IP = bytes((10, 0, 0, 2))
FAR_IP = bytes((192, 0, 2, 7))
MAX_FRAME = 9600
PACKET, ARP_BODY, ARP_UPDATE, _, UNREACHABLE, ROUTED, ICMP_ERROR = range(7)
# Metadata of a routed_packet above those of the packet, the lowest bits first, for the layers
# that take it.
ROUTED_FIELDS = (("may_fragment", 1), ("id", 16), ("ttl", 8), ("source", 32))
TAKE_ROUTED = ("ipv4_tx", "udp_tx")
PROTOCOL_ICMP, PROTOCOL_UDP = 1, 17
OPEN_PORTS = (7, 9)
# Names of bound targets, by key.
BOUND = {
    "eth_rx": {0x0800: "ipv4_rx", 0x0806: "arp"},
    "ipv4_rx": {1: "icmp", 17: "udp_rx", 6: "tcp_rx"},
    "eth_tx": {0: "mac_port_0"},
    "icmp_echo": {6: "tcp_errors"},
    "udp_rx": {7: "udp_port_7", 9: "udp_port_9"},
}


def parameters(layer: str) -> list[str]:
    keys = list(BOUND.get(layer, ()))
    if not keys:
        return []
    count = len(keys)
    kinds = [f".KindIcmpError({ICMP_ERROR})"] if layer == "icmp_echo" else []
    return [
        *kinds,
        f".NumBound({count})",
        f".NumBoundHops({count})",
        ".BoundKeys({" + ",".join(f"16'd{key}" for key in reversed(keys)) + "})",
        ".BoundHops({" + ",".join(f"8'd{n}" for n in reversed(range(count))) + "})",
    ]


@dataclass(frozen=True)
class Case:
    """An input message, and the expected output of the layer: nothing if it is dropped."""

    message: Message
    payload: bytes | None
    next_hop: str = ""
    csum: int | None = None  # None: it means nothing
    kind: int = PACKET
    error: dict[str, int] | None = None  # its metadata, where it is an icmp_error


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
    return Case(message, data if next_hop and to == HOST_MAC else None, next_hop, csum(data))


def ipv4_rx(random: Random) -> Case:
    data = payload(random)
    # Packets with options could be overtaken; tests/protocols/ipv4/test_ipv4_options.py has them.
    options = b""
    protocol, next_hop = random.choice([(1, "icmp"), (17, "udp_rx"), (6, "tcp_rx"), (89, "icmp")])
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
    message = received(packet)
    if not good:
        return Case(message, None)
    # No layer for this protocol: a quote for icmp, with the length in place of the sum
    if protocol == 89:
        return Case(message, data[:8], next_hop, len(data), UNREACHABLE)
    return Case(message, data, next_hop, csum(data))


def udp_datagram(source: int, destination: int, data: bytes) -> bytes:
    pseudo = PEER_IP + HOST_IP + struct.pack("!HH", PROTOCOL_UDP, 8 + len(data))
    header = struct.pack("!HHHH", source, destination, 8 + len(data), 0)
    total = 0xFFFF ^ csum(pseudo + header + data)
    return header[:6] + (total or 0xFFFF).to_bytes(2, "big") + data


def udp_rx(random: Random) -> Case:
    data = payload(random)
    port = random.choice([*OPEN_PORTS, 5000])
    datagram = udp_datagram(random.randrange(1, 1 << 16), port, data)
    good = random.random() < 0.7
    if not good and random.random() < 0.5:
        datagram = datagram[:4] + struct.pack("!H", 9 + len(data)) + datagram[6:]
    elif not good:  # another checksum than 0, which means that there is none
        right = int.from_bytes(datagram[6:8], "big")
        bit = 1 << random.randrange(16)  # any single bit means that there is one
        wrong = bit if bit != right and random.random() < 0.5 else right % 0xFFFE + 1
        datagram = datagram[:6] + wrong.to_bytes(2, "big") + datagram[8:]
    message = received(datagram, pack_meta(ip=number(PEER_IP), l4__ip_rx__protocol=PROTOCOL_UDP))
    if not good:
        return Case(message, None)
    if port not in OPEN_PORTS:
        return Case(message, datagram[:8], "icmp", len(datagram), UNREACHABLE)
    return Case(message, data, f"udp_port_{port}", 0)


def udp_tx(random: Random) -> Case:
    data = payload(random)
    source, destination = random.getrandbits(16), random.getrandbits(16)
    meta = pack_meta(
        ip=number(PEER_IP), l4__ports__src_port=source, l4__ports__dst_port=destination
    )
    message, local = routed(random, received(data, meta))
    header = struct.pack("!HHHH", source, destination, 8 + len(data), 0)
    pseudo = local + PEER_IP + struct.pack("!HH", PROTOCOL_UDP, 8 + len(data))
    return Case(message, header + data, "ipv4_tx", csum(pseudo), message["kind"])


def routed(random: Random, message: Message) -> tuple[Message, bytes]:
    """The message as a packet or a routed_packet, and the address that it is sent from."""
    values = {name: random.getrandbits(bits) for name, bits in ROUTED_FIELDS}
    if random.random() < 0.5:  # bits above a packet's metadata are don't-care
        return replace(message, side=values), HOST_IP
    values = {name: random.choice([0, value]) for name, value in values.items()}
    source = values["source"].to_bytes(4, "big") if values["source"] else HOST_IP
    return replace(message, meta=message.meta | pack_meta(kind=ROUTED), side=values), source


def ipv4_tx(random: Random) -> Case:
    data = payload(random)
    to, protocol, tos = (
        random.choice([PEER_IP, FAR_IP]),
        random.getrandbits(8),
        random.getrandbits(8),
    )
    message = received(data, pack_meta(ip=number(to), tos=tos, l4__ip_tx__protocol=protocol))
    message, source = routed(random, message)
    packet_id, fragment, ttl = 0, 0x4000, 64
    if message["kind"] == ROUTED:
        packet_id, ttl = message.side["id"], message.side["ttl"] or 64
        fragment = 0 if message.side["may_fragment"] else 0x4000
    header = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x45, tos, 20 + len(data), packet_id, fragment, ttl, protocol, 0, source, to),
    )
    return Case(message, checksummed(header, 10) + data, "eth_tx", csum(data))


def arp_meta(kind: int, mac: bytes, **fields: int) -> int:
    high, low = number(mac[:2]), number(mac[2:])
    return pack_meta(
        meta_type="neighbour_t", package="arp_pkg", kind=kind, mac_high=high, mac_low=low, **fields
    )


def eth_tx(random: Random) -> Case:
    """Packets to a known neighbour; for packets that wait, see test_arp_order.py."""
    kind = random.choice([PACKET, PACKET, ARP_BODY, ARP_UPDATE])
    if kind == ARP_UPDATE:  # always the same binding, which makes the cache's state plain
        return Case(Message(b"", arp_meta(kind, PEER_MAC, ip=number(FAR_IP))), None)
    data = payload(random)
    if kind == ARP_BODY:
        message = Message(data, arp_meta(kind, PEER_MAC, length=len(data)))
        return Case(message, PEER_MAC + HOST_MAC + b"\x08\x06" + data, "mac_port_0")
    frame = PEER_MAC + HOST_MAC + b"\x08\x00" + data
    return Case(received(data, pack_meta(ip=number(FAR_IP))), frame, "mac_port_0")


def unreachable(random: Random, peer: bytes = PEER_IP) -> Case:
    """Requests of udp_rx or ipv4_rx; time does not advance, so only a few are answered."""
    protocol, size = random.choice([(PROTOCOL_UDP, 8), (89, random.randrange(9))])
    quote, length, tos = random.randbytes(size), random.randrange(8, 1000), random.getrandbits(8)
    number_of_packet, ttl = random.getrandbits(16), random.getrandbits(8)
    dont_fragment = random.getrandbits(1)
    meta = pack_meta(
        meta_type="unreachable_meta_t",
        package="icmp_pkg",
        kind=UNREACHABLE,
        length=size,
        payload_length=length,
        tos=tos,
        ip=number(peer),
        header__protocol=protocol,
        header__id=number_of_packet,
        header__ttl=ttl,
        dont_fragment=dont_fragment,
    )
    header = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x45, tos, 20 + length, number_of_packet, dont_fragment << 14),
        *(ttl, protocol, 0, peer, HOST_IP),
    )
    code = 3 if protocol == PROTOCOL_UDP else 2
    return Case(
        Message(quote, meta),
        bytes((3, code, 0, 0, 0, 0, 0, 0)) + checksummed(header, 10) + quote,
        "ipv4_tx",
    )


def icmp_echo(random: Random) -> Case:
    data = payload(random)
    kind = random.choice([8, 8, 8, 0, 13])
    request = checksummed(bytes((kind, 0, 0, 0)) + random.randbytes(4) + data, 2)
    reply = checksummed(bytes(4) + request[4:], 2)
    message = received(request, pack_meta(ip=number(PEER_IP)))
    return Case(message, reply if kind == 8 else None, "ipv4_tx", 0)


def reported(random: Random) -> Case:
    """A reported ICMP error; some are useless."""
    kind = random.choice([3, 3, 3, 11, 12])
    code, mtu = random.randrange(6), random.randrange(1 << 16)
    quote = random.randbytes(8) + random.randbytes(random.choice([0, 0, 1, 20, 100]))
    words, fragment, protocol, version = 5, 0x4000, 6, 4
    source, length = HOST_IP, 8 + 20 + len(quote)
    wrong = random.choice(["", "", "", "words", "fragment", "protocol", "version", "source", "cut"])
    if wrong == "words":
        words = 6
    elif wrong == "fragment":
        fragment = 0x4000 | 1 << random.randrange(13)
    elif wrong == "protocol":
        protocol = random.choice([7, 17, 1, 0])
    elif wrong == "version":
        version = 5
    elif wrong == "source":
        source = (number(HOST_IP) ^ 1 << random.randrange(32)).to_bytes(4, "big")
    elif wrong == "cut":
        length = random.randrange(8, 36)
    header = struct.pack(
        "!BBHHHBBH4s4s",
        *(version << 4 | words, 0, 1500, 0, fragment, 64, protocol, 0),
        source,
        FAR_IP,
    )
    data = bytes((kind, code, 0, 0, 0, 0)) + mtu.to_bytes(2, "big") + header + quote
    message = checksummed(data[:length], 2)
    if wrong:
        return Case(received(message, pack_meta(ip=number(PEER_IP))), None)
    meta = {
        "kind": kind,
        "code": code,
        "mtu": mtu,
        "ip": number(FAR_IP),
        "own_port": number(quote[:2]),
        "peer_port": number(quote[2:4]),
    }
    case = Case(received(message, pack_meta(ip=number(PEER_IP))), quote[4:8], "tcp_errors")
    return replace(case, kind=ICMP_ERROR, error=meta)


def udp_echo(random: Random) -> Case:
    data = payload(random)
    source = random.choice([0, 7, 1023, 1024, 32767, 32768, 50000, 65535])
    meta = pack_meta(length=len(data), l4__ports__src_port=source, l4__ports__dst_port=7)
    return Case(Message(data, meta), data if source >= 32768 else None, "udp_tx", 0)


LAYERS: dict[str, Traffic] = {
    layer.__name__: layer
    for layer in (eth_rx, ipv4_rx, udp_rx, udp_tx, ipv4_tx, eth_tx, icmp_echo, udp_echo)
}
# Input that a layer must have seen before its model holds.
FIRST = {"eth_tx": Message(b"", arp_meta(ARP_UPDATE, PEER_MAC, ip=number(FAR_IP)))}
STREAMING = [name for name in LAYERS if name not in ("ipv4_rx", "eth_tx")]


def open_bench(benches: Benches, layer: str, seed: int = 1) -> Bench:
    bound = len(BOUND.get(layer, ()))
    arguments, metadata = parameters(layer), ""
    if layer in TAKE_ROUTED:
        arguments.append(f".KindRoutedPacket({ROUTED})")
        metadata = "ipv4_pkg::routed_packet_meta_t"
    return open_layer(benches, layer, arguments, bound=bound, metadata=metadata, seed=seed)


def beats(layer: str, width: int, *side: tuple[str, int]) -> Beats:
    """Beats of a layer's bench."""
    more = ROUTED_FIELDS if layer in TAKE_ROUTED else ()
    return Beats(width, *more, *side, first_only=[name for name, _ in more])


def push(bench: Bench, layer: str, cases: list[Case], random: Random) -> None:
    messages = [FIRST[layer]] if layer in FIRST else []
    messages += [case.message for case in cases]
    for stream, width in enumerate(WIDTHS):
        bench.push(beats(layer, width).stream(messages, random), stream)


def next_hops(layer: str) -> list[str]:
    """Names of the next hops of a layer's output, by number."""
    return [*layer_kind(layer).outputs["out"].hops, *BOUND.get(layer, {}).values()]


def check(bench: Bench, layer: str, cases: list[Case]) -> None:
    expected = [case for case in cases if case.payload is not None]
    dropped = len(cases) - len(expected)
    first: list[int] = []
    for stream, width in enumerate(WIDTHS):
        got = beats(layer, width, ("next", 5)).messages(bench.items(stream), lengths=True)
        assert len(got) == len(expected)
        for message, case in zip(got, expected, strict=True):
            assert next_hops(layer)[message.side["next"]] == case.next_hop
            assert message.payload == case.payload
            assert message["kind"] == case.kind
            assert case.csum is None or same_sum(message["csum"], case.csum)
            if case.kind == ROUTED:
                assert all(
                    message.side[name] == case.message.side[name] for name, _ in ROUTED_FIELDS
                )
        # Metadata are the same at all widths.
        first = first or [message.meta for message in got]
        assert [message.meta for message in got] == first
        drops = layer_kind(layer).drops
        if drops and layer != "eth_tx":  # which takes updates
            counted = counts(bench, layer, stream)
            assert sum(counted[name] for name in drops) == dropped
