# SPDX-License-Identifier: Apache-2.0
"""eth_tx at two widths: packets, ARP bodies and updates go in, and what comes out is collected."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.support.harness import Beats, Bench, Benches, Message, pack_meta
from tests.support.layer_bench import counts, layer_kind, open_layer

WIDTHS = (64, 512)
PACKET, ARP_BODY, ARP_UPDATE, QUESTION = range(4)
HEADER_BYTES = 14
SECOND = 1_000_000
SUBNET = 0x0A000000


def mac_of(ip: int) -> int:
    return 0x02_00_00_00_00_00 | ip & 0xFFFFFF


def packet(ip: int, number: int, size: int = 46, vlan: int = 0) -> Message:
    body = ip.to_bytes(4) + number.to_bytes(4)
    body += bytes((number + n) & 0xFF for n in range(max(0, size - len(body))))
    return Message(body, pack_meta(kind=PACKET, ip=ip, length=len(body), vlan=vlan))


def neighbour(kind: int, ip: int, mac: int | None = None, **fields: int) -> int:
    mac = mac_of(ip) if mac is None else mac
    return pack_meta(
        meta_type="neighbour_t",
        package="arp_pkg",
        kind=kind,
        ip=ip,
        mac_high=mac >> 32,
        mac_low=mac & 0xFFFFFFFF,
        **fields,
    )


def update(ip: int, mac: int | None = None, *, only_refresh: bool = False) -> Message:
    return Message(b"", neighbour(ARP_UPDATE, ip, mac, only_refresh=int(only_refresh)))


def body(ip: int, *, is_binding: bool = True) -> Message:
    """An ARP body to a neighbour that is a binding, too, as an answer is."""
    meta = neighbour(ARP_BODY, ip, length=28, is_binding=int(is_binding))
    return Message(ip.to_bytes(4) + bytes(24), meta)


@dataclass
class Seen:
    """Output and counters of one of the two."""

    frames: list[tuple[int, bytes]] = field(default_factory=list)  # MAC address, packet
    bodies: list[tuple[int, bytes]] = field(default_factory=list)  # MAC address, ARP body
    questions: list[tuple[int, int]] = field(default_factory=list)  # address, MAC address
    counts: Counter[str] = field(default_factory=Counter)

    def numbers(self, ip: int) -> list[int]:
        return [
            int.from_bytes(body[4:8]) for _, body in self.frames if int.from_bytes(body[:4]) == ip
        ]

    @property
    def asked(self) -> list[int]:
        return [ip for ip, _ in self.questions]


class Transmitter:
    """eth_tx at both widths, fed with the same messages."""

    def __init__(self, benches: Benches, seed: int = 1, cuts: int = 0) -> None:
        arguments = [f".CutsReady({cuts})", f".RegistersInput({cuts})"]
        self.bench: Bench = open_layer(
            benches, "eth_tx", arguments, seed=seed, NumWidths=2, WidthRatio=8
        )
        self.random = Random(seed)
        self.restart()

    def restart(self) -> None:
        self.bench.reset()
        self.bench.run(1100)  # the cache is being cleared
        self._seen = [Seen() for _ in WIDTHS]

    def send(self, *messages: Message) -> None:
        for stream, width in enumerate(WIDTHS):
            self.bench.push(Beats(width).stream(messages, self.random), stream)

    def run(self, *messages: Message) -> list[Seen]:
        self.send(*messages)
        self.bench.drain()
        self.bench.run(300)
        return self.seen()

    def seconds(self, seconds: float, tick: int = 1000) -> None:
        self.bench.control(tick)
        self.bench.run(int(seconds * SECOND) // tick)
        self.bench.control(0)

    def renewals(self) -> int:
        return counts(self.bench, "eth_tx", 0)["renewal"]

    def seen(self) -> list[Seen]:
        """Everything since the start; new values are read once."""
        for stream, (seen, width) in enumerate(zip(self._seen, WIDTHS, strict=True)):
            beats = Beats(width, ("next", 5))
            for message in beats.messages(self.bench.items(stream), lengths=True):
                # The MAC ports follow the named next hops.
                hops = [*layer_kind("eth_tx").outputs["out"].hops, "mac_port_0"]
                if (hop := hops[message.side["next"]]) == "arp":
                    assert message["kind"] == QUESTION
                    assert len(message.payload) == HEADER_BYTES
                    mac = message["csum"] << 32 | message.meta & 0xFFFFFFFF
                    seen.questions.append((message["ip"], mac))
                else:
                    assert hop == "mac_port_0"
                    mac = int.from_bytes(message.payload[:6])
                    is_arp = message.payload[12:HEADER_BYTES] == b"\x08\x06"
                    sent = seen.bodies if is_arp else seen.frames
                    sent.append((mac, message.payload[HEADER_BYTES:]))
            seen.counts.update(counts(self.bench, "eth_tx", stream))
        self.bench.forget()
        return self._seen
