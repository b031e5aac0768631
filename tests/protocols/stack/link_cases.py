# SPDX-License-Identifier: Apache-2.0
"""Frames that are odd or wrong in Ethernet, their addresses or ARP."""

from __future__ import annotations

import random

from bombus.protocols.frames import (
    ARP_REPLY,
    ARP_REQUEST,
    BROADCAST_MAC,
    MAX_FRAME_BYTES,
    NO_IP,
    NO_MAC,
    PROTOCOL_ICMP,
    PROTOCOL_UDP,
    TYPE_ARP,
    TYPE_IPV4,
    TYPE_VLAN,
    Station,
    arp,
    arp_reply,
    arp_request,
    ethernet,
    ip_bytes,
    ipv4,
    mac_bytes,
    padded,
    ping_frame,
    udp_frame,
)
from tests.protocols.stack.frame_cases import (
    ANSWERED,
    HOST,
    PAYLOAD,
    SILENT,
    Case,
    Cases,
    Table,
    good_frames,
)
from tests.support.bench import FAR, GATEWAY, PEER, TAGGED

table = Table()


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
    broadcasts = ("10.77.0.0", "10.77.0.255", "255.255.255.255")
    groups = ("224.0.0.1", "239.255.255.255")
    reserved = ("240.0.0.1", "127.0.0.1", "127.255.255.255", "0.0.0.0", "0.1.2.3")
    for ip in ("10.77.0.2", *broadcasts, *groups, *reserved):
        for kind, frame in good_frames(Station.of("02:00:00:00:00:63", ip)).items():
            yield Case(f"{kind} from {ip}", frame, "ipv4_rx.bad_source")
    for kind, frame in good_frames(FAR).items():
        yield Case(f"{kind} from behind the gateway", frame, ANSWERED)


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
    for mac in ("ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "00:00:00:00:00:00"):
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
