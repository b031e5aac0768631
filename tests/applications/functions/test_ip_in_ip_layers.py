# SPDX-License-Identifier: Apache-2.0
"""The ends of IP-in-IP tunnels at all widths: headers, congestion marks, lengths, errors, pace."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bombus.design.rtl import struct_layout
from bombus.protocols.frames import ipv4
from tests.protocols.stack.layer_cases import ICMP_ERROR, PACKET, ROUTED, ROUTED_FIELDS
from tests.support.harness import PACES, WIDTHS, Beats, Benches, Message, csum, pack_meta
from tests.support.layer_bench import HOST_IP, counts, open_layer

PEER, HOST = bytes((10, 99, 0, 1)), bytes((10, 99, 0, 2))
REMOTE, OTHER_REMOTE = bytes((10, 77, 0, 1)), bytes((10, 77, 0, 7))
GATEWAY = bytes((10, 99, 0, 3))  # a next hop in the table
SELF = bytes((10, 99, 0, 4))  # a next hop whose tunnel leads to itself
BACK = bytes((10, 99, 0, 5))  # one whose tunnel leads to the host
MTU = 300
TCP, UDP = 6, 17
NOT_ECT, ECT_1, ECT_0, CE = range(4)


def number(address: bytes) -> int:
    return int.from_bytes(address)


def combined(inner: int, outer: int) -> int | None:
    """The congestion field after the tunnel (RFC 6040, figure 4); None: the packet is dropped."""
    if inner == NOT_ECT:
        return None if outer == CE else NOT_ECT
    if inner == CE or outer == CE:
        return CE
    return ECT_1 if outer == ECT_1 else inner


def inner_packet(random: Random, tos: int, *, fragment: int = 0x4000) -> bytes:
    data = random.randbytes(random.choice([0, 1, 8, random.randrange(600)]))
    identification = random.getrandbits(16)
    return ipv4(PEER, HOST, UDP, data, tos=tos, identification=identification, fragment=fragment)


@pytest.mark.slow
def test_decapsulation(benches: Benches) -> None:
    random = Random(1)
    arguments = [".NumMacPorts(2)", f".Remote(32'h{REMOTE.hex()})"]
    bench = open_layer(benches, "ip_in_ip_decapsulate", arguments, seed=3)
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        messages: list[Message] = []
        expected: list[bytes] = []
        drops = Counter[str]()
        for _ in range(160):
            inner_tos, outer_tos = random.getrandbits(8), random.getrandbits(8)
            packet = inner_packet(random, inner_tos)
            remote = REMOTE
            ecn = combined(inner_tos & 3, outer_tos & 3)
            match random.choice(["", "", "", "", "short", "long", "cut", "peer"]):
                case "short":
                    packet = packet[: random.randrange(20)]
                    drops["truncated"] += 1
                case "long":  # longer than what the outer packet has
                    packet = packet[:2] + (len(packet) + 1).to_bytes(2) + packet[4:]
                    drops["bad_length"] += 1
                case "cut":
                    packet += b"\0"
                    drops["bad_length"] += 1
                case "peer":
                    remote = OTHER_REMOTE
                    drops["unknown_peer"] += 1
                case _ if ecn is None:
                    drops["congested"] += 1
                case _:
                    assert ecn is not None
                    head = packet[:1] + bytes((inner_tos & ~3 | ecn,)) + packet[2:10] + b"\0\0"
                    sum_ = 0xFFFF ^ csum(head + packet[12:20])
                    expected.append(head[:10] + sum_.to_bytes(2) + packet[12:])
            messages.append(
                Message(
                    packet,
                    pack_meta(
                        length=len(packet),
                        csum=csum(packet),
                        ip=number(remote),
                        tos=outer_tos,
                        l4__ip_rx__protocol=4,
                    ),
                )
            )
        for stream, width in enumerate(WIDTHS):
            bench.push(Beats(width).stream(messages, random), stream)
        before = [counts(bench, "ip_in_ip_decapsulate", n) for n in range(len(WIDTHS))]
        bench.drain()
        for stream, width in enumerate(WIDTHS):
            got = Beats(width, ("next", 5)).messages(bench.items(stream), lengths=True)
            assert [message.payload for message in got] == expected
            for message in got:
                # A good header sums to zero, so the sum is that of the payload.
                assert message["mac_port"] == 1 and message["kind"] == PACKET
                assert message["csum"] % 0xFFFF == csum(message.payload) % 0xFFFF
            counted = counts(bench, "ip_in_ip_decapsulate", stream) - before[stream]
            assert {name: n for name, n in counted.items() if name != "marked"} == drops


def encapsulated(
    random: Random,
) -> tuple[Message, str, bytes | None, dict[str, int]]:
    """A message, what becomes of it, its payload, and metadata."""
    port = random.choice([0, 1, 1, 1])
    fragment = random.choice([0, 0x4000])
    protocol = random.choice([TCP, UDP])
    data = random.randbytes(random.choice([8, 12, 280, 281, 600, random.randrange(8, 400)]))
    hop = random.choice([PEER, GATEWAY, SELF, BACK])
    tos, position = random.getrandbits(8), random.choice([0, 13])
    packet = ipv4(HOST, PEER, protocol, data, tos=tos, fragment=fragment)
    meta = pack_meta(
        length=len(packet),
        mac_port=port,
        ip=number(hop),
        tos=tos,
        csum=random.getrandbits(16),
        l4__ip_tx__protocol=protocol,
        l4__ip_tx__csum_pos=position,
    )
    message = Message(packet, meta)
    if port == 0:
        return message, "eth_tx", packet, {}
    if len(packet) > MTU:
        if protocol == TCP and fragment:
            return message, "error", data[4:8], {}
        return message, "too_long", None, {}
    if hop in (SELF, BACK):
        return message, "loop", None, {}
    remote = OTHER_REMOTE if hop == GATEWAY else REMOTE
    return message, "ipv4_tx", packet, {"ip": number(remote), "may_fragment": int(not fragment)}


# Software writes an entry at each of the times 0, 2 and 4.
TUNNELS = ((GATEWAY, OTHER_REMOTE), (SELF, SELF), (BACK, HOST_IP))
MAPPING = "'{{default: '0, valid: 1'b1, inner_ip: {}, outer_ip: {}}}".format(
    *(
        f"time_us_i[2] ? 32'h{third.hex()} : time_us_i[1] ? 32'h{second.hex()} : 32'h{first.hex()}"
        for first, second, third in zip(*TUNNELS, strict=True)
    )
)


@pytest.mark.slow
def test_encapsulation(benches: Benches) -> None:
    random = Random(2)
    layer = "ip_in_ip_encapsulate"
    arguments = [
        *(".NumEntries(16)", f".Mtu({MTU})", f".Remote(32'h{REMOTE.hex()})"),
        *(f".KindRoutedPacket({ROUTED})", f".KindIcmpError({ICMP_ERROR})"),
        *(".NumBound(1)", ".NumBoundHops(1)", f".BoundKeys(16'd{TCP})", ".BoundHops(8'd0)"),
    ]
    bench = open_layer(
        benches,
        layer,
        arguments,
        bound=1,
        hosts=2,
        metadata="ipv4_pkg::routed_packet_meta_t",
        inputs={
            "tunnel_request_i": "~time_us_i[0]",
            "tunnel_write_i": "1'b1",
            "tunnel_index_i": "4'(time_us_i[2:1])",
            "tunnel_wdata_i": MAPPING,
        },
        seed=3,
    )
    for _ in range(2 * len(TUNNELS) - 1):
        bench.run(200)
        bench.control(1)
        bench.run(1)
        bench.control(0)
    assert bench.status == 2 * len(TUNNELS) - 1
    fields = struct_layout("icmp_error_meta_t", "icmp_pkg")
    identifications: list[set[int]] = [set() for _ in WIDTHS]
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        cases = [encapsulated(random) for _ in range(160)]
        before = [counts(bench, layer, n) for n in range(len(WIDTHS))]
        side = {name: 0 for name, _ in ROUTED_FIELDS}
        for stream, width in enumerate(WIDTHS):
            messages = [Message(each.payload, each.meta, side) for each, *_ in cases]
            bench.push(Beats(width, *ROUTED_FIELDS).stream(messages, random), stream)
        bench.drain()
        outcomes = Counter(outcome for _, outcome, *_ in cases)
        expected = [each for each in cases if each[2] is not None]
        for stream, width in enumerate(WIDTHS):
            got = Beats(width, *ROUTED_FIELDS, ("next", 5)).messages(
                bench.items(stream), lengths=True
            )
            for message, (given, outcome, payload, meta) in zip(got, expected, strict=True):
                assert message.payload == payload
                assert message.side["next"] == ["eth_tx", "ipv4_tx", "error"].index(outcome)
                if outcome == "eth_tx":
                    assert message.meta == given.meta
                elif outcome == "error":
                    error = {
                        name: message.meta >> field.offset & (1 << field.width) - 1
                        for name, field in fields.items()
                    }
                    ports = given.payload[20:24]
                    assert error == {
                        "mac_port": 1,
                        "kind": 3,
                        "code": 4,
                        "mtu": MTU,
                        "ip": number(PEER),
                        "own_port": number(ports[:2]),
                        "peer_port": number(ports[2:]),
                    }
                    assert message["kind"] == ICMP_ERROR
                else:
                    assert message["kind"] == ROUTED and message["mac_port"] == 0
                    assert message["ip"] == meta["ip"]
                    assert message["l4.ip_tx.protocol"] == 4
                    for name in ("csum", "tos", "l4.ip_tx.csum_pos", "length"):
                        assert message[name] == given[name]
                    assert message.side["may_fragment"] == meta["may_fragment"]
                    assert message.side["ttl"] == message.side["source"] == 0
                    if meta["may_fragment"]:
                        identifications[stream].add(message.side["id"])
                    else:
                        assert message.side["id"] == 0
            counted = counts(bench, layer, stream) - before[stream]
            assert counted == Counter(
                too_long=outcomes["too_long"],
                loop=outcomes["loop"],
                encapsulated=outcomes["ipv4_tx"],
                too_big=outcomes["error"],
            )
    for found in identifications:
        assert found == set(range(len(found))) and len(found) > 50
