# SPDX-License-Identifier: Apache-2.0
"""Reference model: rules applied to one packet without tables, for tests and for the host.

Contents of the payload, ports, protocol and size count; other keywords, and contents that must not
be there or stand in a buffer, are left out. So it is the truth for rules that tables say exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bombus.applications.intrusion_detection import content
from bombus.applications.intrusion_detection.content import Content
from bombus.applications.intrusion_detection.keywords import TCP
from bombus.applications.intrusion_detection.rule import Rule


@dataclass(frozen=True)
class Packet:
    """`protocol`: bit of keywords.TCP..."""

    protocol: int
    source_port: int
    target_port: int
    payload: bytes


def _starts(each: Content, payload: bytes, cursor: int) -> Iterable[int]:
    """Positions of a content within its allowed range."""
    pattern, text = each.pattern, payload
    if each.nocase:
        pattern, text = pattern.lower(), payload.lower()
    low, end = 0, len(payload)
    if each.is_relative:
        low = cursor + (each.distance or 0)
        if each.within is not None:
            end = min(end, low + each.within)
    if each.offset is not None:
        low = max(low, each.offset)
    if each.depth is not None:
        end = min(end, (each.offset or 0) + each.depth)
    place = text.find(pattern, max(0, low))
    while place >= 0 and place + len(pattern) <= end:
        yield place
        place = text.find(pattern, place + 1)


def _match(contents: Sequence[Content], payload: bytes, cursor: int) -> bool:
    """Whether all contents match: for relative contents, each position of the previous one is
    tried.
    """
    if not contents:
        return True
    first, *rest = contents
    return any(
        _match(rest, payload, place + len(first.pattern))
        for place in _starts(first, payload, cursor)
    )


def is_found(rule: Rule, packet: Packet) -> bool:
    if not rule.protocols & packet.protocol:
        return False
    if not rule.size[0] <= len(packet.payload) <= rule.size[1]:
        return False
    if packet.protocol in (1, 2) and not any(
        any(low <= packet.source_port <= high for low, high in source)
        and any(low <= packet.target_port <= high for low, high in target)
        for source, target in rule.directions
    ):
        return False
    wanted = [each for each in rule.contents if not each.negated and each.buffer == content.PAYLOAD]
    return _match(wanted, packet.payload, 0)


def found(rules: Iterable[Rule], packet: Packet) -> set[int]:
    """The sids of the rules that a packet matches."""
    return {rule.sid for rule in rules if is_found(rule, packet)}


def found_in_stream(
    rules: Iterable[Rule], source_port: int, target_port: int, segments: Sequence[bytes]
) -> set[int]:
    """The rules found in a segment, or in the stream of all segments."""
    packets = [Packet(TCP, source_port, target_port, segment) for segment in segments]
    stream = Packet(TCP, source_port, target_port, b"".join(segments))
    return {
        rule.sid
        for rule in rules
        if any(is_found(rule, packet) for packet in packets)
        or (rule.in_streams and is_found(rule, stream))
    }
