# SPDX-License-Identifier: Apache-2.0
"""ids.c with rule_matcher: what crosses TCP segments is found, in whatever order they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.applications.intrusion_detection import compiling, load, model, streams
from bombus.applications.intrusion_detection.rule import Rule
from bombus.applications.intrusion_detection.streams import Flow, Segment
from bombus.applications.intrusion_detection.tables import Tables
from bombus.simulator.frames import Exchange
from bombus.simulator.simulation import Simulation
from tests.applications.intrusion_detection import rule_frames, rule_sets, rule_streams
from tests.applications.processors import examples

pytestmark = pytest.mark.slow

LIMIT_CYCLES = 1_000_000
ROWS = 1024
ROOM = 8  # segments that may be ahead: three in the matcher, five that ids.c holds
WAIT_CYCLES = 100_000  # longer than these wait
FLOW = Flow("10.0.0.1", "10.0.0.2", 1000, 80)
EVIL = 'alert tcp any any -> any 80 (content:"evil stuff"; sid:7;)\n'


@pytest.fixture
def ids(tmp_path: Path) -> Iterator[Simulation]:
    with examples.running("ids", tmp_path) as simulation:
        simulation.advance(5000)  # the table of flows is cleared
        yield simulation


def prepare(ids: Simulation, text: str, folder: Path) -> Tables:
    file = folder / "my.rules"
    file.write_text(text)
    return prepare_rules(ids, compiling.read([file], {}))


def prepare_rules(ids: Simulation, rules: Sequence[Rule]) -> Tables:
    tables = compiling.compile_rules(rules, rows=ROWS).tables
    load.write(ids.tile("rpu").registers.rule_matcher, tables)
    return tables


def send(ids: Simulation, segments: Sequence[Segment]) -> Exchange:
    frames = [rule_frames.segment(segment) for segment in segments]
    return ids.exchange(frames, limit_cycles=LIMIT_CYCLES)


def send_some(ids: Simulation, segments: Sequence[Segment], expected: int) -> list[bytes]:
    """The same, while others wait: what comes out by then, `expected` frames, and soon after."""
    frames = [rule_frames.segment(segment) for segment in segments]
    done = ids.exchange(frames, expected=expected, limit_cycles=2000)
    came = [each.data for each in done.received]
    while (frame := ids.receive(1, 1000)) is not None:
        came.append(frame.data)
    return came


def cycles_each(done: Exchange) -> float:
    """Cycles per frame that comes out, but for the first 20."""
    at = [each.last_beat_cycle for each in done.received]
    return (at[-1] - at[20]) / (len(at) - 21)


def in_order(flow: Flow, parts: Sequence[bytes], first: int = 1) -> list[Segment]:
    made = []
    for part in parts:
        made.append(Segment(flow, first, part))
        first += len(part)
    return made


def reset(parts: Sequence[Segment]) -> Segment:
    """The end of a flow after its segments in order; only then does a SYN start it again."""
    last = parts[-1]
    return Segment(last.flow, last.sequence + len(last.payload), b"", rst=True)


def in_their_order(done: Exchange, segments: Sequence[Segment]) -> bool:
    """Whether these came out, once each, in this order; others may be between them."""
    wanted = [rule_frames.segment(segment) for segment in segments]
    return [each.data for each in done.received if each.data in wanted] == wanted


def test_random_sessions(ids: Simulation, tmp_path: Path) -> None:
    """Flow and sid are those of the rules, of exact ones; all is sent twice, so none is lost."""
    random = Random(5)
    rules = rule_sets.rules(random, 100, tmp_path)
    tables = prepare_rules(ids, rules)
    done = compiling.compile_rules(rules, rows=ROWS)
    exact = [v.rule for v in done.verdicts if v.kind == compiling.EXACT]
    hits = 0
    for number in range(60):
        flow = rule_streams.flow(random, number)
        parts = rule_streams.cut(random, rule_streams.stream(random, rules), 200)
        first = random.getrandbits(32)
        segments = rule_streams.disorder(random, flow, first, parts, reach=4)
        again = in_order(flow, parts, first + 1)
        again = [Segment(flow, each.sequence % (1 << 32), each.payload) for each in again]
        result = send(ids, [*segments, *again])
        given = set(load.hits(ids.tile("rpu").registers.rule_matcher, tables))
        expected = streams.inspect(tables, [*segments, *again], ROOM)
        payloads = [each.payload for each in segments]
        ports = (flow.source_port, flow.target_port)
        wanted = model.found_in_stream(exact, *ports, parts)
        wanted |= {
            sid
            for payload in payloads
            for sid in model.found(exact, model.Packet(1, *ports, payload))
        }
        assert {hit.sid for hit in given if hit.is_exact} == wanted
        assert given == {hit for _, hit in expected.found}
        if not wanted:
            came = {each.data for each in result.received}
            assert came >= {rule_frames.segment(each) for each in again}
        hits += len(wanted)
    assert hits > 10


def test_block(ids: Simulation, tmp_path: Path) -> None:
    """The segment that completes an attack is dropped, and all later ones until the flow
    restarts.
    """
    prepare(ids, EVIL, tmp_path)
    other = Flow("10.0.0.3", "10.0.0.2", 1000, 80)
    parts = in_order(FLOW, [b"this is ev", b"il stuff", b"more"])
    fresh = Segment(FLOW, 500, b"", syn=True)
    good = in_order(FLOW, [b"good stuff"], 501)
    good += in_order(other, [b"this is ev", b"il things"])
    for part in parts:
        assert len(send(ids, [part]).received) == (part is parts[0])
    end = reset(parts)
    done = send(ids, [*parts, end, fresh, *good])
    wanted = [end, fresh, *good]
    assert [each.data for each in done.received] == [rule_frames.segment(p) for p in wanted]


def test_waiting_segments_of_a_blocked_flow(ids: Simulation, tmp_path: Path) -> None:
    """They do not pass once the firmware has blocked it."""
    prepare(ids, EVIL, tmp_path)
    parts = in_order(FLOW, [b"this is ev", b"il stuff", b"a gap here", b"more"])
    assert send_some(ids, [parts[0], parts[3]], 1) == [rule_frames.segment(parts[0])]
    assert not send_some(ids, [parts[1]], 0)
    assert not send_some(ids, [parts[2]], 0)
    assert ids.receive(1, WAIT_CYCLES) is None


def test_no_segment_waits_in_a_stopped_processor(ids: Simulation, tmp_path: Path) -> None:
    """Those that did are dropped, or left to the next program, before their time is over."""
    prepare(ids, EVIL, tmp_path)
    parts = in_order(FLOW, [b"x" * 10] * 6)
    rpu = bombus.processors(ids)[0]
    assert len(send_some(ids, [parts[0], parts[2], parts[4]], 1)) == 1
    assert rpu.registers.status["slots"] == 2
    rpu.stop()
    ids.advance(500)
    rpu.boot()
    came = [ids.receive(1, 2000) for _ in range(2)]
    assert [each.data for each in came if each] == [
        rule_frames.segment(each) for each in (parts[2], parts[4])
    ]
    assert not send_some(ids, [Segment(FLOW, 200, b"y")], 0)
    rpu.stop()
    rpu.registers.control.discard = 1
    ids.advance(500)
    assert rpu.registers.status["slots"] == 0
    rpu.registers.control.discard = 0
    rpu.boot()
    assert len(send_some(ids, [Segment(FLOW, 201, b"z")], 1)) == 1


def test_order_is_restored(ids: Simulation, tmp_path: Path) -> None:
    """Held segments leave in the order of their flow; other flows do not wait."""
    prepare(ids, EVIL, tmp_path)
    parts = in_order(FLOW, [bytes([65 + n]) * (10 + 50 * n) for n in range(8)])
    other = in_order(Flow("10.0.0.3", "10.0.0.2", 1, 80), [b"other"])
    late = [parts[0], *parts[:1:-1], *other, parts[1]]
    data = [rule_frames.segment(each) for each in late]
    done = ids.exchange(data, gap_cycles=1000, limit_cycles=LIMIT_CYCLES)
    frames = [rule_frames.segment(each) for each in [parts[0], *other, *parts[1:]]]
    assert [each.data for each in done.received] == frames


def test_what_is_next_is_never_dropped(ids: Simulation, tmp_path: Path) -> None:
    """Another flow with many segments ahead gets its room and no more; they leave after a while."""
    prepare(ids, EVIL, tmp_path)
    flood = Flow("10.0.0.3", "10.0.0.2", 1, 80)
    parts = in_order(FLOW, [b"." * 100] * 60)
    ahead = in_order(flood, [b"start", *[b"x" * 20] * 60])
    del ahead[1]
    mixed = [segment for pair in zip(parts, ahead, strict=True) for segment in pair]
    frames = [rule_frames.segment(each) for each in mixed]
    ids.exchange(frames[:2], limit_cycles=LIMIT_CYCLES)
    done = ids.exchange(frames[2:], expected=59, limit_cycles=LIMIT_CYCLES)
    came = [each.data for each in done.received]
    assert came == [rule_frames.segment(each) for each in parts[1:]]
    left = []
    while (frame := ids.receive(1, WAIT_CYCLES)) is not None:
        left.append(frame.data)
    # First those in the matcher, which have waited longest.
    assert left == [rule_frames.segment(each) for each in ahead[1 : 1 + ROOM]]
    # Its next one is not missing any more.
    (last,) = send(ids, [Segment(flood, 1 + 5 + 20 * (ROOM + 1), b"x" * 20)]).received
    assert len(last) == 74


@pytest.mark.parametrize("others", [1, 2, 3])
def test_what_becomes_next_is_not_dropped(ids: Simulation, tmp_path: Path, others: int) -> None:
    """A swapped pair of a flow, and its next segment, while another flow has all the room."""
    prepare(ids, EVIL, tmp_path)
    flood = in_order(Flow("10.0.0.3", "10.0.0.2", 1, 80), [b"x" * 20] * (2 + ROOM + others))
    parts = in_order(FLOW, [bytes([65 + n]) * 20 for n in range(4)])
    send(ids, flood[:1])
    for segment in flood[2 : 2 + ROOM]:
        ids.send(rule_frames.segment(segment))
        ids.advance(400)
    send_some(ids, parts[:1], 1)
    came = send_some(ids, [parts[2], parts[1], *flood[2 + ROOM :], parts[3]], 3)
    assert came == [rule_frames.segment(each) for each in parts[1:]]


def take_places(ids: Simulation, port: int = 1) -> None:
    """A flow that lacks a segment takes the matcher's three places: the rest is left to ids.c."""
    flow = in_order(Flow("10.0.0.3", "10.0.0.2", port, 80), [b"x" * 6] * 5)
    send(ids, flow[:1])
    assert not send_some(ids, flow[2:], 0)


