# SPDX-License-Identifier: Apache-2.0
"""Random rules, and packets that match them, nearly match them, or have nothing of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from bombus.applications.intrusion_detection import compiling, keywords, sample
from bombus.applications.intrusion_detection.compiling import Compiled
from bombus.applications.intrusion_detection.content import Content
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.rule import Rule

_LETTERS = b"abcdefgABCDEFG@[`{019 \x00\xff"
_PROTOCOLS = (keywords.TCP, keywords.UDP, keywords.ICMP, keywords.OTHER)
_PORTS = (53, 80, 443, 8080)


def _pattern(random: Random, shortest: int) -> bytes:
    length = random.choice([4, 5, 7, 8, 8, 9, 15, 16, 17, 33])
    return bytes(random.choice(_LETTERS) for _ in range(max(shortest, length)))


def _content(random: Random, relative: bool) -> str:
    pattern = _pattern(random, 4)
    text = f'content:"|{pattern.hex(" ")}|";'
    if random.random() < 0.4:
        text += " nocase;"
    if relative:
        text += f" distance:{random.choice([0, 0, 1, 5, -3])};"
        text += f" within:{len(pattern) + random.choice([0, 0, 0, 3])};"
    elif random.random() < 0.4:
        offset = random.randrange(12)
        text += f" offset:{offset}; depth:{len(pattern) + random.choice([0, 1, 20])};"
    return text


def text(random: Random, count: int) -> str:
    """Lines of a rule file."""
    lines = []
    for sid in range(1, count + 1):
        protocol = random.choice(["tcp", "tcp", "udp", "ip", "icmp"])
        ports = [
            random.choice(["any", "any", "80", "!80", "[53,8080]", "1024:"])
            if protocol in ("tcp", "udp")
            else "any"
            for _ in range(2)
        ]
        contents = [_content(random, relative=n > 0) for n in range(random.choice([1, 1, 1, 2, 3]))]
        size = random.choice(["", "", "", " dsize:>40;", " dsize:20<>90;"])
        direction = random.choice(["->", "->", "<>"])
        lines.append(
            f"alert {protocol} any {ports[0]} {direction} any {ports[1]} "
            f"({' '.join(contents)}{size} sid:{sid};)"
        )
    return "\n".join(lines)


def rules(random: Random, count: int, folder: Path) -> list[Rule]:
    file = folder / "random.rules"
    file.write_text(text(random, count))
    return compiling.read([file], {})


@cache
def published() -> tuple[list[Rule], Compiled]:
    """As many rules as a published set has, and their tables."""
    with TemporaryDirectory() as folder:
        found = sample.rules(Random(1), 20_000, Path(folder))
    random = Random(2)
    traffic = b"".join(sample.payload(random, 1400) for _ in range(100))
    return found, compiling.compile_rules(found, traffic, rows=32768)


def _other_case(random: Random, data: bytes) -> bytes:
    return bytes(byte ^ 0x20 if byte & 0x40 and random.random() < 0.3 else byte for byte in data)


def laid_out(random: Random, contents: Sequence[Content]) -> bytes:
    """A payload with the contents at the required positions, mostly."""
    payload = bytearray(random.choice(_LETTERS) for _ in range(random.choice([0, 0, 5, 60, 100])))
    cursor = 0
    for each in contents:
        spread = random.choice([0, 0, 0, 1, 2])
        if each.is_relative:
            place = max(0, cursor + (each.distance or 0) + spread)
        elif each.offset is not None or each.depth is not None:
            place = (each.offset or 0) + spread
        else:
            place = random.randrange(len(payload) + 1)
        pattern = each.pattern
        if each.nocase or random.random() < 0.1:
            pattern = _other_case(random, pattern)
        if random.random() < 0.1:
            pattern = pattern[:-1] + bytes([pattern[-1] ^ 1 << random.randrange(8)])
        payload = payload.ljust(place, b"x")
        payload[place : place + len(pattern)] = pattern
        cursor = place + len(pattern)
    return bytes(payload[: random.choice([len(payload)] * 5 + [max(0, len(payload) - 1)])])


def packet(random: Random, rules: Sequence[Rule], longest: int = 1400) -> Packet:
    """Most have the contents of one or two rules."""
    payload = b""
    protocol = random.choice(_PROTOCOLS)
    for _ in range(random.choice([0, 1, 1, 1, 2])):
        rule = random.choice(rules)
        payload += laid_out(random, rule.contents)
        if rule.protocols != keywords.ALL and random.random() < 0.8:
            protocol = random.choice([bit for bit in _PROTOCOLS if bit & rule.protocols])
    if random.random() < 0.3:
        payload += random.randbytes(random.randrange(200))
    ports = [random.choice([*_PORTS, random.getrandbits(16)]) for _ in range(2)]
    return Packet(protocol, *ports, payload[:longest])
