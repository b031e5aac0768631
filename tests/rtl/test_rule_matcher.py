# SPDX-License-Identifier: Apache-2.0
"""rule_matcher against the tables' and the rules' own models: random rules, packets and pace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from harness import Bench, Benches
from support import rule_frames, rule_sets, rule_streams

from bombus.rules import compiling, lookup, model, streams, tables
from bombus.rules.model import Packet
from bombus.rules.streams import Flow, Segment
from bombus.rules.tables import Tables

BEAT = 64
HITS = 8  # that are kept
HIT, AHEAD = 1, 16  # bits of a verdict
AGAIN, SKIPPING = range(2)  # firmware requests
ENABLED, STOPPED = 1, 2  # bits of the bench's control
WAITING, WAIT_CYCLES = 3, 5000  # parameters of the bench
FLOW = Flow("10.0.0.1", "10.0.0.2", 1000, 80)


@dataclass
class Found:
    hits: list[lookup.Hit]
    is_hit: bool
    is_exact: bool
    is_unexamined: bool
    has_more: bool
    is_ahead: bool
    row: int
    cycle: int


class Matcher:
    def __init__(self, bench: Bench) -> None:
        self.bench = bench

    def load(self, found: Tables) -> None:
        self.bench.control(0)
        words = list(tables.words_to_write(found))
        self.bench.push([place << 32 | word for place, word in words], 1)
        while self.bench.waiting(1):
            self.bench.run(1000)
        self.bench.control(ENABLED)
        self.bench.run(5)

    def stop_core(self) -> None:
        """No segment waits in the matcher any more."""
        self.bench.control(ENABLED | STOPPED)
        self.bench.run(5)

    def push(self, frames: Iterable[bytes]) -> None:
        beats = []
        for frame in frames:
            for n in range(0, len(frame), BEAT):
                is_last = n + BEAT >= len(frame)
                data = int.from_bytes(frame[n : n + BEAT], "little")
                beats.append(data | len(frame) << 512 | (n == 0) << 526 | is_last << 527)
        self.bench.push(beats)

    def results(self) -> list[Found]:
        found, hits = [], []
        for cycle, item in self.bench.received(0):
            if item >> 64 == 0:
                word = item >> 32 & 0xFFFFFFFF
                hits.append(lookup.Hit(word & 0x3FFF, item & 0xFFFFFFFF, bool(word >> 31)))
                continue
            bits = [bool(item >> n & 1) for n in range(5)]
            assert item >> 8 & 0xF == len(hits)
            found.append(Found(hits, *bits, item >> 16 & 0xFFFF, cycle))
            hits = []
        return found

    def run(self, frames: Sequence[bytes], quiet: int = 3000) -> list[Found]:
        self.bench.forget()
        self.push(frames)
        self.bench.drain(quiet=quiet)
        found = self.results()
        assert len(found) == len(frames)
        return found

    def verdict(self, segment: Segment) -> int:
        self.bench.forget()
        self.push([rule_frames.segment(segment)])
        self.bench.drain(quiet=300)
        (item,) = [item for item in self.bench.items(0) if item >> 64]
        return item & 0xFFFFFFFF

    def ask(self, operation: int, slot: int) -> int:
        self.bench.forget()
        self.bench.push([operation << 8 | slot], 3)
        self.bench.drain(quiet=300)
        (item,) = self.bench.items(2)
        return item

    def host_hits(self, count: int) -> list[int]:
        self.bench.forget()
        self.bench.push([0] * count, 2)
        self.bench.drain()
        return [item & 0xFFFFFFFF for item in self.bench.items(1)]


@pytest.fixture
def matcher(benches: Benches) -> Matcher:
    return Matcher(benches("rule_matcher"))


def compiled(tmp_path: Path, text: str) -> Tables:
    file = tmp_path / "my.rules"
    file.write_text(text)
    return compiling.compile_rules(compiling.read([file], {}), rows=256).tables


def agrees(found: Found, wanted: Sequence[lookup.Hit]) -> bool:
    if len(wanted) > HITS:
        kept = len(found.hits) == HITS and set(found.hits) <= set(wanted)
    else:
        kept = len(found.hits) == len(wanted) and set(found.hits) == set(wanted)
    return (
        kept
        and found.is_hit == bool(wanted)
        and found.has_more == (len(wanted) > HITS)
        and (not wanted or found.row == found.hits[0].row)
        and (found.has_more or found.is_exact == any(hit.is_exact for hit in wanted))
    )


@pytest.mark.parametrize("pace", [{}, {"gap": 0.3, "stall": 0.5}])
def test_random_rules(matcher: Matcher, tmp_path: Path, pace: dict[str, float]) -> None:
    """The tables are rewritten for each set of rules."""
    matcher.bench.pace(**pace)
    for seed in range(3):
        random = Random(seed)
        rules = rule_sets.rules(random, 60, tmp_path)
        done = compiling.compile_rules(rules, rows=256)
        matcher.load(done.tables)
        packets = [rule_sets.packet(random, rules) for _ in range(400)]
        results = matcher.run([rule_frames.frame(packet, random) for packet in packets])
        exact = [v.rule for v in done.verdicts if v.kind == compiling.EXACT]
        hits = 0
        for packet, found in zip(packets, results, strict=True):
            wanted = lookup.hits(done.tables, packet)
            assert not found.is_unexamined
            assert agrees(found, wanted), (packet, found, wanted)
            if not found.has_more:
                sids = {hit.sid for hit in found.hits if hit.is_exact}
                assert sids == model.found(exact, packet)
            hits += len(wanted)
        assert hits > 40


def test_every_place(matcher: Matcher, tmp_path: Path) -> None:
    """Fragments of eight and four bytes, in every place of a beat, over its end, at both ends."""
    pattern = b"Evil[Stuff]Here"
    text = 'alert ip any any -> any any (content:"Evil[Stuff]Here"; sid:1;)\n'
    matcher.load(compiled(tmp_path, text + 'alert ip any any -> any any (content:"w?z!"; sid:2;)'))
    random, packets, wanted = Random(1), [], []
    for word, sid in ((pattern, 1), (b"w?z!", 2)):
        for place in range(140):
            for after in (0, 1, 30):
                packets.append(Packet(2, 1, 2, b"." * place + word + b"." * after))
                wanted.append([sid])
                packets.append(Packet(2, 1, 2, b"." * place + word[:-1] + b"~" + b"." * after))
                wanted.append([])
                packets.append(Packet(2, 1, 2, b"." * place + word[:-1]))
                wanted.append([])
    results = matcher.run([rule_frames.frame(packet, random) for packet in packets])
    assert [[hit.sid for hit in found.hits] for found in results] == wanted


def test_what_is_not_examined(matcher: Matcher, tmp_path: Path) -> None:
    matcher.load(compiled(tmp_path, 'alert ip any any -> any any (content:"evil stuff"; sid:1;)'))
    random = Random(1)
    packet = Packet(2, 1, 2, b"some evil stuff is here, and more of it follows behind")
    good = rule_frames.frame(packet, random)
    while good[12:14] != b"\x08\0" or good[14] != 0x45:
        good = rule_frames.frame(packet, random)
    bad = [
        rule_frames.frame(packet, random, fragment=0x2000),
        rule_frames.frame(packet, random, fragment=1),
        good[:12] + b"\x86\xdd" + good[14:],
        good[:14] + b"\x65" + good[15:],
        good[:14] + b"\x44" + good[15:],
        good[:14] + b"\x49" + good[15:],
        good[:16] + b"\xff\xff" + good[18:],
        good[:16] + b"\0\x1b" + good[18:],
        good[:40],
        good[:14],
        good[:1],
    ]
    for results in (matcher.run([good, *bad, good]), matcher.run([good, *bad, good])):
        assert [found.is_unexamined for found in results] == [False, *[True] * len(bad), False]
        assert [found.is_hit for found in results] == [True, *[False] * len(bad), True]
    # DF does not mean a fragment.
    (found,) = matcher.run([rule_frames.frame(packet, random, fragment=0x4000)])
    assert found.is_hit
    matcher.bench.control(0)
    matcher.bench.run(5)
    assert [(f.is_unexamined, f.is_hit) for f in matcher.run([good])] == [(True, False)]


@pytest.mark.parametrize("behind", [0, 1, 10, 40])
@pytest.mark.parametrize("length", [0, 7, 8, 12, 18, 19, 60])
def test_the_length_of_a_datagram_counts(
    matcher: Matcher, tmp_path: Path, behind: int, length: int
) -> None:
    """What is behind it in the packet is no payload; one that is too long or short is malformed."""
    rules = 'alert udp any any -> any 80 (dsize:10; content:"evil stuff"; sid:1;)\n'
    matcher.load(compiled(tmp_path, rules))
    payload = b"evil stuff" + bytes(behind)
    frame = rule_frames.datagram(FLOW, Packet(2, 5, 80, payload), length=length)
    (found,) = matcher.run([frame], quiet=300)
    assert found.is_unexamined == (length < 8 or length > 18 + behind)
    assert sids(found) == ({1} if length == 18 else set())


def test_what_is_far_ahead_does_not_move_the_stream(matcher: Matcher, tmp_path: Path) -> None:
    matcher.load(compiled(tmp_path, 'alert tcp any any -> any 80 (content:"evil stuff"; sid:7;)\n'))
    for number, gap in enumerate((1 << 20, 1 << 30, (1 << 31) - 10, -(1 << 31))):
        flow = Flow(f"10.0.0.{number}", "10.0.0.2", 1000, 80)
        assert matcher.verdict(Segment(flow, 1, b"start")) & (HIT | AHEAD) == 0
        far = Segment(flow, (7 + gap) % (1 << 32), b"evil stuff")
        assert matcher.verdict(far) & (HIT | AHEAD) == HIT  # scanned by itself
        assert matcher.verdict(Segment(flow, 6, b"this is ev")) & (HIT | AHEAD) == 0
        assert matcher.verdict(Segment(flow, 16, b"il stuff")) & HIT


def test_waiting_segments_are_not_examined_once_tables_change(
    matcher: Matcher, tmp_path: Path
) -> None:
    matcher.load(compiled(tmp_path, 'alert tcp any any -> any 80 (content:"evil stuff"; sid:7;)\n'))
    for enabled in (ENABLED, 0):
        flow = Flow(f"10.0.0.{enabled}", "10.0.0.2", 1000, 80)
        matcher.verdict(Segment(flow, 1, b"start"))
        matcher.bench.forget()
        matcher.push([rule_frames.segment(Segment(flow, 11, b"evil stuff"))])
        matcher.bench.run(200)
        assert not matcher.results()
        matcher.bench.control(enabled)
        matcher.bench.run(5)
        matcher.push([rule_frames.segment(Segment(flow, 6, b"....."))])
        matcher.bench.drain(quiet=300)
        missing, waited = matcher.results()
        assert missing.is_unexamined == waited.is_unexamined == (enabled == 0)
        assert sids(waited) == ({7} if enabled else set())


def test_more_hits_than_are_kept(matcher: Matcher, tmp_path: Path) -> None:
    """Rules that share a fragment; each counts once, however often it occurs."""
    rules = [
        f'alert udp any any -> any any (content:"evil stuff"; dsize:<{200 + n}; sid:{n};)'
        for n in range(1, 13)
    ]
    matcher.load(compiled(tmp_path, "\n".join(rules)))
    for size, count in ((20, 12), (204, 8), (205, 7), (211, 1), (212, 0)):
        packet = Packet(2, 1, 2, (b"evil stuff" * 3).ljust(size, b".")[:size])
        (found,) = matcher.run([rule_frames.frame(packet, Random(1))])
        assert len(found.hits) == min(count, HITS) and found.has_more == (count > HITS)


def test_hits_for_the_host(matcher: Matcher, tmp_path: Path) -> None:
    """In their order, 256 and two at most; those that are lost are reported."""
    text = 'alert udp any any -> any any (content:"evil stuff"; sid:1;)\n'
    found = compiled(
        tmp_path, text + 'alert udp any 7 -> any any (content:"evil stuff"; dsize:>10; sid:2;)'
    )
    matcher.load(found)
    random, packets = Random(1), []
    for _ in range(100):
        packets.append(
            Packet(2, random.choice([6, 7]), 2, b"evil stuff" + b"." * random.randrange(2))
        )
    frames = [rule_frames.frame(packet, random) for packet in packets]
    wanted = [hit for packet in packets for hit in lookup.hits(found, packet)]
    assert {hit.row for hit in wanted} == {0, 1} and len(wanted) < 256
    for number in range(2):
        matcher.run(frames)
        given = matcher.host_hits(300)
        assert [item >> 31 & 1 for item in given] == [n < len(wanted) for n in range(300)]
        assert [item & 0x3FFF for item in given[: len(wanted)]] == [hit.row for hit in wanted]
        assert all(item >> 29 & 1 for item in given[: len(wanted)])
        assert [item >> 14 & 0x3F for item in given[:1]] == [100 * number % 8]
        assert not any(item >> 30 & 1 for item in given) and not any(given[len(wanted) :])
    matcher.run(frames * 4)
    given = [item for item in matcher.host_hits(300) if item]
    assert len(given) == 256 and not any(item >> 30 & 1 for item in given)
    matcher.run(frames[:1])
    assert [item >> 30 & 1 for item in matcher.host_hits(2)] == [1, 0]


@pytest.mark.parametrize("operation", [AGAIN, SKIPPING])
def test_bytes_that_were_missing_have_come(
    matcher: Matcher, tmp_path: Path, operation: int
) -> None:
    """Before the firmware asks about the segment behind them: none is given up."""
    matcher.load(compiled(tmp_path, 'alert tcp any any -> any any (content:"evil stuff"; sid:1;)'))
    matcher.stop_core()
    flow = Flow("10.0.0.1", "10.0.0.2", 1, 2)
    text = b"start....evil stuff and what follows"
    parts = {"start": (0, 5), "missing": (5, 15), "ahead": (15, 25), "more": (0, 30)}
    segments = {
        name: Segment(flow, 1 + first, text[first:last]) for name, (first, last) in parts.items()
    }
    assert not matcher.verdict(segments["start"])
    assert matcher.verdict(segments["ahead"]) == AHEAD
    assert not matcher.verdict(segments["missing"])
    assert matcher.ask(operation, 1) & (HIT | AHEAD) == HIT
    assert not matcher.ask(operation, 1) & (HIT | AHEAD)  # by itself
    # It is old by now, and the stream continues after the data received since.
    assert not matcher.verdict(segments["more"]) & AHEAD
    assert not matcher.ask(operation, 1) & (HIT | AHEAD)
    assert not matcher.verdict(Segment(flow, 31, b"follow")) & AHEAD
    assert matcher.bench.events[0] == 0


def test_bytes_that_are_missing_are_given_up(matcher: Matcher, tmp_path: Path) -> None:
    matcher.load(compiled(tmp_path, 'alert tcp any any -> any any (content:"evil stuff"; sid:1;)'))
    matcher.stop_core()
    flow = Flow("10.0.0.1", "10.0.0.2", 1, 2)
    assert not matcher.verdict(Segment(flow, 1, b"start evil"))
    assert matcher.verdict(Segment(flow, 21, b" stuff and evil")) == AHEAD
    assert matcher.ask(AGAIN, 1) == AHEAD
    assert not matcher.ask(SKIPPING, 1) & (HIT | AHEAD)
    assert matcher.verdict(Segment(flow, 36, b" stuff")) & (HIT | AHEAD) == HIT


def numbered(count: int) -> str:
    """A rule for each number, whose contents `text` has."""
    return "\n".join(
        f'alert tcp any any -> any any (content:"part-{n:03}"; sid:{n + 1};)' for n in range(count)
    )


def text(numbers: Iterable[int]) -> bytes:
    return b"".join(b"part-%03d." % n for n in numbers)


def sids(found: Found) -> set[int]:
    return {hit.sid for hit in found.hits}


@pytest.mark.parametrize("pace", [{}, {"gap": 0.3, "stall": 0.5}])
def test_segments_wait(matcher: Matcher, tmp_path: Path, pace: dict[str, float]) -> None:
    """Of several flows, in any order, cut anywhere: verdicts come as the model says, in the order
    of the stream, and what is too much for the matcher goes to the firmware.
    """
    found = compiled(tmp_path, numbered(100))
    matcher.load(found)
    matcher.bench.pace(**pace)
    random = Random(7)
    joined = too_many = 0
    for number in range(12):
        sessions = {}
        for _ in range(random.choice([1, 2, 4])):
            flow = rule_streams.flow(random, number * 4 + len(sessions))
            parts = rule_streams.cut(random, text(random.choices(range(100), k=20)), 30)
            first = random.choice([random.getrandbits(32), (1 << 32) - 50])
            segments, place = [], first + 1
            for n, part in enumerate(parts):
                late = n + random.choice([0, 0, random.uniform(0, 4)])
                segments.append((late, Segment(flow, place % (1 << 32), part)))
                place += len(part)
            syn = Segment(flow, first, b"", syn=True)
            sessions[flow] = [syn, *(each for _, each in sorted(segments, key=lambda s: s[0]))]
        sent = rule_streams.mixed(random, sessions)
        # What the matcher has no room for is not repeated; what waits behind it comes out last.
        wanted = streams.inspect(found, sent, room=WAITING)
        frames = [rule_frames.segment(each) for each in sent]
        results = matcher.run(frames, quiet=WAIT_CYCLES + 1000)
        verdicts = [each for each in results if not each.is_ahead]
        assert sum(each.is_ahead for each in results) == len(wanted.dropped)
        given = [sids(each) for each in verdicts[: len(wanted.left)]]
        assert given == [{hit.sid for hit in hits} for _, hits in wanted.left]
        joined += sum(
            len(hits) > len(lookup.hits(found, Packet(1, 1, 80, segment.payload)))
            for segment, hits in wanted.left
        )
        too_many += len(wanted.dropped)
    assert joined > 50 and too_many > 10


def test_waiting_segments_have_little_time(matcher: Matcher, tmp_path: Path) -> None:
    """Then the missing bytes before the nearest one are skipped, and no slot is lost."""
    matcher.load(compiled(tmp_path, numbered(100)))
    stream = text(range(100))
    for number in range(20):
        flow = Flow("10.0.0.1", "10.0.0.2", 1, 100 + number)
        other = Flow("10.0.0.3", "10.0.0.2", 1, 100 + number)
        cuts = [0, 5, 15, 25, 31, 41]
        parts = [
            Segment(flow, (1 << 32) - 20 + a if a < 20 else a - 20, stream[a:b])
            for a, b in pairwise(cuts)
        ]
        start, missing, *ahead = parts
        order = Random(number).sample(ahead, 3)
        frames = [start, *order, Segment(other, 5, stream[:9]), missing]
        matcher.bench.forget()
        matcher.push([rule_frames.segment(each) for each in frames[:-1]])
        matcher.bench.drain(quiet=WAIT_CYCLES + 1000)
        found = matcher.results()
        # "part-002" is over the joint of the first two, "part-003" over that of the last two.
        assert [sids(each) for each in found] == [set(), {1}, set(), {3}, {4}]
        assert not any(each.is_ahead for each in found)
        waited = found[2].cycle - found[1].cycle
        assert WAIT_CYCLES * 0.9 < waited < WAIT_CYCLES + 100
        assert found[4].cycle - found[2].cycle < 100
        # By itself: it is old by now.
        assert matcher.verdict(frames[-1]) & AHEAD == 0
    assert matcher.bench.events[0] == 0


def test_nothing_waits_while_the_core_is_stopped(matcher: Matcher, tmp_path: Path) -> None:
    matcher.load(compiled(tmp_path, numbered(3)))
    flow = Flow("10.0.0.1", "10.0.0.2", 1, 2)
    parts = [Segment(flow, 1 + 9 * n, text([n])) for n in range(7)]
    matcher.bench.forget()
    matcher.push([rule_frames.segment(parts[n]) for n in (0, 2, 4)])
    matcher.bench.drain(quiet=500)
    assert [sids(each) for each in matcher.results()] == [{1}]
    matcher.bench.forget()
    matcher.stop_core()
    matcher.bench.drain(quiet=500)
    assert [(sids(each), each.is_ahead) for each in matcher.results()] == [({3}, 0), (set(), 0)]
    assert matcher.verdict(parts[6]) & AHEAD


def test_a_flow_of_waiting_segments_is_replaced(matcher: Matcher, tmp_path: Path) -> None:
    """They start it again then; bytes of other flows do not count."""
    matcher.load(compiled(tmp_path, numbered(100)))
    random = Random(3)
    for number in range(5):
        flow = Flow("10.0.0.1", "10.0.0.2", number, 2)
        start = Segment(flow, 1, b"part-0")
        ahead = [Segment(flow, n, b"99" + text([n])) for n in (50, 90)]
        matcher.bench.forget()
        matcher.push([rule_frames.segment(each) for each in (start, *ahead)])
        matcher.bench.drain(quiet=300)
        assert len(matcher.results()) == 1
        # More than there are flows in the table.
        others = [Segment(rule_streams.flow(random, n), 1, b"part-0") for n in range(600)]
        matcher.bench.forget()
        matcher.push([rule_frames.segment(each) for each in others])
        matcher.bench.drain(quiet=500)
        found = matcher.results()
        assert len(found) == len(others) + 2
        cycles = [each.cycle for each in found]
        assert cycles[-1] - cycles[0] < 4 * WAIT_CYCLES
        assert [sids(each) for each in found if each.hits] in ([{51}, {91}], [{91}, {51}])


@pytest.mark.parametrize("late", range(6))
def test_reset_of_one_cycle(matcher: Matcher, tmp_path: Path, late: int) -> None:
    """While datagrams pass, one in a few cycles; then one fills the buffers without a loss."""
    numbers = range(90)
    other = 'alert udp any 7 -> any 7 (content:"filler!!"; sid:100;)'  # ports of no packet
    rules = numbered(len(numbers)).replace("tcp", "udp")
    matcher.load(compiled(tmp_path, f"{rules}\n{other}"))
    flow = Flow("10.0.0.1", "10.0.0.2", 1, 2)
    small = rule_frames.datagram(flow, Packet(2, 1, 2, b"......"))
    for first in numbers[::HITS]:
        wanted = set(numbers[first : first + HITS])
        parts = [text([n]).ljust(16) if n in wanted else b"filler!!" * 2 for n in numbers]
        matcher.push([small] * 40)
        matcher.bench.run(100 + late)
        matcher.bench.reset(1)
        packet = Packet(2, 1, 2, b"".join(parts))
        (found,) = matcher.run([rule_frames.datagram(flow, packet)])
        assert sids(found) == {n + 1 for n in wanted}


def test_rate(benches: Benches, tmp_path: Path) -> None:
    """16 bytes of payload a cycle without hits."""
    matcher = Matcher(benches("rule_matcher", NumSlots=16))
    matcher.load(compiled(tmp_path, 'alert ip any any -> any any (content:"evil stuff"; sid:1;)'))
    for size, most in ((18, 4.5), (1472, 94)):
        packet = Packet(2, 1, 2, b"." * size)
        plain = next(
            frame
            for frame in (rule_frames.frame(packet, Random(n)) for n in range(100))
            if frame[12:14] == b"\x08\0" and len(frame) in (60, 42 + size) and frame[14] == 0x45
        )
        results = matcher.run([plain] * 100)
        cycles = [found.cycle for found in results]
        assert (cycles[80] - cycles[20]) / 60 <= most
        print(size, (cycles[80] - cycles[20]) / 60, cycles[0] - matcher.bench.taken(0)[0])
    # Of two small segments that are swapped.
    flow = Flow("10.0.0.1", "10.0.0.2", 1, 2)
    parts = [Segment(flow, 1 + 6 * n, b"123456") for n in range(101)]
    swapped = [parts[n] for n in (0, *(place for n in range(1, 101, 2) for place in (n + 1, n)))]
    results = matcher.run([rule_frames.segment(each) for each in swapped])
    cycles = [found.cycle for found in results]
    print("swapped", (cycles[80] - cycles[20]) / 60)
    assert (cycles[80] - cycles[20]) / 60 <= 30
