# SPDX-License-Identifier: Apache-2.0
"""rule_matcher and TCP segments ahead of a gap: they wait, or the firmware asks about them."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from bombus.applications.intrusion_detection import lookup, streams
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.streams import Flow, Segment
from tests.applications.intrusion_detection import rule_frames, rule_streams
from tests.applications.intrusion_detection.rule_matching import (
    AGAIN,
    AHEAD,
    AWAIT,
    BLOCK,
    ENABLED,
    END,
    HIT,
    SEQUENCE,
    SKIPPING,
    WAIT_CYCLES,
    WAITING,
    WRITTEN,
    Matcher,
    compiled,
    numbered,
    sids,
    text,
)
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

FLOW = Flow("10.0.0.1", "10.0.0.2", 1000, 80)


@pytest.fixture
def matcher(benches: Benches) -> Matcher:
    return Matcher(benches("rule_matcher"))


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
        matcher.control(enabled)
        matcher.bench.run(5)
        matcher.push([rule_frames.segment(Segment(flow, 6, b"....."))])
        matcher.bench.drain(quiet=300)
        missing, waited = matcher.results()
        assert missing.is_unexamined == waited.is_unexamined == (enabled == 0)
        assert sids(waited) == ({7} if enabled else set())


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


def test_verdicts_that_have_begun(matcher: Matcher, tmp_path: Path) -> None:
    """They are awaited later, each before the next one begins; a block between changes none."""
    matcher.load(compiled(tmp_path, 'alert tcp any any -> any any (content:"evil stuff"; sid:1;)'))
    matcher.stop_core()
    for number, blocks in enumerate((False, True) * 3):
        flow = Flow("10.0.0.1", "10.0.0.2", number, 2)
        start, missing = Segment(flow, 1, b"start"), Segment(flow, 6, b"....." * 3)
        evil, ahead = Segment(flow, 21, b"evil stuff"), Segment(flow, 51, b"evil")
        slots, at = {}, 5 * number
        for each in (start, evil, ahead):
            slots[each], at = at % 8, at + 1
            assert bool(matcher.verdict(each) & AHEAD) == (each is not start)
        for each in (evil, ahead):
            ends = matcher.ask_all([(op << 8) | slots[each] for op in (SEQUENCE, END)])
            assert ends == [each.sequence, each.sequence + len(each.payload)]
        awaits = AWAIT << 8 | slots[evil]
        begins = [WRITTEN | AGAIN << 8 | slots[each] for each in (evil, ahead)]
        block = [WRITTEN | BLOCK << 8 | slots[start]] * blocks
        assert matcher.ask_all([begins[0], *block, awaits])[-1] == AHEAD
        assert not matcher.verdict(missing) & (HIT | AHEAD)
        answers = matcher.ask_all(
            [begins[0], *block, awaits, begins[1], awaits, begins[0], begins[1], awaits]
        )
        answers = [answers[n] for n in (1 + blocks, 3 + blocks, 6 + blocks)]
        assert [each & (HIT | AHEAD) for each in answers] == [HIT, AHEAD, AHEAD]
        skipped = matcher.ask_all([WRITTEN | SKIPPING << 8 | slots[ahead], *block, awaits])[-1]
        assert not skipped & (HIT | AHEAD)
        assert matcher.verdict(Segment(flow, 55, b" stuff")) & HIT
    assert matcher.bench.events[0] == 0


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
