# SPDX-License-Identifier: Apache-2.0
"""Frames that are odd or wrong in length, checksum, IP header, options or transport."""

from __future__ import annotations

import random

from bombus.protocols.frames import (
    ETHERNET_BYTES,
    IPV4_BYTES,
    MAX_FRAME_BYTES,
    PROTOCOL_ICMP,
    PROTOCOL_UDP,
    TYPE_VLAN,
    UDP_BYTES,
    arp_request,
    ethernet,
    icmp,
    ip_frame,
    padded,
    ping_frame,
    transport_checksum,
    udp,
    udp_frame,
)
from bombus.protocols.stack import option_fault
from tests.protocols.stack.frame_cases import (
    ANSWERED,
    AS_MODEL,
    HOST,
    PAYLOAD,
    TOTAL,
    Case,
    Cases,
    Table,
    flipped,
    good_frames,
)
from tests.support.bench import PEER, TAGGED

table = Table()


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
                # The header claims to be longer than the packet.
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
    # In a frame with padding, the IP length decides, not the bytes present.
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
    for port in (0, 1, 7, 13, 19, 53, 1023, 1024, 7 << 8, 32766, 32767):
        for size in (0, 1, 20):
            frame = udp_frame(PEER, HOST, PAYLOAD[:size], source_port=port)
            yield Case(f"from port {port}, {size} bytes", frame, "udp_echo.service_port")
    for port in (32768, 32769, 40000, 65535):
        frame = udp_frame(PEER, HOST, PAYLOAD, source_port=port)
        yield Case(f"from port {port}", frame, ANSWERED)
