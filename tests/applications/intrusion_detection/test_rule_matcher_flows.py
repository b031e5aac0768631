# SPDX-License-Identifier: Apache-2.0
"""rule_matcher and segments that change no stream: of an open flow SYN and RST, wrong checksums."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from random import Random

import pytest

from bombus.applications.intrusion_detection import streams
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.streams import Flow, Segment
from tests.applications.intrusion_detection import rule_frames, rule_streams
from tests.applications.intrusion_detection.rule_matching import (
    AHEAD,
    BLOCK,
    BLOCKED,
    EXACT,
    HIT,
    MAX_IDLE_S,
    PERIOD_S,
    ROW,
    WRITTEN,
    Matcher,
    compiled,
    numbered,
    sids,
)
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

FLOW = Flow("10.0.0.1", "10.0.0.2", 1000, 80)
EVIL = 'alert tcp any any -> any any (content:"evil stuff"; sid:7;)'
FAR = 1 << 30
NO_FLOW = 0xFFFF


@pytest.fixture
def matcher(benches: Benches, tmp_path: Path) -> Matcher:
    made = Matcher(benches("rule_matcher"))
    made.load(compiled(tmp_path, EVIL))
    return made


def opened(matcher: Matcher, first: int = 100, flow: Flow = FLOW) -> None:
    """A connection that has begun: both sides know their numbers."""
    matcher.verdict(Segment(flow, first, b"", syn=True))
    matcher.verdict(Segment(flow.back, 5000, b"", syn=True, answers=first + 1))


def found(matcher: Matcher, first: int, flow: Flow = FLOW) -> bool:
    """Whether the matcher finds a pattern across segments of the stream at this number."""
    assert not matcher.verdict(Segment(flow, first, b"this is ev")) & HIT
    verdict = matcher.verdict(Segment(flow, first + 10, b"il stuff"))
    assert not verdict & AHEAD
    return bool(verdict & EXACT)


@pytest.mark.parametrize("number", [111, 110, 112, 60000, 50, FAR, (1 << 32) - 5])
@pytest.mark.parametrize("payload", [b"", b"something"])
@pytest.mark.parametrize("handshake", [False, True])
def test_syn_in_an_open_flow(
    matcher: Matcher, number: int, payload: bytes, handshake: bool
) -> None:
    """Its receiver sends a challenge ACK; the stream goes on."""
    if handshake:
        opened(matcher)
    assert not matcher.verdict(Segment(FLOW, 101, b"this is ev")) & HIT
    assert not matcher.verdict(Segment(FLOW, number, payload, syn=True)) & (HIT | AHEAD)
    assert matcher.ask(ROW, 3 if handshake else 1) == NO_FLOW
    assert matcher.verdict(Segment(FLOW, 111, b"il stuff")) & EXACT


def test_a_syn_before_the_answer(matcher: Matcher) -> None:
    """Several SYNs: the server's acknowledgement selects one."""
    for chosen in (100, 3000, FAR):
        flow = Flow("10.0.0.1", "10.0.0.2", 1000, chosen % 60000)
        for number in (100, 3000, FAR):
            matcher.verdict(Segment(flow, number, b"", syn=True))
        matcher.verdict(Segment(flow.back, 5000, b"", syn=True, answers=chosen + 1))
        matcher.verdict(Segment(flow, 2 * FAR, b"", syn=True))
        assert found(matcher, chosen + 1, flow)
        # Another SYN,ACK of the server does not change its stream: the client ignores it.
        matcher.verdict(Segment(flow.back, 5001, b"this is ev"))
        matcher.verdict(Segment(flow, chosen + 19, b"."))
        assert matcher.verdict(Segment(flow.back, 5011, b"il stuff")) & EXACT


def test_a_second_syn_ack(matcher: Matcher) -> None:
    """The client has taken the first one; its own stream does not begin again either."""
    opened(matcher)
    for number, answers in ((5000, 101), (9000, 101), (9000, 300)):
        assert not matcher.verdict(Segment(FLOW, 101, b"this is ev")) & HIT
        assert not matcher.verdict(Segment(FLOW.back, 5001, b"this is ev")) & HIT
        syn = Segment(FLOW.back, number, b"", syn=True, answers=answers)
        assert not matcher.verdict(syn) & (HIT | AHEAD)
    assert matcher.verdict(Segment(FLOW, 111, b"il stuff")) & EXACT
    assert matcher.verdict(Segment(FLOW.back, 5011, b"il stuff")) & EXACT


