# SPDX-License-Identifier: Apache-2.0
"""TCP sessions with what rules look for: cut anywhere, out of order, repeated, overlapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from bombus.applications.intrusion_detection import keywords
from bombus.applications.intrusion_detection.rule import Rule
from bombus.applications.intrusion_detection.streams import Flow, Segment
from tests.applications.intrusion_detection import rule_sets


def stream(random: Random, rules: Sequence[Rule]) -> bytes:
    """The contents of some rules, possibly after other bytes."""
    wanted = [rule for rule in rules if rule.protocols & keywords.TCP]
    free = [rule for rule in wanted if rule.in_streams]
    made = b""
    for _ in range(random.randrange(1, 6)):
        among = free if random.random() < 0.7 else wanted
        made += rule_sets.laid_out(random, random.choice(among).contents)
        made += b"." * random.choice([0, 0, 3, 40])
    return made or b"."


def cut(random: Random, data: bytes, longest: int) -> list[bytes]:
    """In segments of one byte and more."""
    parts = []
    while data:
        size = random.choice([1, 2, 7, 8, 9, random.randrange(1, longest)])
        parts.append(data[:size])
        data = data[size:]
    return parts


def disorder(
    random: Random, flow: Flow, first: int, parts: Sequence[bytes], reach: int
) -> list[Segment]:
    """A SYN and the segments, some up to `reach` positions late, some twice or with bytes of
    others.
    """
    whole = b"".join(parts)
    timed: list[tuple[float, Segment]] = []
    place = 0
    for n, part in enumerate(parts):
        late = random.choice([0, 0, 0, random.uniform(0, reach)])
        sequence = (first + 1 + place) % (1 << 32)
        timed.append((n + late, Segment(flow, sequence, part)))
        if random.random() < 0.2:
            begin = random.randrange(max(0, place - 50), place + 1)
            end = random.randrange(place + 1, min(len(whole), place + 100) + 1)
            again = Segment(flow, (first + 1 + begin) % (1 << 32), whole[begin:end])
            timed.append((n + random.uniform(0, reach), again))
        place += len(part)
    timed.sort(key=lambda each: each[0])
    return [Segment(flow, first, b"", syn=True), *(segment for _, segment in timed)]


def mixed(random: Random, sessions: Mapping[Flow, Sequence[Segment]]) -> list[Segment]:
    """Segments of all sessions, each in its order."""
    left = {flow: list(segments) for flow, segments in sessions.items()}
    made = []
    while left:
        flow = random.choice(list(left))
        made.append(left[flow].pop(0))
        if not left[flow]:
            del left[flow]
    return made


def flow(random: Random, number: int) -> Flow:
    ports = [random.choice([53, 80, 443, 8080, 20000]) for _ in range(2)]
    return Flow(f"10.1.{number >> 8}.{number & 255}", "10.2.0.1", ports[0], ports[1])
