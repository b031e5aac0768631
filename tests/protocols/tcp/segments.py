# SPDX-License-Identifier: Apache-2.0
"""TCP segments with any options for tests of tcp_receive, and what it should report of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from bombus.design import rtl
from tests.support.harness import Message, csum, pack_meta

IP = 0x0A000001  # as in benches/tcp_receive.sv
FIXED = 20
ACK, FIN_SYN_RST = 0x10, 0x07
OFFSETS = rtl.struct_layout("segment_t", "tcp_pkg")


def blocks(random: Random, count: int) -> bytes:
    return bytes((5, 2 + 8 * count)) + random.randbytes(8 * count)


def layouts(random: Random) -> dict[str, bytes]:
    """Those that are read at once."""
    stamps = bytes((8, 10)) + random.randbytes(8)
    mss = bytes((2, 4)) + random.randbytes(2)
    scale = bytes((1, 3, 3, random.randrange(18)))
    nops, permitted = bytes((1, 1)), bytes((4, 2))
    found = {
        "none": b"",
        "stamps": nops + stamps,
        "linux": mss + permitted + stamps + scale,
        "linux, no SACK": mss + nops + stamps + scale,
        "linux, no scale": mss + permitted + stamps,
        "linux, no SACK, no scale": mss + nops + stamps,
        "linux, no stamps": mss + nops + permitted + scale,
        "linux, neither stamps nor scale": mss + nops + permitted,
        "linux, scale": mss + scale,
        "mss": mss,
        "windows": mss + scale + nops + permitted,
        "macos": mss + scale + nops + stamps + permitted + bytes(2),
    }
    for count in range(1, 5):
        found[f"sack {count}"] = nops + blocks(random, count)
        if count < 4:
            found[f"stamps sack {count}"] = nops + stamps + nops + blocks(random, count)
    return found


def random_options(random: Random) -> bytes:
    """In any order and at any place, some of bad length, the last perhaps cut."""
    options = b""
    size = 4 * random.randrange(1, 11)
    while len(options) < size:
        value = random.choice(
            [
                *(b"\1", b"\1", b"\1\1"),
                bytes((2, 4)) + random.randbytes(2),
                bytes((3, 3, random.randrange(20))),
                bytes((4, 2)),
                bytes((8, 10)) + random.randbytes(8),
                blocks(random, random.randrange(1, 5)),
            ]
        )
        if random.random() < 0.1:
            kind = random.choice([0, 2, 3, 4, 5, 8, 254, random.randrange(256)])
            length = random.choice([0, 1, *range(2, 20), random.randrange(256)])
            value = (bytes((kind, length)) + random.randbytes(40))[: max(2, length)]
        if len(options) + len(value) <= size or random.random() < 0.1:
            options += value
    return options[:size]


def read_options(options: bytes) -> tuple[dict[str, int], list[tuple[int, int]], bool]:
    """Fields, SACK blocks, and whether the list ended at a bad length."""
    found: dict[str, int] = {}
    sacks: list[tuple[int, int]] = []
    rest = options
    while rest and rest[0] != 0:
        if rest[0] == 1:
            rest = rest[1:]
            continue
        if len(rest) < 2 or rest[1] < 2 or rest[1] > len(rest):
            return found, sacks, True
        kind, value, rest = rest[0], rest[2 : rest[1]], rest[rest[1] :]
        number = int.from_bytes(value, "big")
        match kind, len(value):
            case 2, 2:
                found |= {"has_mss": 1, "mss": number}
            case 3, 1:
                found |= {"has_scale": 1, "scale": min(number, 14)}
            case 4, 0:
                found |= {"sack_permitted": 1}
            case 8, 8:
                found |= {"has_timestamps": 1, "ts_value": number >> 32}
                found |= {"ts_echo": number & 0xFFFFFFFF}
            case 5, 8 | 16 | 24 | 32:
                words = [int.from_bytes(value[i : i + 4], "big") for i in range(0, len(value), 4)]
                sacks = list(zip(words[::2], words[1::2], strict=True))
    return found, sacks, False


@dataclass(frozen=True)
class Segment:
    """As it comes; its sequence number is `seed`. `offset`: words of the header that it tells."""

    seed: int
    options: bytes = b""
    payload: bytes = b""
    offset: int | None = None
    cut: int | None = None  # to so many bytes
    good: bool = True
    fields: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def header(self) -> dict[str, int]:
        random = Random(self.seed)
        drawn = {name: random.getrandbits(8 * size) for name, size in SIZES.items()}
        drawn["vlan"] &= 0x1FFFF
        drawn["seq"] = self.seed
        drawn["src_port"] |= 1
        drawn["dst_port"] |= 1
        return drawn | self.fields

    @cached_property
    def data(self) -> bytes:
        head = self.header
        ports = b"".join(head[name].to_bytes(2, "big") for name in ("src_port", "dst_port"))
        numbers = b"".join(head[name].to_bytes(4, "big") for name in ("seq", "ack"))
        words = (FIXED + len(self.options)) // 4 if self.offset is None else self.offset
        rest = bytes((words << 4 | head["reserved"] & 15, head["flags"]))
        rest += head["window"].to_bytes(2, "big")
        urgent = head["urgent"].to_bytes(2, "big")
        before = ports + numbers + rest
        after = urgent + self.options + self.payload
        whole = before + bytes(2) + after
        check = 0xFFFF ^ csum(whole[: self.cut], self.pseudo(len(whole[: self.cut])))
        if not self.good:
            check ^= 1 << self.seed % 16
        return (before + check.to_bytes(2, "big") + after)[: self.cut]

    def pseudo(self, length: int) -> int:
        addresses = self.header["ip"].to_bytes(4, "big") + IP.to_bytes(4, "big")
        return csum(addresses + bytes((0, 6)) + length.to_bytes(2, "big"))

    @property
    def message(self) -> Message:
        head, data = self.header, self.data
        meta = pack_meta(
            length=len(data),
            csum=csum(data),
            ip=head["ip"],
            tos=head["tos"],
            vlan__valid=head["vlan"] >> 16 & 1,
            vlan__tci=head["vlan"] & 0xFFFF,
        )
        return Message(data, meta)

    @cached_property
    def found(self) -> tuple[dict[str, int], list[tuple[int, int]], bool]:
        return read_options(self.options)

    def check(self, item: int) -> None:
        """The fields of segment_o."""
        head = self.header
        for name in ("ip", "tos", "vlan", "src_port", "dst_port", "seq", "ack", "window", "flags"):
            assert get(item, name) == head[name], name
        assert get(item, "mac_port") == 0
        assert get(item, "length") == len(self.payload)
        fields, sacks, _ = self.found
        for name in ("has_mss", "has_scale", "sack_permitted", "has_timestamps"):
            assert get(item, f"options.{name}") == fields.get(name, 0), name
        for name, number in fields.items():
            assert get(item, f"options.{name}") == number, name
        assert get(item, "options.has_sack") == bool(sacks)
        assert not get(item, "sack_only")
        for block in sacks[:1]:
            assert sack_of(item) == block

    @cached_property
    def more(self) -> list[tuple[int, int]]:
        """The SACK blocks behind the first one, if they are looked for."""
        flags = self.header["flags"]
        if not flags & ACK or flags & FIN_SYN_RST:
            return []
        return self.found[1][1:]

    def check_more(self, item: int) -> None:
        """The fields of segment_o for a block behind the first one, but for the block."""
        head, (fields, _, _) = self.header, self.found
        for name in ("ip", "tos", "vlan", "src_port", "dst_port", "ack", "window"):
            assert get(item, name) == head[name], name
        assert get(item, "sack_only")
        assert get(item, "seq") == head["seq"] + len(self.payload)
        assert get(item, "flags") == ACK
        assert get(item, "length") == 0
        assert get(item, "options.has_sack")
        for name in ("has_timestamps", "ts_value", "ts_echo"):
            assert name not in fields or get(item, f"options.{name}") == fields[name]
        for name in ("has_mss", "has_scale", "sack_permitted"):
            assert get(item, f"options.{name}") == fields.get(name, 0), name


def sack_of(item: int) -> tuple[int, int]:
    return get(item, "options.sack.left"), get(item, "options.sack.right")


def get(item: int, name: str) -> int:
    """A field of segment_t."""
    at = OFFSETS[name]
    return item >> at.offset & ((1 << at.width) - 1)


SIZES = {
    "ip": 4,
    "tos": 1,
    "vlan": 2,
    "src_port": 2,
    "dst_port": 2,
    "seq": 4,
    "ack": 4,
    "flags": 1,
    "window": 2,
    "urgent": 2,
    "reserved": 1,
}