@pytest.mark.parametrize("how", ["rst", "rst back", "fin", "fin with data", "late fin"])
def test_an_ended_flow_begins_again(matcher: Matcher, how: str) -> None:
    opened(matcher)
    matcher.verdict(Segment(FLOW, 101, b"some evil"))
    if how == "rst":
        matcher.verdict(Segment(FLOW, 110, b"", rst=True))
    elif how == "rst back":
        matcher.verdict(Segment(FLOW.back, 5001, b"", rst=True))
    elif how == "fin":
        matcher.verdict(Segment(FLOW, 110, b"", fin=True))
    elif how == "fin with data":
        matcher.verdict(Segment(FLOW, 105, b"evil and more", fin=True))
    else:
        # It waits until the gap before it is filled.
        late = [Segment(FLOW, 112, b"", fin=True), Segment(FLOW, 110, b"..")]
        results = matcher.run([rule_frames.segment(each) for each in late], quiet=300)
        assert not any(each.is_ahead for each in results)
    matcher.verdict(Segment(FLOW, 50, b"", syn=True))
    # Nothing is left of the old stream; the new number is before the old one.
    assert not matcher.verdict(Segment(FLOW, 51, b" stuff")) & (HIT | AHEAD)
    assert found(matcher, 57)
    # The other direction begins again, too.
    if how.startswith("rst"):
        matcher.verdict(Segment(FLOW.back, 400, b"", syn=True, answers=51))
        assert found(matcher, 401, FLOW.back)


@pytest.mark.parametrize(
    "segment",
    [
        Segment(FLOW, 112, b"", rst=True),
        Segment(FLOW, 110, b"", rst=True),
        Segment(FLOW, 111 + FAR, b"", rst=True),
        Segment(FLOW, 111, b"", rst=True, is_good=False),
        Segment(FLOW.back, 5002, b"", rst=True),
        Segment(FLOW, 110, b"", fin=True),
        Segment(FLOW, 105, b"what", fin=True),
        Segment(FLOW, 111 + FAR, b"", fin=True),
        Segment(FLOW, 111, b"", fin=True, in_stream=False),
        Segment(FLOW, 111, b"", fin=True, is_good=False),
        Segment(FLOW.back, 5001, b"", fin=True),
    ],
)
def test_what_does_not_end_a_flow(matcher: Matcher, segment: Segment) -> None:
    """A number that is not the next, or no valid segment, before a SYN."""
    opened(matcher)
    assert not matcher.verdict(Segment(FLOW, 101, b"this is ev")) & HIT
    assert not matcher.verdict(segment) & (HIT | AHEAD)
    matcher.verdict(Segment(FLOW, 50, b"", syn=True))
    assert matcher.verdict(Segment(FLOW, 111, b"il stuff")) & EXACT


def test_an_end_that_the_receiver_has_not_seen(matcher: Matcher) -> None:
    """The stream goes on until a SYN."""
    opened(matcher)
    assert not matcher.verdict(Segment(FLOW, 101, b"this is ev")) & HIT
    matcher.verdict(Segment(FLOW, 111, b"", rst=True))
    matcher.verdict(Segment(FLOW, 111, b"", fin=True))
    assert matcher.verdict(Segment(FLOW, 111, b"il stuff and ev")) & EXACT
    assert matcher.verdict(Segment(FLOW, 126, b"il stuff")) & EXACT


def test_the_server_has_forgotten_the_flow(matcher: Matcher) -> None:
    """It answers a SYN in a flow that has not ended for the matcher."""
    opened(matcher)
    assert found(matcher, 101) and found(matcher, 5001, FLOW.back)
    for number in (115, 60, 60 + FAR):
        matcher.verdict(Segment(FLOW, number, b"", syn=True))
        matcher.verdict(Segment(FLOW.back, 4000, b"", syn=True, answers=number + 1))
        assert found(matcher, number + 1) and found(matcher, 4001, FLOW.back)


def test_payload_of_a_syn_that_is_taken(matcher: Matcher) -> None:
    """TCP Fast Open: the acknowledgement says so."""
    matcher.verdict(Segment(FLOW, 100, b"something", syn=True))
    matcher.verdict(Segment(FLOW.back, 5000, b"", syn=True, answers=110))
    assert found(matcher, 110)


def test_a_flow_without_segments_for_long(matcher: Matcher) -> None:
    """A SYN starts it again, as the matcher may not have seen its end."""
    least = ceil(MAX_IDLE_S / PERIOD_S)
    for periods, again in ((least - 1, False), (least, True), (300, True), (1000, True)):
        flow = Flow("10.0.0.1", "10.0.0.2", periods, 80)
        opened(matcher, flow=flow)
        assert not matcher.verdict(Segment(flow, 101, b"this is ev")) & HIT
        matcher.wait(periods)
        matcher.verdict(Segment(flow, 50, b"", syn=True))
        if again:
            assert found(matcher, 51, flow)
        else:
            assert matcher.verdict(Segment(flow, 111, b"il stuff")) & EXACT