def swapped(parts: Sequence[Segment]) -> list[Segment]:
    return [part for n in range(0, len(parts), 2) for part in (parts[n + 1], parts[n])]


@pytest.mark.parametrize("flows", [1, 2, 5])
def test_order_is_restored_in_software(ids: Simulation, tmp_path: Path, flows: int) -> None:
    """Pairs are swapped, flows take turns, and frames come faster than they are done."""
    prepare(ids, EVIL, tmp_path)
    parts = [
        in_order(Flow(f"10.0.1.{n}", "10.0.0.2", 7, 80), [bytes([n]) * 6] * 40)
        for n in range(flows)
    ]
    for n in range(flows):
        send(ids, [Segment(parts[n][0].flow, 0, b"", syn=True)])
    take_places(ids)
    turns = zip(*map(swapped, parts), strict=True)
    frames = [rule_frames.segment(part) for turn in turns for part in turn]
    done = ids.exchange(frames, expected=len(frames), limit_cycles=50_000)
    assert all(in_their_order(done, each) for each in parts)


def test_flows_start_again_in_software(ids: Simulation, tmp_path: Path) -> None:
    """What ids.c remembers of a flow is out of date when it starts again at the same number. Some
    of the flows beside it have the same place in this memory.
    """
    prepare(ids, EVIL, tmp_path)
    for other in range(1, 18):
        parts = [
            in_order(Flow(f"10.0.1.{n}", "10.0.0.2", 7, 80), [bytes([n]) * 6] * 12)
            for n in (0, other)
        ]
        for each in parts:
            send(ids, [Segment(each[0].flow, 0, b"", syn=True)])
        take_places(ids, other)
        turns = zip(*map(swapped, parts), strict=True)
        frames = [rule_frames.segment(part) for turn in turns for part in turn]
        done = ids.exchange(frames, expected=len(frames), limit_cycles=6000)
        assert all(in_their_order(done, each) for each in parts)
        send(ids, [reset(each) for each in parts])
        while ids.receive(1, WAIT_CYCLES) is not None:
            pass


