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


# ---- What a receiver ignores ----

_WRAP = 1 << 32
_CONNECTIONS = 4


class _Side:
    """One direction of a connection, as its receiver sees it."""

    def __init__(self, flow: Flow, first: int, data: bytes) -> None:
        self.flow = flow
        self.next = (first + 1) % _WRAP
        self._data = data
        self._place = 0

    def is_over(self) -> bool:
        return self._place == len(self._data)

    def data(self, random: Random, fin: bool = False) -> Segment:
        size = len(self._data) - self._place if fin else random.randrange(1, 12)
        part = self._data[self._place :][:size]
        made = Segment(self.flow, self.next, part, fin=fin)
        self._place += len(part)
        self.next = (self.next + len(part)) % _WRAP
        return made

    def decoy(self, random: Random, syns: bool) -> Segment:
        """`syns`: of a client, which sends no SYN,ACK."""
        junk = b"junk" * random.randrange(1, 4)
        near = (self.next + random.choice([-40, -9, -1, 1, 2, 9, 40, 1 << 20, 1 << 30])) % _WRAP
        old = (self.next - len(junk) - random.randrange(3)) % _WRAP
        made = [
            Segment(self.flow, near, random.choice([b"", junk]), rst=True),
            Segment(self.flow, self.next, b"", rst=True, is_good=False),
            Segment(self.flow, self.next, junk, is_good=False),
            Segment(self.flow, self.next, junk, in_stream=False),
            Segment(self.flow, old, junk),
            Segment(self.flow, old, b"", fin=True),
            Segment(self.flow, self.next, b"", fin=True, is_good=False),
            Segment(self.flow, near, b"", syn=True, answers=near, is_good=False),
        ]
        number = random.choice([near, self.next])
        answers = None if syns else random.choice([near, random.getrandbits(32)])
        syn = Segment(self.flow, number, random.choice([b"", junk]), syn=True, answers=answers)
        return random.choice([*made, syn, syn, syn])


def hostile(random: Random, number: int) -> tuple[list[Segment], set[tuple[Flow, int]]]:
    """Connections with the same ports, one after another; one side of each mixes in segments that
    the other one ignores. Also what is to be found of the streams that receivers see.
    """
    there = Flow(f"10.3.0.{number}", "10.2.0.1", 1000, 80)
    sent: list[Segment] = []
    wanted: set[tuple[Flow, int]] = set()
    end = random.getrandbits(32)
    for _ in range(_CONNECTIONS):
        firsts = [random.choice([end + random.randrange(-60, 60), random.getrandbits(32)]) % _WRAP]
        firsts.append(random.getrandbits(32))
        sides = []
        for flow, first in zip((there, there.back), firsts, strict=True):
            data = b"".join(b"part-%03d." % random.randrange(100) for _ in range(4))
            wanted |= {(flow, int(part[5:]) + 1) for part in data.split(b".") if part}
            sides.append(_Side(flow, first, data))
        client, server = sides
        bad = random.choice(sides)
        syns = [Segment(there, firsts[0], b"", syn=True)]
        if bad is client:
            syns += [client.decoy(random, True) for _ in range(random.randrange(3))]
            syns = [each for each in syns if each.syn]
        sent += syns
        sent.append(Segment(server.flow, firsts[1], b"", syn=True, answers=client.next))
        while not all(side.is_over() for side in sides):
            side = random.choice([each for each in sides if not each.is_over()])
            if side is bad and random.random() < 0.5:
                sent.append(side.decoy(random, side is client))
            else:
                sent.append(side.data(random))
        end = client.next
        how = random.choice(["fin", "rst", "silence"])
        if how == "fin":
            sent += [side.data(random, fin=True) for side in sides]
        elif how == "rst":
            side = random.choice(sides)
            sent.append(Segment(side.flow, side.next, b"", rst=True))
    return sent, wanted
