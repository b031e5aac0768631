# SPDX-License-Identifier: Apache-2.0
"""What rules say of TCP streams is found wherever their segments begin and end."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bombus.applications.intrusion_detection import compiling, keywords, lookup, model, streams
from bombus.applications.intrusion_detection.fragments import JOINT_BYTES
from bombus.applications.intrusion_detection.streams import Flow, Segment
from bombus.applications.intrusion_detection.tables import Tables
from tests.applications.intrusion_detection import rule_sets, rule_streams

FLOW = Flow("10.0.0.1", "10.0.0.2", 1, 2)
EVIL = 'alert tcp any any -> any any (content:"evil stuff"; sid:1;)'


def compiled(folder: Path, text: str) -> compiling.Compiled:
    file = folder / "my.rules"
    file.write_text(text)
    return compiling.compile_rules(compiling.read([file], {}))


def sids(tables: Tables, segments: list[Segment], room: int = 8) -> set[int]:
    return {hit.sid for _, hit in streams.inspect(tables, segments, room).found}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_random_sessions(seed: int, tmp_path: Path) -> None:
    """The sets of flow and sid are those of the model; of prefilters none is missed."""
    random = Random(seed)
    rules = rule_sets.rules(random, 120, tmp_path)
    done = compiling.compile_rules(rules)
    exact = [v.rule for v in done.verdicts if v.kind == compiling.EXACT]
    others = [v.rule for v in done.verdicts if v.kind == compiling.PREFILTER]
    sessions, wanted, possible = {}, set(), set()
    joined = 0
    for number in range(100):
        flow = rule_streams.flow(random, number)
        parts = rule_streams.cut(random, rule_streams.stream(random, rules), 20)
        first = random.choice([random.getrandbits(32), (1 << 32) - 20])
        segments = rule_streams.disorder(random, flow, first, parts, reach=4)
        sessions[flow] = segments
        payloads = [segment.payload for segment in segments]
        ports = (flow.source_port, flow.target_port)
        in_segments = {
            sid
            for payload in payloads
            for sid in model.found(exact, model.Packet(keywords.TCP, *ports, payload))
        }
        in_stream = model.found_in_stream(exact, *ports, parts) | in_segments
        joined += len(in_stream - in_segments)
        wanted |= {(flow, sid) for sid in in_stream}
        possible |= {(flow, sid) for sid in model.found_in_stream(others, *ports, parts)}
    mixed = rule_streams.mixed(random, sessions)
    result = streams.inspect(done.tables, mixed, room=1000)
    assert not result.dropped and not result.held
    assert {(flow, hit.sid) for flow, hit in result.found if hit.is_exact} == wanted
    assert {(flow, hit.sid) for flow, hit in result.found if not hit.is_exact} >= possible
    assert joined > 2


def test_every_joint(tmp_path: Path) -> None:
    """As many bytes as can precede a segment plus one; also two joints."""
    pattern = bytes(range(65, 65 + JOINT_BYTES + 1))
    tables = compiled(
        tmp_path, f'alert tcp any any -> any any (content:"|{pattern.hex()}|"; sid:1;)'
    ).tables
    text = b"." * 40 + pattern + b"." * 40
    for first in range(1, len(text)):
        for second in {first, min(first + 3, len(text)), len(text)}:
            parts = [text[:first], text[first:second], text[second:]]
            place, segments = 1, []
            for part in filter(None, parts):
                segments.append(Segment(FLOW, place, part))
                place += len(part)
            assert sids(tables, segments) == {1}
            assert sids(tables, [segments[0], *segments[:0:-1]]) == {1}


def test_found_once(tmp_path: Path) -> None:
    """Contents that end in the previous segment are not found again."""
    tables = compiled(
        tmp_path, 'alert tcp any any -> any any (content:"evil stuff"; sid:1;)'
    ).tables
    packet = model.Packet(keywords.TCP, 1, 2, b"f and more")
    assert [hit.sid for hit in lookup.hits(tables, packet, before=b"evil stuf")] == [1]
    assert not lookup.hits(tables, packet, before=b"evil stuff")


def test_places(tmp_path: Path) -> None:
    """Those in a stream are not known; of tcp-pkt, and with dsize, they count in the segment."""
    text = """