@pytest.mark.parametrize("pairs", [6, 7, 8])
def test_a_flow_starts_again_in_a_burst(ids: Simulation, tmp_path: Path, pairs: int) -> None:
    """After its segments and swapped pairs of another flow, which ids.c has put in order, its RST,
    SYN and new segments arrive without a gap.
    """
    prepare(ids, EVIL, tmp_path)
    start = Segment(FLOW, 0, b"", syn=True)
    other = Flow("10.0.1.0", "10.0.0.2", 7, 80)
    send(ids, [start, Segment(other, 0, b"", syn=True)])
    take_places(ids)
    parts, again = (in_order(FLOW, [text] * 2) for text in (b"123456", b"654321"))
    between = in_order(other, [b"123456"] * 2 * pairs)
    end = reset(parts)
    for order, wanted in (
        ([*swapped(parts), *swapped(between)], (parts, between)),
        ([end, start, *swapped(again)], ([end, start, *again],)),
    ):
        frames = [rule_frames.segment(each) for each in order]
        done = ids.exchange(frames, expected=len(frames), limit_cycles=6000)
        for each in wanted:
            assert in_their_order(done, each)


def with_urgent_data(segment: Segment) -> bytes:
    frame = rule_frames.segment(segment, flags=0x38)
    pointer = 5
    checksum = (int.from_bytes(frame[50:52]) - pointer - 1) % 0xFFFF + 1
    return frame[:50] + checksum.to_bytes(2) + pointer.to_bytes(2) + frame[54:]


