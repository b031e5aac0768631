# SPDX-License-Identifier: Apache-2.0
"""The ends of VXLAN tunnels beside a model: headers, sums, lengths, drops, copies, pace."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from bombus.protocols.frames import ethernet, ipv4, udp
from tests.support.harness import (
    PACES,
    Beats,
    Bench,
    Benches,
    Message,
    consecutive,
    csum,
    pack_meta,
    same_sum,
)
from tests.support.layer_bench import HOST_IP, counts, open_layer

open_both = functools.partial(open_layer, FirstWidth=64, WidthRatio=8, NumWidths=2)
WIDTHS = (64, 512)
VNI, PORT = 0xABCDEF, 4789
PEER = bytes((10, 77, 0, 1))
INNER_PEER, INNER_HOST = bytes((10, 99, 0, 1)), bytes((10, 99, 0, 2))
MACS = [bytes.fromhex(f"0200000000{n:02x}") for n in range(3)]  # the last one is in no entry
HOST_MAC, BROADCAST = bytes.fromhex("02b00b050002"), b"\xff" * 6
ICMP, TCP, UDP = 1, 6, 17
IPV4, ARP, VLAN = 0x0800, 0x0806, 0x8100
# Around the borders of beats, with all headers in front.
LENGTHS = (*range(150), *range(480, 530), 1421, 1422)


def number(data: bytes) -> int:
    return int.from_bytes(data)


def latency(bench: Bench, stream: int) -> int:
    """Cycles from the first beat taken to the first beat sent."""
    return bench.received(stream)[0].cycle - bench.taken(stream)[0]


# ---- Decapsulation ----


def vxlan(
    frame: bytes, *, vni: int = VNI, flags: int = 8, reserved: int = 0, after: int = 0
) -> bytes:
    return bytes((flags,)) + reserved.to_bytes(3) + vni.to_bytes(3) + bytes((after,)) + frame


def datagram(random: Random, payload: bytes, *, port: int = PORT, checksum: bool) -> bytes:
    built = udp(PEER, HOST_IP, random.randrange(49152, 65536), port, payload)
    return built if checksum else built[:6] + b"\0\0" + built[8:]


def received(random: Random, length: int) -> tuple[bytes, int, str, bytes]:
    """A datagram, its TOS, the next hop or the reason of its drop, and what is passed on."""
    packet = ipv4(INNER_PEER, INNER_HOST, UDP, random.randbytes(length))
    frame = ethernet(HOST_MAC, MACS[0], IPV4, packet)
    sent, tos, fate = vxlan(frame), random.choice([0, 1, 2, 0xB8]), "eth_rx"
    checksum = random.random() < 0.5
    passed = frame
    match random.choice(["", "", "", "", "padded", "other", "plain", "bad"]):
        case "padded":
            sent = vxlan(frame + bytes(random.randrange(1, 130)))
        case "other":
            passed = ethernet(BROADCAST, MACS[0], ARP, random.randbytes(length))
            sent = vxlan(passed)
        case "plain":
            passed = datagram(random, random.randbytes(length), port=7, checksum=checksum)
            return passed, tos, "served", passed
        case "bad":
            fate = random.choice(
                [
                    *("bad_length", "truncated", "bad_checksum", "no_vni"),
                    *("reserved", "unknown_vni", "tagged", "congested"),
                ]
            )
            match fate:
                case "truncated":
                    sent = vxlan(frame)[: random.randrange(22)]
                case "no_vni":
                    sent = vxlan(frame, flags=random.choice([0, 0x80, 0x77]))
                case "reserved":
                    bit = random.choice([{"flags": 0x88}, {"reserved": 1 << 23}, {"after": 1}])
                    sent = vxlan(frame, **bit)
                case "unknown_vni":
                    sent = vxlan(frame, vni=VNI ^ 1 << random.randrange(24))
                case "tagged":
                    sent = vxlan(frame[:12] + VLAN.to_bytes(2) + b"\0\7" + frame[12:])
                case "congested":
                    tos = 3
                case "bad_checksum":
                    checksum = True
    built = datagram(random, sent, checksum=checksum)
    if fate == "bad_length":
        built = built[:4] + (len(built) + random.choice([-1, 1])).to_bytes(2) + built[6:]
    if fate == "bad_checksum":
        built = built[:7] + bytes((built[7] ^ 0x10,)) + built[8:]
    return built, tos, fate, passed


@pytest.mark.slow
def test_decapsulation(benches: Benches) -> None:
    random = Random(1)
    layer = "vxlan_decapsulate"
    arguments = [".NumMacPorts(1)", ".InnerPort(0)"]
    regs = {"regs_i": f"'{{default: 24'h{VNI:x}}}"}
    bench = open_both(benches, layer, arguments, inputs=regs, seed=3)
    hops = ("served", "eth_rx")
    seen = Counter[str]()
    for pace in PACES:
        bench.forget()
        bench.pace(**pace)
        cases = [received(random, length) for length in LENGTHS]
        messages = [
            Message(
                sent,
                pack_meta(
                    length=len(sent),
                    mac_port=1,
                    csum=csum(sent),
                    ip=number(PEER),
                    tos=tos,
                    l4__ip_rx__protocol=UDP,
                ),
            )
            for sent, tos, *_ in cases
        ]
        before = [counts(bench, layer, n) for n in range(len(WIDTHS))]
        for stream, width in enumerate(WIDTHS):
            bench.push(Beats(width).stream(messages, random), stream)
        bench.drain()
        fates = Counter(fate for _, _, fate, _ in cases)
        seen += fates
        expected = [
            (hops.index(fate), passed, given)
            for (_, _, fate, passed), given in zip(cases, messages, strict=True)
            if fate in hops
        ]
        for stream, width in enumerate(WIDTHS):
            got = Beats(width, ("next", 5)).messages(bench.items(stream), lengths=True)
            for message, (hop, passed, given) in zip(got, expected, strict=True):
                assert message.payload == passed
                assert message.side["next"] == hop
                if hop == 0:
                    assert message.meta == given.meta
                else:
                    assert same_sum(message["csum"], csum(passed[14:]))
                    assert message["mac_port"] == message["vlan.valid"] == 0
            counted = counts(bench, layer, stream) - before[stream]
            drops = {name: n for name, n in fates.items() if name not in hops}
            assert counted == Counter(drops) + Counter(decapsulated=fates["eth_rx"])
    assert len(seen) == 10


# ---- Encapsulation ----

LAYER = "vxlan_encapsulate"
MTU = 1450
ENDS = [bytes((10, 77, 0, 7)), bytes((10, 77, 0, 8))]  # of the first MACs
LIST = [bytes((10, 77, 1, 1)), bytes((10, 77, 1, 3))]
BACK = bytes.fromhex("02000000000b")  # a MAC address whose end is the host, as one of the list
# Software writes an entry at each of the times 0, 2 and 4; the list is empty until time 8, and has
# one end less from time 64 on.
MAPPING = (
    f"'{{default: '0, valid: 1'b1, vni: 24'h{VNI:x},"
    f" mac: time_us_i[2] ? 48'h{BACK.hex()} :"
    f" time_us_i[1] ? 48'h{MACS[1].hex()} : 48'h{MACS[0].hex()},"
    f" ip: time_us_i[2] ? 32'h{HOST_IP.hex()} :"
    f" time_us_i[1] ? 32'h{ENDS[1].hex()} : 32'h{ENDS[0].hex()}}}"
)
REPLICA = "'{{replica: '{{valid: {valid}, ip: 32'h{ip}}}}}"
REPLICAS = ", ".join(
    REPLICA.format(valid=valid, ip=ip.hex())
    for valid, ip in (
        *[("1'b0", PEER)] * 3,
        ("time_us_i >= 8 && time_us_i < 64", LIST[1]),
        ("time_us_i >= 8", HOST_IP),
        *[("1'b0", PEER)] * 2,
        ("time_us_i >= 8", LIST[0]),
    )
)


def encapsulator(benches: Benches) -> Bench:
    return open_both(
        benches,
        LAYER,
        [".NumEntries(16)", f".Mtu({MTU})"],
        hosts=2,
        inputs={
            "remote_request_i": "~time_us_i[0]",
            "remote_write_i": "1'b1",
            "remote_index_i": "4'(time_us_i[2:1])",
            "remote_wdata_i": MAPPING,
            "regs_i": f"'{{network: '{{vni: 24'h{VNI:x}}}, replicas: '{{{REPLICAS}}}}}",
        },
        seed=3,
    )


def to_send(random: Random, length: int, mac: bytes) -> Message:
    """A frame as eth_tx sends it."""
    protocol = random.choice([ICMP, TCP, UDP])
    packet = ipv4(INNER_HOST, INNER_PEER, protocol, random.randbytes(length))
    frame, position = ethernet(mac, HOST_MAC, IPV4, packet), random.choice([0, 20])
    if mac == BROADCAST and random.random() < 0.5:
        frame, position = ethernet(mac, HOST_MAC, ARP, bytes(28)), 0
    return Message(
        frame,
        pack_meta(
            length=len(frame),
            mac_port=1,
            ip=number(INNER_PEER),
            tos=random.getrandbits(8),
            csum=random.getrandbits(16),
            l4__ip_tx__protocol=protocol,
            l4__ip_tx__csum_pos=position,
        ),
    )


def copies(message: Message, *, listed: bool) -> Iterator[bytes]:
    """Addresses of the ends to which it goes."""
    mac = message.payload[:6]
    if len(message.payload) > MTU + 14:
        return
    if mac in MACS[:2]:
        yield ENDS[MACS.index(mac)]
    elif listed and mac != BACK:
        yield from LIST


def check_datagram(given: Message, got: Message, end: bytes) -> int:
    """Compares all but the source port, which it returns."""
    sent = got.payload
    length = len(given.payload) + 16
    assert sent[8:] == vxlan(given.payload)
    assert sent[2:8] == PORT.to_bytes(2) + length.to_bytes(2) + b"\0\0"
    assert got["mac_port"] == got["kind"] == 0 and got["ip"] == number(end)
    assert got["l4.ip_tx.protocol"] == UDP and got["tos"] == given["tos"] & 0xFC
    if position := given["l4.ip_tx.csum_pos"]:
        assert got["l4.ip_tx.csum_pos"] == position + 8
        # What mac_tx writes into the field is the same with and without the outer headers.
        inner = csum(given.payload[14:], given["csum"])
        assert same_sum(csum(sent, got["csum"]), inner)
    else:
        assert got["l4.ip_tx.csum_pos"] == got["csum"] == 0
    return number(sent[:2])


@pytest.mark.slow
def test_encapsulation(benches: Benches) -> None:
    random = Random(2)
    bench = encapsulator(benches)
    for _ in range(5):
        bench.run(200)
        bench.control(1)
        bench.run(1)
        bench.control(0)
    assert bench.status == 5
    ports: dict[bytes, set[int]] = {}
    macs = [*MACS, BACK, BROADCAST]
    for n, pace in enumerate((PACES[0], *PACES)):
        listed = n > 0
        if n == 1:
            bench.control(3)
            bench.run(1)
            bench.control(0)
        assert (bench.status >= 8) == listed
        bench.forget()
        bench.pace(**pace)
        given = [to_send(random, length, random.choice(macs)) for length in LENGTHS]
        given += [to_send(random, length, MACS[0]) for length in (MTU - 20, MTU - 19)]
        before = [counts(bench, LAYER, n) for n in range(len(WIDTHS))]
        for stream, width in enumerate(WIDTHS):
            bench.push(Beats(width).stream(given, random), stream)
        bench.drain()
        expected = [(each, end) for each in given for end in copies(each, listed=listed)]
        flooded = [each for each in given if each.payload[:6] not in (*MACS[:2], BACK)]
        back = sum(each.payload[:6] == BACK for each in given)
        unknown = [each for each in flooded if each.payload[0] & 1 == 0]
        for stream, width in enumerate(WIDTHS):
            got = Beats(width, ("next", 5)).messages(bench.items(stream), lengths=True)
            for message, (each, end) in zip(got, expected, strict=True):
                port = check_datagram(each, message, end)
                assert port >= 49152
                frame = each.payload
                flow = frame[:6] + frame[12:14] + frame[23:24] + frame[26:38]
                if frame[23] == ICMP:
                    flow = flow[:-4]
                ports.setdefault(flow, set()).add(port)
            counted = counts(bench, LAYER, stream) - before[stream]
            assert counted == Counter(
                too_long=1,
                no_end=0 if listed else len(flooded),
                encapsulated=len(expected),
                replicated=len(flooded) if listed else 0,
                copy=len(flooded) * (len(LIST) + 1) if listed else 0,
                loop=back + (len(flooded) if listed else 0),
                unknown=len(unknown),
            )
    # A flow has one port; different ones have different ports, but for chance.
    assert all(len(found) == 1 for found in ports.values())
    assert len({port for found in ports.values() for port in found}) > 0.9 * len(ports)


@pytest.mark.slow
def test_rate_and_latency(benches: Benches) -> None:
    """At 512 bits: a datagram in each cycle; 3 and 4 cycles."""
    random = Random(3)
    frame = ethernet(MACS[0], HOST_MAC, IPV4, ipv4(INNER_HOST, INNER_PEER, UDP, bytes(14)))
    assert len(frame) == 48
    bench = encapsulator(benches)
    bench.run(300)
    messages = [Message(frame, pack_meta(length=48, mac_port=1))] * 200
    bench.push(Beats(512).stream(messages, random), 1)
    bench.drain()
    assert consecutive(bench.taken(1)) and consecutive([each.cycle for each in bench.received(1)])
    assert latency(bench, 1) == 4
    regs = {"regs_i": f"'{{default: 24'h{VNI:x}}}"}
    arguments = [".NumMacPorts(1)", ".InnerPort(0)"]
    bench = open_both(benches, "vxlan_decapsulate", arguments, inputs=regs, seed=3)
    sent = datagram(random, vxlan(frame), checksum=True)
    meta = pack_meta(length=len(sent), csum=csum(sent), ip=number(PEER))
    bench.push(Beats(512).stream([Message(sent, meta)] * 200, random), 1)
    bench.drain()
    assert len(bench.received(1)) == 200
    assert consecutive(bench.taken(1)) and consecutive([each.cycle for each in bench.received(1)])
    assert latency(bench, 1) == 3


@pytest.mark.slow
def test_an_end_that_is_removed_during_copies(benches: Benches) -> None:
    """No copy is begun for it any more; one that has begun is whole."""
    random = Random(5)
    bench = encapsulator(benches)
    frame = to_send(random, 1000, BROADCAST)
    beats = -(-len(frame.payload) // 64)
    ends = []
    for cycles in range(1, 4 * beats, 5):
        bench.reset()
        bench.control(1)
        bench.run(8)
        bench.control(0)
        bench.push(Beats(512).stream([frame], random), 1)
        bench.run(cycles)
        bench.control(64)
        bench.run(1)
        bench.control(0)
        bench.drain()
        got = Beats(512, ("next", 5)).messages(bench.items(1), lengths=True)
        assert [each.payload[16:] for each in got] == [frame.payload] * len(got)
        ends.append([each["ip"] for each in got])
    both = [number(end) for end in LIST]
    assert ends[0] == both[:1] and ends[-1] == both
    assert ends == sorted(ends)


@pytest.mark.slow
def test_reset_in_a_copy(benches: Benches) -> None:
    """A reset in a replicated frame leaves nothing of it."""
    random = Random(4)
    bench = encapsulator(benches)
    frame = to_send(random, 1000, BROADCAST)
    short = to_send(random, 0, BROADCAST)
    for cycles in range(1, 60, 7):
        bench.control(1)
        bench.run(8)
        bench.control(0)
        bench.push(Beats(512).stream([frame], random), 1)
        bench.run(cycles)
        bench.reset()
        bench.control(1)
        bench.run(8)
        bench.control(0)
        bench.push(Beats(512).stream([short], random), 1)
        bench.drain()
        got = Beats(512, ("next", 5)).messages(bench.items(1), lengths=True)
        assert [each.payload[16:] for each in got] == [short.payload] * len(LIST)
        bench.forget()