def test_blocked_flows(matcher: Matcher) -> None:
    """A SYN and an RST pass; the block ends with the flow."""
    opened(matcher)
    matcher.verdict(Segment(FLOW, 101, b"something"))
    matcher.ask_all([WRITTEN | BLOCK << 8 | 2])
    assert matcher.verdict(Segment(FLOW, 110, b"x")) & BLOCKED
    assert not matcher.verdict(Segment(FLOW, 60, b"", syn=True)) & BLOCKED
    assert matcher.verdict(Segment(FLOW, 111, b"x")) & BLOCKED
    assert not matcher.verdict(Segment(FLOW, 112, b"", rst=True)) & BLOCKED
    assert matcher.verdict(Segment(FLOW, 112, b"x")) & BLOCKED
    matcher.verdict(Segment(FLOW, 60, b"", syn=True))
    assert not matcher.verdict(Segment(FLOW, 61, b"x")) & BLOCKED


# ---- Checksums ----


@pytest.mark.parametrize("place", [24, 33, 50, 51, 40])
def test_wrong_checksum(matcher: Matcher, place: int) -> None:
    """Of IP or TCP: its receiver drops it, so that it hides nothing."""
    assert not matcher.verdict(Segment(FLOW, 101, b"this is ev")) & HIT
    for payload, hits in ((b"harmless", 0), (b"evil stuff", EXACT)):
        bad = bytearray(rule_frames.segment(Segment(FLOW, 111, payload)))
        bad[place] ^= 0x10
        (result,) = matcher.run([bytes(bad)], quiet=300)
        assert result.is_exact == bool(hits) and not result.is_unexamined
        assert matcher.events["bad_checksum"] == 1
    assert matcher.verdict(Segment(FLOW, 111, b"il stuff")) & EXACT
    assert matcher.events["bad_checksum"] == 0


@pytest.mark.parametrize("pace", [{}, {"gap": 0.3, "stall": 0.5}])
def test_checksums_of_any_frame(matcher: Matcher, pace: dict[str, float]) -> None:
    """Of all sizes, with tags, options and padding; of others, no checksum is verified."""
    matcher.bench.pace(**pace)
    random = Random(1)
    frames, bad = [], 0
    sizes = [*range(80), *(random.randrange(80, 1460) for _ in range(120))]
    for size in sizes * 2:
        protocol = random.choice([1, 1, 1, 2, 4])
        frame = bytearray(rule_frames.frame(Packet(protocol, 1, 2, bytes(size)), random))
        at = 14 if frame[12:14] == b"\x08\0" else 18
        end = at + int.from_bytes(frame[at + 2 : at + 4])
        words = frame[at] & 15
        if random.random() < 0.4:
            # Not the fields from which the matcher knows where the segment is.
            places = {*range(at + 8, end)} - {at + 9, at + 4 * words + 12}
            frame[random.choice(sorted(places))] ^= 1 << random.randrange(8)
            bad += protocol == 1
        else:
            frame[end:] = random.randbytes(len(frame) - end)
            frame[:12] = random.randbytes(12)
        frames.append(bytes(frame))
    matcher.run(frames)
    assert matcher.events["bad_checksum"] == bad > 50


# ---- All together ----


@pytest.mark.parametrize("pace", [{}, {"gap": 0.3, "stall": 0.5}])
def test_hostile_connections(matcher: Matcher, tmp_path: Path, pace: dict[str, float]) -> None:
    """What one side mixes in, but the other one ignores: verdicts are those of the model, and find
    all patterns of the streams.
    """
    tables = compiled(tmp_path, numbered(100))
    matcher.load(tables)
    matcher.bench.pace(**pace)
    random = Random(11)
    hits = 0
    for number in range(25):
        sent, wanted = rule_streams.hostile(random, number)
        results = matcher.run([rule_frames.segment(each) for each in sent], quiet=500)
        expected = streams.inspect(tables, sent)
        given = [sids(each) for each in results]
        assert given == [{hit.sid for hit in each} for _, each in expected.left]
        for flow, sid in wanted:
            pairs = zip(sent, given, strict=True)
            assert any(each.flow == flow and sid in found for each, found in pairs)
        hits += len(wanted)
    assert hits > 200
    assert matcher.bench.events[0] == 0