def test_urgent_data_of_segments_that_ids_holds(ids: Simulation, tmp_path: Path) -> None:
    """They leave without URG, when their gap is filled and when they have waited too long."""
    prepare(ids, EVIL, tmp_path)
    parts = in_order(FLOW, [bytes([65 + n]) * 20 for n in range(45)])
    send(ids, [Segment(FLOW, 0, b"", syn=True)])
    take_places(ids)
    frames = [with_urgent_data(each) for each in [*swapped(parts[:40]), *parts[41:]]]
    done = ids.exchange(frames, expected=40, limit_cycles=50_000)
    came = [each.data for each in done.received]
    while (frame := ids.receive(1, WAIT_CYCLES)) is not None:
        came.append(frame.data)
    ours = [each for each in came if each[54:60] != b"x" * 6]
    assert ours == [rule_frames.segment(each) for each in [*parts[:40], *parts[41:]]]


@pytest.mark.parametrize("late", [3, 4, 5])
def test_late_segments(ids: Simulation, tmp_path: Path, late: int) -> None:
    """One of a flow's segments comes so many behind its place, again and again, at full rate. Some
    are held for long, as what they follow waits for its turn.
    """
    prepare(ids, EVIL, tmp_path)
    parts = in_order(FLOW, [b"123456"] * 30 * (late + 1))
    send(ids, [Segment(FLOW, 0, b"", syn=True)])
    groups = [parts[n : n + late + 1] for n in range(0, len(parts), late + 1)]
    done = send(ids, [part for first, *rest in groups for part in (*rest, first)])
    assert [each.data for each in done.received] == [rule_frames.segment(p) for p in parts]
    cycles = cycles_each(done)
    print(cycles)
    assert cycles <= 170