alert tcp any any -> any any (content:"evil stuff"; offset:4; sid:1;)
alert tcp any any -> any any (content:"evil stuff"; depth:20; sid:2;)
alert tcp any any -> any any (content:"evil stuff"; dsize:<100; sid:3;)
alert tcp-pkt any any -> any any (content:"evil stuff"; offset:4; sid:4;)
"""
    done = compiled(tmp_path, text)
    assert [each.kind for each in done.verdicts] == ["prefilter", "prefilter", "exact", "exact"]
    whole = b"....evil stuff"
    assert sids(done.tables, [Segment(FLOW, 1, whole)]) == {1, 2, 3, 4}
    parts = [Segment(FLOW, 1, whole[:9]), Segment(FLOW, 10, whole[9:])]
    assert sids(done.tables, parts) == {1, 2}


def test_longer_contents_are_a_prefilter(tmp_path: Path) -> None:
    """The rest around the fragment is found across segments."""
    pattern = bytes(range(65, 65 + 26)) * 3
    text = f"""
alert tcp any any -> any any (content:"{pattern.decode()}"; sid:1;)
alert udp any any -> any any (content:"{pattern.decode()}"; sid:2;)
alert tcp any any -> any any (content:"{pattern.decode()}"; dsize:>1; sid:3;)
"""
    done = compiled(tmp_path, text)
    assert [each.kind for each in done.verdicts] == ["prefilter", "exact", "exact"]
    assert "more than 33 bytes" in done.verdicts[0].reason
    for cut in range(1, len(pattern)):
        parts = [Segment(FLOW, 1, pattern[:cut]), Segment(FLOW, 1 + cut, pattern[cut:])]
        assert sids(done.tables, parts) == {1}


def test_what_is_seen_first_stays(tmp_path: Path) -> None:
    tables = compiled(
        tmp_path, 'alert tcp any any -> any any (content:"evil stuff"; sid:1;)'
    ).tables
    evil, good = b"evil stuff", b"good stuff"
    assert sids(tables, [Segment(FLOW, 1, evil[:5]), Segment(FLOW, 1, good)]) == {1}
    assert not sids(tables, [Segment(FLOW, 1, good[:5]), Segment(FLOW, 1, evil)])


def test_room(tmp_path: Path) -> None:
    """Segments without room are dropped, but never the next one in order."""
    tables = compiled(
        tmp_path, 'alert tcp any any -> any any (content:"evil stuff"; sid:1;)'
    ).tables
    text = b"...evil stuff..."
    parts = [Segment(FLOW, n + 1, text[n : n + 1]) for n in range(len(text))]
    shuffled = [parts[0], *parts[:0:-1]]
    done = streams.inspect(tables, shuffled, room=4)
    assert len(done.dropped) == len(parts) - 1 - 4 - 1 and len(done.held) == 4
    assert not {hit.sid for _, hit in done.found}
    again = streams.inspect(tables, shuffled + done.dropped[::-1], room=4)
    assert {hit.sid for _, hit in again.found} == {1} and not again.held


def test_hostile_connections(tmp_path: Path) -> None:
    """What one side mixes in, but the other one ignores, hides no pattern of either stream."""
    text = "\n".join(
        f'alert tcp any any -> any any (content:"part-{n:03}"; sid:{n + 1};)' for n in range(100)
    )
    tables = compiled(tmp_path, text).tables
    random = Random(1)
    for number in range(250):
        sent, wanted = rule_streams.hostile(random, number % 250)
        result = streams.inspect(tables, sent)
        assert {(flow, hit.sid) for flow, hit in result.found} == wanted
        assert not result.dropped and not result.held
