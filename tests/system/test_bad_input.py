# SPDX-License-Identifier: Apache-2.0
"""Everything that can be wrong with a frame, and the odd but good: one table, every data width.

Each case names the counter that must move, by exactly one. Cases with the same verdict go
through a design together, a ping and a datagram behind each, so that a layer that
stumbles over one is seen to stumble.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from support.bench import ALL_DESIGNS, FAR, GATEWAY, PEER, TAGGED, Bench

from bombus.golden.frames import (
    ARP_REPLY,
    ARP_REQUEST,
    BROADCAST_MAC,
    ETHERNET_BYTES,
    IPV4_BYTES,
    MAX_FRAME_BYTES,
    NO_IP,
    NO_MAC,
    PROTOCOL_ICMP,
    PROTOCOL_UDP,
    TYPE_ARP,
    TYPE_IPV4,
    TYPE_VLAN,
    UDP_BYTES,
    Host,
    Station,
    arp,
    arp_reply,
    arp_request,
    ethernet,
    icmp,
    ip_bytes,
    ip_frame,
    ipv4,
    mac_bytes,
    padded,
    ping_frame,
    transport_checksum,
    udp,
    udp_frame,
)
from bombus.golden.stack import ERROR_BURST, Stack, option_fault

ANSWERED = "answered"  # with exactly one frame
SILENT = "silent"  # ARP that wants no answer
AS_MODEL = "as the model says"  # dropped, but where depends on bytes read as something else

PAYLOAD = bytes(range(1, 21))
TOTAL = IPV4_BYTES + UDP_BYTES + len(PAYLOAD)  # of both a datagram and a ping with PAYLOAD
HOST = Host(
    mac_bytes("02:b0:0b:05:00:01"),
    ip_bytes("10.77.0.2"),
    ip_bytes("255.255.255.0"),
    ip_bytes("10.77.0.1"),
)


@dataclass(frozen=True)
class Case:
    name: str
    frame: bytes
    verdict: str  # ANSWERED, SILENT, AS_MODEL, or the counter of drops


Cases = Iterator[Case]
TABLE: list[Callable[[], Cases]] = []


def table(cases: Callable[[], Cases]) -> Callable[[], Cases]:
    TABLE.append(cases)
    return cases


def good_frames(station: Station = PEER) -> dict[str, bytes]:
    return {
        "udp": udp_frame(station, HOST, PAYLOAD),
        "ping": ping_frame(station, HOST, PAYLOAD),
    }


def flipped(frame: bytes, bit: int) -> bytes:
    changed = bytearray(frame)
    changed[bit // 8] ^= 0x80 >> bit % 8
    return bytes(changed)


# ---- Cut short ----


@table
def cut_anywhere() -> Cases:
    for station, header in ((PEER, 14), (TAGGED, 18)):
        for kind, frame in good_frames(station).items():
            for length in range(1, len(frame)):
                if length < header:
                    verdict = "eth_rx.runt"
                elif length < header + IPV4_BYTES:
                    verdict = "ipv4_rx.truncated"
                else:
                    verdict = "ipv4_rx.bad_length"
                yield Case(f"{kind} cut to {length}, header {header}", frame[:length], verdict)


@table
def cut_arp() -> Cases:
    frame = arp_request(PEER, HOST)
    for length in range(1, len(frame)):
        verdict = "eth_rx.runt" if length < 14 else "arp.malformed"
        yield Case(f"arp cut to {length}", frame[:length], verdict)
    yield Case("arp without padding", frame, ANSWERED)


@table
def tiny_frames() -> Cases:
    for fill in (b"\0", b"\xff"):
        for length in range(1, 60):
            verdict = "eth_rx.runt" if length < 14 else "eth_rx.not_for_us"
            if fill == b"\xff" and length >= 14:
                verdict = "eth_rx.bad_source"
            yield Case(f"{length} bytes of {fill.hex()}", fill * length, verdict)
    for length in range(1, 6):
        yield Case(f"{length} bytes of our address", HOST.mac[:length], "eth_rx.runt")
    for length in range(14, 18):
        tagged = ethernet(HOST.mac, PEER.mac, TYPE_VLAN, bytes(4))
        yield Case(f"{length} bytes, tag cut", tagged[:length], "eth_rx.runt")


# ---- Lengths ----


@table
def ip_total_length() -> Cases:
    for kind, short in (("udp", "udp_rx.bad_length"), ("ping", "icmp_echo.bad_checksum")):
        build = udp_frame if kind == "udp" else ping_frame
        header = "udp_rx.truncated" if kind == "udp" else "icmp_echo.truncated"
        # With the Ethernet header, some of these are a power of two, or wrap to a good length.
        lengths = [*range(TOTAL + 24), 1500, 4096, 8192, 9586, 9600, 9601, 12287, 12288]
        for power in (1 << 14, 1 << 15, 3 << 14, 1 << 16):
            lengths += [*range(power - 20, power), *(power + n for n in (0, 20, 28, TOTAL))]
        for length in (length for length in lengths if length < 1 << 16):
            if length == TOTAL:
                continue
            if length < IPV4_BYTES or length > TOTAL:
                verdict = "ipv4_rx.bad_length"
            else:
                verdict = header if length < IPV4_BYTES + 8 else short
            frame = build(PEER, HOST, PAYLOAD, total_length=length)
            yield Case(f"{kind}, total length {length}", frame, verdict)


@table
def ip_header_length() -> Cases:
    for ihl in range(16):
        verdict = "ipv4_rx.bad_length" if ihl < 5 else ANSWERED if ihl == 5 else AS_MODEL
        for build in (udp_frame, ping_frame):
            frame = build(PEER, HOST, PAYLOAD, ihl=ihl)
            yield Case(f"{build.__name__}, ihl {ihl}", frame, verdict)
            if ihl > 5:
                # The header says that it is longer than the packet.
                frame = build(PEER, HOST, b"", ihl=ihl, total_length=4 * ihl - 4)
                yield Case(f"{build.__name__}, ihl {ihl} too long", frame, "ipv4_rx.bad_length")


@table
def nothing_behind_the_header() -> Cases:
    for words in range(11):
        options = bytes([1]) * 4 * words
        for protocol, verdict in (
            (PROTOCOL_UDP, "udp_rx.truncated"),
            (PROTOCOL_ICMP, "icmp_echo.truncated"),
        ):
            for size in range(8):
                frame = ip_frame(PEER, HOST, protocol, PAYLOAD[:size], options=options)
                name = f"protocol {protocol} with {size} bytes, {words} words of options"
                yield Case(name, frame, verdict)
                yield Case(name + ", padded", padded(frame), verdict)


@table
def udp_length() -> Cases:
    right = UDP_BYTES + len(PAYLOAD)
    for length in [*range(60), 1480, 9566, 16384 + right, 65535]:
        if length != right:
            frame = udp_frame(PEER, HOST, PAYLOAD, length=length)
            yield Case(f"udp length {length}", frame, "udp_rx.bad_length")
    # In a frame with padding, the IP length counts, and not what is there.
    for length in range(8, 18):
        frame = padded(udp_frame(PEER, HOST, b"", length=length))
        verdict = ANSWERED if length == 8 else "udp_rx.bad_length"
        yield Case(f"udp length {length} in the padding", frame, verdict)


@table
def empty_payloads() -> Cases:
    for size in range(20):
        yield Case(f"udp of {size}", udp_frame(PEER, HOST, PAYLOAD[:size]), ANSWERED)
        yield Case(f"ping of {size}", ping_frame(PEER, HOST, PAYLOAD[:size]), ANSWERED)


@table
def jumbo_frames() -> Cases:
    room = MAX_FRAME_BYTES - ETHERNET_BYTES - IPV4_BYTES - UDP_BYTES
    for size in (room - 1, room):
        payload = random.Random(size).randbytes(size)
        yield Case(f"udp of {size}", udp_frame(PEER, HOST, payload), ANSWERED)
        yield Case(f"ping of {size}", ping_frame(PEER, HOST, payload), ANSWERED)
        tagged = udp_frame(TAGGED, HOST, payload[4:])
        yield Case(f"tagged udp of {size - 4}", tagged, ANSWERED)
    frame = udp_frame(PEER, HOST, bytes(room))
    # Around the powers of two in which a length might be counted.
    sizes = [9601, 9602, 9663, 9664, 9665, 10240, 16383, 16384, 16385, 16448, 20000, 32767, 32768]
    for size in [*sizes, 32769, 40000, 65535, 65536, 65600, 70000]:
        longer = frame.ljust(size, b"\xaa")
        yield Case(f"frame of {size}", longer, "mac_rx.too_long")


# ---- Checksums ----


@table
def damaged_bits() -> Cases:
    for kind, frame in good_frames().items():
        layer = "udp_rx" if kind == "udp" else "icmp_echo"
        start = ETHERNET_BYTES + IPV4_BYTES
        # Not the version, lengths and header length, nor for UDP what the length is in.
        header = [
            *range(8, 16),
            *range(32, 160),
        ]
        for bit in header:
            changed = flipped(frame, ETHERNET_BYTES * 8 + bit)
            yield Case(f"{kind}, bit {bit} of the IP header", changed, "ipv4_rx.bad_checksum")
        for bit in range((len(frame) - start) * 8):
            in_udp_length = kind == "udp" and 32 <= bit < 48
            verdict = "udp_rx.bad_length" if in_udp_length else f"{layer}.bad_checksum"
            changed = flipped(frame, start * 8 + bit)
            yield Case(f"{kind}, bit {bit} behind the IP header", changed, verdict)


@table
def odd_checksums() -> Cases:
    for size in (0, 1, 2, 3, 19, 20, 64, 1472):
        payload = PAYLOAD * 80
        frame = udp_frame(PEER, HOST, payload[:size], udp_checksum=0)
        yield Case(f"udp of {size} without checksum", frame, ANSWERED)
        frame = udp_frame(PEER, HOST, payload[:size], udp_checksum=0xFFFF)
        yield Case(f"udp of {size}, checksum 0xFFFF", frame, "udp_rx.bad_checksum")
    # Payloads chosen so that the checksum comes out as zero, which UDP sends as 0xFFFF.
    for port in range(40000, 40020):
        plain = udp(PEER.ip, HOST.ip, port, 7, bytes(2))
        frame = udp_frame(PEER, HOST, plain[6:8], source_port=port)
        yield Case(f"udp from {port}, checksum zero", frame, ANSWERED)
    for sequence in range(20):
        plain = icmp(8, 0, sequence, bytes(2))
        frame = ping_frame(PEER, HOST, plain[2:4], identifier=0, sequence=sequence)
        yield Case(f"ping {sequence}, checksum zero", frame, ANSWERED)
        # 0 and 0xFFFF say the same.
        message = icmp(8, 0, sequence, plain[2:4], icmp_checksum=0)
        yield Case(f"ping {sequence}, zero", ip_frame(PEER, HOST, PROTOCOL_ICMP, message), ANSWERED)
    # The answer to this ping is all zeros.
    empty = ping_frame(PEER, HOST, bytes(40), identifier=0, sequence=0)
    yield Case("ping whose answer is zeros", empty, ANSWERED)
    # Pings whose answers sum to all ones.
    for size in (2, 64):
        rest = transport_checksum(icmp(0, 0, 0, bytes(size), icmp_checksum=0))
        frame = ping_frame(PEER, HOST, bytes(size), identifier=rest, sequence=0)
        yield Case(f"ping of {size}, answer sums to ones", frame, ANSWERED)


# ---- IP options ----


@table
def options() -> Cases:
    choice = random.Random("options")
    for words in range(1, 11):
        length = 4 * words
        variants = {
            "no-operation": bytes([1]) * length,
            "end": bytes(length),
            "record route": bytes([7, min(length, 39), 4]) + bytes(length - 3),
            "length 0": bytes([7, 0]) + bytes([3]) * (length - 2),
            "length 1": bytes([68, 1]) + bytes([3]) * (length - 2),
            "too long": bytes([7, 255, 4]) + bytes([9]) * (length - 3),
            "loose source route": bytes([131, min(length, 39), 4]) + bytes(length - 3),
            "exhausted source route": bytes([137, min(length, 39), 40]) + bytes(length - 3),
            "strict source route, one hop left": bytes([1, 137, 3, 3]) * words,
            "cut in its length": bytes([1]) * (length - 1) + bytes([7]),
            "one byte too long": bytes([148, length + 1]) + bytes(length - 2),
            "bad behind the end": bytes([0, 7, 0, 131]) * words,
            "anything": choice.randbytes(length),
            "ones": b"\xff" * length,
        }
        for name, content in variants.items():
            for size in (0, 1, 3, 20, 31, 32, 33, 100):
                payload = choice.randbytes(size)
                for build in (udp_frame, ping_frame):
                    frame = build(PEER, HOST, payload, options=content)
                    title = f"{build.__name__} of {size}, {words} words of {name}"
                    fault = option_fault(content)
                    verdict = f"ipv4_rx.{fault}" if fault else ANSWERED
                    yield Case(title, padded(frame), verdict)
        payload = choice.randbytes(1400)
        long = udp_frame(TAGGED, HOST, payload, options=variants["record route"])
        yield Case(f"udp of 1400, {words} words", long, ANSWERED)
        for bit in (0, 7, length * 8 - 1):
            changed = flipped(padded(frame), (ETHERNET_BYTES + IPV4_BYTES) * 8 + bit)
            title = f"{words} words of options, bit {bit} damaged"
            yield Case(title, changed, "ipv4_rx.bad_checksum")


# ---- IP header ----


@table
def fragments() -> Cases:
    for build in (udp_frame, ping_frame):
        for fragment in (0x2000, 0x6000, 0xA000, 0x0001, 0x1000, 0x1FFF, 0x3FFF, 0x4001, 0xFFFF):
            frame = build(PEER, HOST, PAYLOAD, fragment=fragment)
            yield Case(f"{build.__name__}, fragment {fragment:#x}", frame, "ipv4_rx.fragment")
        for fragment in (0x0000, 0x4000, 0x8000):
            frame = build(PEER, HOST, PAYLOAD, fragment=fragment)
            yield Case(f"{build.__name__}, flags {fragment:#x}", frame, ANSWERED)


@table
def versions() -> Cases:
    for version in range(16):
        verdict = ANSWERED if version == 4 else "ipv4_rx.bad_version"
        yield Case(f"version {version}", udp_frame(PEER, HOST, PAYLOAD, version=version), verdict)


@table
def harmless_fields() -> Cases:
    for value in (0, 1, 2, 3, 0x2E << 2, 0x80, 0xFF):
        yield Case(f"tos {value}", udp_frame(PEER, HOST, PAYLOAD, tos=value), ANSWERED)
        yield Case(f"ping, tos {value}", ping_frame(PEER, HOST, PAYLOAD, tos=value), ANSWERED)
    for value in (0, 1, 63, 128, 255):  # RFC 1122, 3.2.1.7: not our business at the end
        yield Case(f"ttl {value}", udp_frame(PEER, HOST, PAYLOAD, ttl=value), ANSWERED)
    for value in (1, 0x1234, 0xFFFF):
        frame = udp_frame(PEER, HOST, PAYLOAD, identification=value)
        yield Case(f"id {value}", frame, ANSWERED)


# ---- Addresses ----


@table
def destinations() -> Cases:
    for mac in ("02:b0:0b:05:00:02", "02:b0:0b:05:00:00", "82:b0:0b:05:00:01", "00:00:00:00:00:00"):
        for kind, frame in good_frames().items():
            yield Case(f"{kind} to {mac}", mac_bytes(mac) + frame[6:], "eth_rx.not_for_us")
    for mac in ("01:00:5e:00:00:01", "33:33:00:00:00:01", "03:b0:0b:05:00:01", "ff:ff:ff:ff:ff:fe"):
        for kind, frame in good_frames().items():
            yield Case(f"{kind} to group {mac}", mac_bytes(mac) + frame[6:], "eth_rx.not_for_us")
    for station in (PEER, TAGGED):
        for kind, frame in good_frames(station).items():
            yield Case(f"{kind} to all", BROADCAST_MAC + frame[6:], "eth_rx.broadcast")
    for ip in ("10.77.0.3", "10.77.0.0", "10.77.0.255", "255.255.255.255", "224.0.0.1"):
        for protocol in (PROTOCOL_UDP, PROTOCOL_ICMP):
            packet = ipv4(PEER.ip, ip_bytes(ip), protocol, PAYLOAD)
            frame = ethernet(HOST.mac, PEER.mac, TYPE_IPV4, packet)
            yield Case(f"protocol {protocol} to {ip}", frame, "ipv4_rx.not_for_us")


@table
def sources() -> Cases:
    for mac in ("ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "03:00:00:00:00:63"):
        for kind, frame in good_frames(Station.of(mac, "10.77.0.99")).items():
            yield Case(f"{kind} from {mac}", frame, "eth_rx.bad_source")
    for ip in (
        *(
            "10.77.0.2",
            "10.77.0.0",
            "10.77.0.255",
            "255.255.255.255",
            "224.0.0.1",
            "239.255.255.255",
        ),
        *("240.0.0.1", "127.0.0.1", "127.255.255.255", "0.0.0.0", "0.1.2.3"),
    ):
        for kind, frame in good_frames(Station.of("02:00:00:00:00:63", ip)).items():
            yield Case(f"{kind} from {ip}", frame, "ipv4_rx.bad_source")
    for kind, frame in good_frames(FAR).items():
        yield Case(f"{kind} from behind the gateway", frame, ANSWERED)


# ---- Ethernet ----


@table
def tags() -> Cases:
    for tci in (0x0123, 0x2123, 0xE123, 0xF123):  # the same VLAN with another priority
        station = Station(TAGGED.mac, TAGGED.ip, tci)
        for kind, frame in good_frames(station).items():
            yield Case(f"{kind}, tag {tci:#x}", frame, ANSWERED)
        for size in range(20):
            frame = udp_frame(station, HOST, PAYLOAD[:size])
            yield Case(f"udp of {size}, tag {tci:#x}", frame, ANSWERED)
    for ether_type, verdict in (
        (TYPE_VLAN, "eth_rx.nested_tag"),
        (0x88A8, "eth_rx.unknown_type"),
        (0x9100, "eth_rx.unknown_type"),
    ):
        for inner in (TYPE_IPV4, TYPE_ARP, TYPE_VLAN):
            body = (5).to_bytes(2) + inner.to_bytes(2) + bytes(60)
            frame = ethernet(HOST.mac, PEER.mac, ether_type, body, tci=0x123)
            yield Case(f"{ether_type:#x} and {inner:#x} in a tag", frame, verdict)
    service = ethernet(HOST.mac, PEER.mac, 0x88A8, good_frames(TAGGED)["udp"][12:])
    yield Case("service tag in front", service, "eth_rx.unknown_type")


@table
def ether_types() -> Cases:
    choice = random.Random("types")
    known = {TYPE_IPV4, TYPE_ARP, TYPE_VLAN}
    types = {*range(0, 1536, 37), 46, 1500, 1535, 0x0801, 0x0807, 0x0805, 0x8101, 0x86DD, 0x8847}
    types |= {0x88CC, 0x8808, 0x8906, 0xFFFF, 0x0008, 0x0608, 0x0081}
    types |= {choice.randrange(1 << 16) for _ in range(100)}
    for ether_type in sorted(types - known):
        for tci in (None, 0x123):
            frame = ethernet(HOST.mac, PEER.mac, ether_type, good_frames()["udp"][14:], tci)
            yield Case(f"type {ether_type:#x}, tag {tci}", frame, "eth_rx.unknown_type")


@table
def padding() -> Cases:
    choice = random.Random("padding")
    for size in (*range(20), 40, 100):
        for build in (udp_frame, ping_frame):
            for station in (PEER, TAGGED):
                frame = build(station, HOST, PAYLOAD * 5, total_length=None)
                frame = build(station, HOST, (PAYLOAD * 5)[:size])
                for length in (60, 61, 64, 65, 127, 128, 129, 256, 1514):
                    if length <= len(frame):
                        continue
                    fills = {
                        "ones": b"\xff" * length,
                        "random": choice.randbytes(length),
                        "copy": frame * (length // len(frame) + 1),
                    }
                    for name, fill in fills.items():
                        content = frame + fill[: length - len(frame)]
                        title = f"{build.__name__} of {size}, padded to {length} with {name}"
                        yield Case(title, content, ANSWERED)
        frame = udp_frame(PEER, HOST, (PAYLOAD * 5)[:size])
        content = frame + choice.randbytes(MAX_FRAME_BYTES - len(frame))
        yield Case(f"udp of {size} in the longest frame", content, ANSWERED)


# ---- Transport ----


@table
def icmp_types() -> Cases:
    for icmp_type in range(256):
        if icmp_type != 8:
            frame = ping_frame(PEER, HOST, PAYLOAD, icmp_type=icmp_type)
            yield Case(f"icmp type {icmp_type}", frame, "icmp_echo.not_echo_request")
    for code in range(1, 256):
        frame = ping_frame(PEER, HOST, PAYLOAD, code=code)
        yield Case(f"echo request, code {code}", frame, ANSWERED)  # as Linux does


@table
def udp_ports() -> Cases:
    yield Case("to port 0", udp_frame(PEER, HOST, PAYLOAD, port=0), "udp_rx.bad_port")
    for port in (0, 1, 7, 13, 19, 53, 1022, 1023):
        for size in (0, 1, 20):
            frame = udp_frame(PEER, HOST, PAYLOAD[:size], source_port=port)
            yield Case(f"from port {port}, {size} bytes", frame, "udp_echo.service_port")
    for port in (1024, 1025, 7 << 8, 40000, 65535):
        frame = udp_frame(PEER, HOST, PAYLOAD, source_port=port)
        yield Case(f"from port {port}", frame, ANSWERED)


# ---- ARP ----


def arp_frame(body: bytes, destination: bytes = BROADCAST_MAC, tci: int | None = None) -> bytes:
    return padded(ethernet(destination, PEER.mac, TYPE_ARP, body, tci))


@table
def arp_malformed() -> Cases:
    bad = "arp.malformed"
    for value in (0, 2, 6, 0x100, 0xFFFF):
        yield Case(f"mac type {value}", arp_request(PEER, HOST, mac_type=value), bad)
    for value in (0, 0x0801, 0x0008, 0x86DD):
        yield Case(f"ip type {value:#x}", arp_request(PEER, HOST, ip_type=value), bad)
    for value in (0, 4, 5, 7, 255):
        yield Case(f"mac length {value}", arp_request(PEER, HOST, mac_length=value), bad)
    for value in (0, 3, 5, 6, 16):
        yield Case(f"ip length {value}", arp_request(PEER, HOST, ip_length=value), bad)
    for value in (0, 3, 4, 8, 9, 0x100, 0x200, 0xFFFF):
        body = arp(value, PEER.mac, PEER.ip, NO_MAC, HOST.ip)
        yield Case(f"operation {value}", arp_frame(body), bad)
    for mac in ("ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01"):
        for operation in (ARP_REQUEST, ARP_REPLY):
            body = arp(operation, mac_bytes(mac), PEER.ip, NO_MAC, HOST.ip)
            yield Case(f"operation {operation} from {mac}", arp_frame(body), bad)


@table
def arp_messages() -> Cases:
    for operation in (ARP_REQUEST, ARP_REPLY):
        for target in (HOST.ip, PEER.ip):
            body = arp(operation, PEER.mac, HOST.ip, NO_MAC, target)
            yield Case(f"operation {operation} claims our address", arp_frame(body), "arp.conflict")
    others = ip_bytes("10.77.0.5")
    for destination in (BROADCAST_MAC, HOST.mac):
        to = "all" if destination == BROADCAST_MAC else "us"
        for station in (PEER, GATEWAY, TAGGED):
            ask = arp(ARP_REQUEST, station.mac, station.ip, NO_MAC, HOST.ip)
            yield Case(f"asks {to}", arp_frame(ask, destination, station.tci), ANSWERED)
            ask = arp(ARP_REQUEST, station.mac, station.ip, NO_MAC, others)
            yield Case(f"asks {to} for another", arp_frame(ask, destination, station.tci), SILENT)
            told = arp(ARP_REQUEST, station.mac, station.ip, NO_MAC, station.ip)
            yield Case(f"announces to {to}", arp_frame(told, destination, station.tci), SILENT)
            told = arp(ARP_REPLY, station.mac, station.ip, HOST.mac, HOST.ip)
            yield Case(f"answers {to} unasked", arp_frame(told, destination, station.tci), SILENT)
        probe = arp(ARP_REQUEST, PEER.mac, NO_IP, NO_MAC, HOST.ip)
        yield Case(f"probe for our address to {to}", arp_frame(probe, destination), ANSWERED)
        probe = arp(ARP_REQUEST, PEER.mac, NO_IP, NO_MAC, others)
        yield Case(f"probe for another to {to}", arp_frame(probe, destination), SILENT)
    multicast = arp_request(PEER, HOST)
    yield Case("to a group", mac_bytes("01:00:5e:00:00:01") + multicast[6:], "eth_rx.not_for_us")
    for length in (43, 60, 64, 65, 1514, 9600):
        frame = arp_request(PEER, HOST).ljust(length, b"\xee")
        yield Case(f"request padded to {length}", frame, ANSWERED)
    yield Case("reply", arp_reply(PEER, HOST), SILENT)


# ---- Running the table ----


@lru_cache
def cases_by_verdict() -> dict[str, list[Case]]:
    groups: dict[str, list[Case]] = {}
    for cases in TABLE:
        for case in cases():
            groups.setdefault(case.verdict, []).append(case)
    return groups


def introduced_model() -> Stack:
    model = Stack(HOST)
    for station in (PEER, GATEWAY, TAGGED):
        model.process(arp_request(station, HOST))
    return model


@pytest.mark.parametrize("verdict", sorted(cases_by_verdict()))
def test_model_agrees_with_the_table(verdict: str) -> None:
    model = introduced_model()
    for case in cases_by_verdict()[verdict]:
        outcome = model.process(case.frame)
        if verdict == ANSWERED:
            found = len(outcome.replies) == 1 and not outcome.drops
        elif verdict == SILENT:
            found = outcome.nothing
        elif verdict == AS_MODEL:
            found = len(outcome.drops) == 1 and not outcome.replies
        else:
            found = list(outcome.drops) == [verdict] and not outcome.replies
        assert found, f"{case.name}: {outcome}"


def run_cases(bench: Bench, cases: list[Case]) -> None:
    frames = []
    for case in cases:
        frames += [case.frame, *bench.probes()]
    # Packets with options go through one 32-bit word a cycle, options a byte a cycle.
    longest = max(len(case.frame) for case in cases)
    bench.run(frames, gap_cycles=80 + longest // 4)
    bench.alive([PEER, TAGGED, GATEWAY])


def batches(cases: list[Case]) -> Iterator[list[Case]]:
    """Frames of like length together, so that long ones do not make all wait."""
    for shortest, longest in ((0, 300), (300, 2000), (2000, 1 << 20)):
        fitting = [case for case in cases if shortest < len(case.frame) <= longest]
        for start in range(0, len(fitting), 256):
            yield fitting[start : start + 256]


def culprits(design: Path, cases: list[Case]) -> list[str]:
    """The cases that fail alone; empty if only their company makes them fail."""
    names = []
    for case in cases[:400]:
        try:
            with Bench(design) as bench:
                run_cases(bench, [case])
        except AssertionError as error:
            names.append(f"{case.name}: {str(error).splitlines()[0]}")
    return names


@pytest.mark.parametrize("design", ALL_DESIGNS, ids=lambda path: path.stem)
@pytest.mark.parametrize("verdict", sorted(cases_by_verdict()))
def test_table(design: Path, verdict: str) -> None:
    cases = cases_by_verdict()[verdict]
    with Bench(design, seed=len(cases)) as bench:
        assert bench.host == HOST
        for batch in batches(cases):
            try:
                run_cases(bench, batch)
            except AssertionError as error:
                names = culprits(design, batch)
                pytest.fail(f"{error}\n" + "\n".join(names or ["none of them fails alone"]))


@pytest.mark.parametrize("design", ALL_DESIGNS, ids=lambda path: path.stem)
def test_frames_with_a_bad_fcs(design: Path) -> None:
    with Bench(design) as bench:
        for frame in (
            *good_frames().values(),
            arp_request(PEER, HOST),
            udp_frame(PEER, HOST, bytes(9558)),
            b"\0",
            HOST.mac,
        ):
            bench.send_bad(frame)
        # Bad counts before too long.
        bench.send_bad(bytes(9601))
        bench.alive()


@pytest.mark.parametrize("design", ALL_DESIGNS, ids=lambda path: path.stem)
def test_closed_ports_are_told_of_at_a_limited_rate(design: Path) -> None:
    def closed(port: int, size: int = 20, **options: int) -> bytes:
        return udp_frame(PEER, HOST, (PAYLOAD * 80)[:size], port=port, **options)

    with Bench(design) as bench:
        bench.rest()
        # Eight at once; the rest counted as rate limited.
        bench.run([closed(port) for port in range(1000, 1012)], ordered=True)
        bench.alive()
        bench.rest()
        # What is quoted: header fields, and the first 8 bytes whatever the size.
        bench.run([closed(9, size) for size in (0, 1, 8, 30, 1472)], ordered=True)
        bench.rest()
        variants = [
            closed(9, tos=0xB8, ttl=3, identification=0xBEEF),
            closed(9, fragment=0),
            padded(closed(65535, size=1)),
            udp_frame(TAGGED, HOST, PAYLOAD, port=9),
            udp_frame(FAR, HOST, PAYLOAD, port=9),
            udp_frame(PEER, HOST, PAYLOAD, port=9, options=bytes([1]) * 8),
            udp_frame(PEER, HOST, PAYLOAD, port=9, udp_checksum=0),
            udp_frame(PEER, HOST, PAYLOAD, port=9, source_port=0),
        ]
        bench.run(variants)
        # Time gives one back for every period, in whatever steps it goes.
        bench.run([closed(9)])
        assert bench.model.error_tokens == 0
        for periods in (1, 3):
            bench.simulation.elapse(us=periods << 14)
            bench.model.refill(periods)
            bench.run([closed(9)] * (periods + 2))
        # A bad datagram to a closed port is not answered.
        bench.rest()
        bench.run([closed(9, length=9), closed(9, udp_checksum=1), closed(0)])
        bench.alive()


@pytest.mark.parametrize("design", ALL_DESIGNS, ids=lambda path: path.stem)
def test_unknown_protocols_are_told_of_at_a_limited_rate(design: Path) -> None:
    def unknown(protocol: int, size: int = 20, **options: Any) -> bytes:
        return ip_frame(PEER, HOST, protocol, (PAYLOAD * 80)[:size], **options)

    known = {PROTOCOL_ICMP, PROTOCOL_UDP}
    protocols = [n for n in range(256) if n not in known]
    with Bench(design) as bench:
        for start in range(0, len(protocols), ERROR_BURST):
            bench.rest()
            bench.run([unknown(n) for n in protocols[start : start + ERROR_BURST]], ordered=True)
        bench.run([unknown(2)] * 3)
        assert bench.model.error_tokens == 0
        # What is quoted: what there is of 8 bytes, and the length whatever the size.
        for sizes in (range(8), (8, 9, 31, 33, 64, 512, 1480)):
            bench.rest()
            bench.run([unknown(89, size) for size in sizes], ordered=True)
            bench.rest()
            bench.run([padded(unknown(89, size)) for size in sizes], ordered=True)
        bench.rest()
        variants = [
            unknown(132, tos=0xB8, ttl=3, identification=0xBEEF),
            unknown(132, 700, options=bytes([1]) * 8),
            ip_frame(TAGGED, HOST, 47, PAYLOAD),
            ip_frame(FAR, HOST, 47, PAYLOAD),
        ]
        bench.run(variants)
        # No error about an error, a fragment, a bad header, a source that is no host, a
        # destination that is not ours (RFC 1122, 3.2.2).
        bench.rest()
        nobody = Station.of("02:00:00:00:00:63", "10.77.0.255")
        bench.run(
            [
                unknown(89, fragment=0x2000),
                unknown(89, fragment=1),
                unknown(89, total_length=60),
                unknown(89, options=bytes([131, 3, 3, 0])),
                ip_frame(nobody, HOST, 89, PAYLOAD),
                udp_frame(nobody, HOST, PAYLOAD, port=9),
                BROADCAST_MAC + unknown(89)[6:],
                BROADCAST_MAC + udp_frame(PEER, HOST, PAYLOAD, port=9)[6:],
                ping_frame(PEER, HOST, PAYLOAD, icmp_type=3, code=3),
            ]
        )
        assert bench.model.error_tokens == ERROR_BURST
        bench.alive()