@pytest.mark.parametrize("first", [100, 600_000])
def test_a_flow_starts_again(ids: Simulation, tmp_path: Path, first: int) -> None:
    """What it lacks is given up after a while, though its number is lower than what was released
    before, and others of the flow come faster than they are done.
    """
    prepare(ids, EVIL, tmp_path)
    send(ids, [Segment(FLOW, 500_000, b"123456")])
    take_places(ids)
    late = [Segment(FLOW, 500_012, b"123456"), Segment(FLOW, 500_006, b"123456")]
    assert len(send_some(ids, late, 2)) == 2
    ahead = Segment(FLOW, first + 5000, b"123456")
    parts = in_order(FLOW, [b"x"] * 700, first + 1)
    frames = [
        rule_frames.segment(each) for each in [Segment(FLOW, first, b"", syn=True), ahead, *parts]
    ]
    done = ids.exchange(frames, expected=len(frames), gap_cycles=150, limit_cycles=LIMIT_CYCLES)
    assert rule_frames.segment(ahead) in [each.data for each in done.received]


def test_program_starts_again(ids: Simulation, tmp_path: Path) -> None:
    """What the program held when it was stopped is dropped, and it forgets it."""
    prepare(ids, EVIL, tmp_path)
    send(ids, [Segment(FLOW, 0, b"", syn=True)])
    take_places(ids)
    parts = in_order(FLOW, [b"123456"] * 40)
    assert not send_some(ids, parts[4:8], 0)
    bombus.processors(ids)[0].stop()
    ids.advance(500)
    bombus.processors(ids)[0].boot()
    send(ids, [Segment(FLOW, 0, b"", syn=True)])
    take_places(ids, 2)
    frames = [rule_frames.segment(part) for part in swapped(parts)]
    done = ids.exchange(frames, expected=len(frames), limit_cycles=50_000)
    came = [each.data for each in done.received]
    assert came == [rule_frames.segment(part) for part in parts]


def test_cycles(ids: Simulation, tmp_path: Path) -> None:
    """Cycles a frame of 64 bytes with FCS, in order; and of swapped pairs, which leave in order,
    by the matcher, and by ids.c if another flow has all places in the matcher; in order while ids.c
    holds segments of others.
    """
    prepare(ids, EVIL, tmp_path)
    parts = in_order(FLOW, [b"123456"] * 200)
    cycles = {}
    for name, order in {
        "in order": parts,
        "swapped": swapped(parts),
        "in software": swapped(parts),
        "beside held ones": parts,
    }.items():
        send(ids, [Segment(FLOW, 0, b"", syn=True)])
        if name == "in software":
            take_places(ids)
        if name == "beside held ones":
            other = in_order(Flow("10.0.0.3", "10.0.0.2", 2, 80), [b"x" * 6] * 8)
            send(ids, other[:1])
            assert not send_some(ids, other[2:], 0)
        frames = [rule_frames.segment(each) for each in order]
        done = ids.exchange(frames, expected=len(frames), limit_cycles=50_000)
        assert [each.data for each in done.received] == [rule_frames.segment(p) for p in parts]
        cycles[name] = cycles_each(done)
        send(ids, [reset(parts)])
    print(cycles)
    assert cycles["in order"] <= 30 and cycles["swapped"] <= 30
    assert cycles["in software"] <= 90 and cycles["beside held ones"] <= 40


@pytest.mark.parametrize(("flows", "limit"), [(2, 125), (5, 140)])
def test_cycles_of_flows_in_turn(ids: Simulation, tmp_path: Path, flows: int, limit: int) -> None:
    """Cycles a segment that ids.c reorders, of flows that take turns."""
    prepare(ids, EVIL, tmp_path)
    parts = [
        in_order(Flow(f"10.0.1.{n}", "10.0.0.2", 7, 80), [bytes([n]) * 6] * 80)
        for n in range(flows)
    ]
    for each in parts:
        send(ids, [Segment(each[0].flow, 0, b"", syn=True)])
    take_places(ids)
    turns = zip(*map(swapped, parts), strict=True)
    frames = [rule_frames.segment(part) for turn in turns for part in turn]
    done = ids.exchange(frames, expected=len(frames), limit_cycles=100_000)
    assert len(done.received) == len(frames)
    cycles = cycles_each(done)
    print(cycles)
    assert cycles <= limit
