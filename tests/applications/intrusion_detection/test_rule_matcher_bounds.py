# SPDX-License-Identifier: Apache-2.0
"""What senders can do to rule_matcher: the time of a packet is bounded, and they cannot choose the
place of a flow in its table.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from bombus.applications.intrusion_detection import compiling, hashing, lookup
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.streams import Flow, Segment
from tests.applications.intrusion_detection import rule_frames
from tests.applications.intrusion_detection.rule_matching import (
    AHEAD,
    ATTENTION,
    EXACT,
    HIT,
    HITS,
    URGENT,
    Found,
    Matcher,
    compiled,
)
from tests.support.harness import Benches

pytestmark = pytest.mark.slow

FLOW = Flow("10.0.0.1", "10.0.0.2", 1000, 80)
EVIL = 'alert tcp any any -> any any (content:"evil stuff"; sid:7;)'
FIN, SYN, RST, PSH, ACK, URG = (1 << n for n in range(6))
CHECK_CYCLES = 8192
BOUND = CHECK_CYCLES + 1204  # and two cycles per byte


@pytest.fixture
def matcher(benches: Benches) -> Matcher:
    return Matcher(benches("rule_matcher"))


def cycles_of(matcher: Matcher, payload: bytes) -> tuple[int, Found]:
    """From the first beat to the verdict."""
    frame = rule_frames.datagram(FLOW, Packet(2, 1, 2, payload))
    (found,) = matcher.run([frame], quiet=20_000)
    return found.cycle - matcher.bench.taken(0)[0], found


# ---- Time ----


@pytest.mark.parametrize("size", [4, 8])
def test_runs_of_equal_bytes(matcher: Matcher, tmp_path: Path, size: int) -> None:
    """A rule that has hit takes no more time; a payload without the rule takes 116 cycles."""
    run = "00 " * size
    matcher.load(
        compiled(tmp_path, f'alert udp any any -> any any (content:"|{run}|"; ttl:>1; sid:1;)')
    )
    plain, _ = cycles_of(matcher, b"." * 1400)
    cycles, found = cycles_of(matcher, bytes(1400))
    print(plain, cycles)
    assert [hit.sid for hit in found.hits] == [1] and not found.is_unchecked
    assert cycles <= plain + 64
    cycles, found = cycles_of(matcher, b"".join(bytes(16) + b"." * 4 for _ in range(70)))
    assert [hit.sid for hit in found.hits] == [1] and cycles <= 2 * plain


def test_rules_that_run_into_each_other(matcher: Matcher, tmp_path: Path) -> None:
    """Ten contents of 40 to 49 equal bytes, in a payload of these; then a payload in which each
    position almost has them.
    """
    rules = "\n".join(
        f'alert udp any any -> any any (content:"{"A" * n}"; sid:{n};)' for n in range(40, 50)
    )
    matcher.load(compiled(tmp_path, rules))
    cycles, found = cycles_of(matcher, b"A" * 1400)
    assert cycles < 1500 and found.is_exact and not found.is_unchecked
    assert len(found.hits) == HITS and found.has_more
    assert len([item for item in matcher.host_hits(20) if item]) == 10
    cycles, found = cycles_of(matcher, (b"A" * 39 + b".") * 35)
    print(cycles)
    assert found.is_unchecked and not found.hits
    assert CHECK_CYCLES < cycles < BOUND + 2 * 1400
    assert matcher.events["unchecked"] == 1
    (item,) = (item for item in matcher.host_hits(2) if item)
    assert item >> 28 & 1 and item >> 31 and not item & 0xFFFF
    # What follows is not concerned.
    _, found = cycles_of(matcher, b"A" * 49)
    assert not found.is_unchecked and found.has_more


def test_many_rules_of_a_fragment(matcher: Matcher, tmp_path: Path) -> None:
    """Those that cannot match for another reason than their position are checked once; each hit
    of 200 is reported.
    """
    rules = [
        f'alert udp any {n} -> any any (content:"evil stuff"; sid:{n};)' for n in range(951, 1051)
    ]
    rules += [
        f'alert udp any any -> any any (content:"evil stuff"; dsize:>{n - 1000}; sid:{n};)'
        for n in range(2001, 2101)
    ]
    matcher.load(compiled(tmp_path, "\n".join(rules)))
    cycles, found = cycles_of(matcher, b"evil stuff" * 140)
    assert not found.is_unchecked and cycles < 4000
    given = [item for item in matcher.host_hits(256) if item]
    assert len({item & 0xFFFF for item in given}) == len(given) == 101


def repeated(random: Random, low: int, high: int) -> bytes:
    unit = bytes(random.choices(b"AB\0", k=random.choice([1, 1, 2, 3])))
    return (unit * high)[: random.randrange(low, high)]


@pytest.mark.parametrize("pace", [{}, {"gap": 0.3, "stall": 0.5}])
def test_random_repeated_contents(matcher: Matcher, tmp_path: Path, pace: dict[str, float]) -> None:
    """Of short alphabets, in contents and payloads: all hits of a packet, each once, and none of
    what is settled for a packet is for the next one.
    """
    hits = unchecked = 0
    for seed in range(4):
        random = Random(seed)
        rules = []
        for n in range(1, 41):
            where = random.choice(["", "", f"offset:{random.randrange(40)}; ", "depth:60; "])
            size = random.choice(["", "", "dsize:>40; "])
            ports = random.choice(["any", "any", "6"])
            content = repeated(random, 4, 14)
            rules.append(
                f"alert udp any {ports} -> any any "
                f'(content:"|{content.hex()}|"; {where}{size}sid:{n};)'
            )
        file = tmp_path / "my.rules"
        file.write_text("\n".join(rules))
        done = compiling.compile_rules(compiling.read([file], {}), rows=256)
        matcher.load(done.tables)
        packets = [
            Packet(2, random.choice([5, 6]), 2, b"".join(repeated(random, 1, 40) for _ in range(6)))
            for _ in range(80)
        ]
        for part in (packets[n : n + 8] for n in range(0, len(packets), 8)):
            frames = [rule_frames.datagram(flow_of(each), each) for each in part]
            matcher.bench.pace(**pace)
            results = matcher.run(frames, quiet=BOUND)
            matcher.bench.pace()
            wanted = [lookup.hits(done.tables, packet) for packet in part]
            total = sum(map(len, wanted))
            assert total < 256
            given = iter(matcher.host_hits(total + 8))
            for found, each in zip(results, wanted, strict=True):
                rows = list[int]()
                while len(rows) < len(each) or found.is_unchecked:
                    item = next(given)
                    if item >> 28 & 1:
                        assert found.is_unchecked
                        break
                    rows.append(item & 0xFFFF)
                missing = {hit.row for hit in each} - {*rows}
                assert len({*rows}) == len(rows) and len(missing) == len(each) - len(rows)
                assert found.is_unchecked or not missing
                assert found.is_hit == bool(rows)
                unchecked += found.is_unchecked
                hits += len(rows)
            assert not any(given)
    print(hits, unchecked)
    assert hits > 500 and unchecked < 50


def flow_of(packet: Packet) -> Flow:
    return Flow("10.0.0.1", "10.0.0.2", packet.source_port, packet.target_port)


# ---- Streams ----


@pytest.mark.parametrize(
    ("flags", "passes"),
    [(RST, True), (RST | ACK, True), (PSH, True), (0, True), (FIN | PSH, True), (ACK, False)],
)
def test_what_receivers_ignore_is_not_in_the_stream(
    matcher: Matcher, tmp_path: Path, flags: int, passes: bool
) -> None:
    """Payload of RST, and of segments without ACK: it hides nothing, and is scanned by itself."""
    matcher.load(compiled(tmp_path, EVIL))
    assert not matcher.verdict(Segment(FLOW, 1, b"this is ev")) & HIT
    assert not matcher.verdict(Segment(FLOW, 11, b"something"), flags) & (HIT | AHEAD)
    assert bool(matcher.verdict(Segment(FLOW, 11, b"il stuff")) & EXACT) == passes
    if passes:
        assert matcher.verdict(Segment(FLOW, 11, b"evil stuff"), flags) & EXACT


@pytest.mark.parametrize("flags", [SYN, SYN | ACK])
def test_payload_of_syn(matcher: Matcher, tmp_path: Path, flags: int) -> None:
    """What follows it has the next number, as if it had none."""
    matcher.load(compiled(tmp_path, EVIL))
    assert not matcher.verdict(Segment(FLOW, 100, b"something"), flags) & (HIT | AHEAD)
    assert not matcher.verdict(Segment(FLOW, 101, b"this is ev")) & (HIT | AHEAD)
    assert matcher.verdict(Segment(FLOW, 111, b"il stuff")) & EXACT
    assert matcher.verdict(Segment(FLOW, 100, b"evil stuff"), flags) & EXACT


def test_urgent_data_are_reported(matcher: Matcher, tmp_path: Path) -> None:
    """Also without payload: the urgent byte may follow."""
    matcher.load(compiled(tmp_path, EVIL))
    for place, flags in ((1, ACK), (11, ACK | URG), (21, URG), (21, RST | URG)):
        for payload in (b"", b"0123456789"):
            given = matcher.verdict(Segment(FLOW, place, payload), flags)
            assert given == (ATTENTION | URGENT if flags & URG else 0)


# ---- The table of flows ----


def linear(flow: Flow) -> int:
    """The set of a flow by the hash without a key that was used here once."""
    frame = rule_frames.segment(Segment(flow, 0, b""))
    key = frame[26:34] + frame[34:38]
    words = [hashing.first(key[n : n + 4]) for n in (0, 4, 8)]
    return words[0] ^ (words[1] << 7 | words[1] >> 13) ^ (words[2] << 13 | words[2] >> 7)


def flows_of_a_set(count: int) -> list[Flow]:
    """Other source ports that a linear hash puts into the set of FLOW."""
    ports = (port for port in range(1001, 65536))
    flows = (Flow("10.0.0.1", "10.0.0.2", port, 80) for port in ports)
    same = (flow for flow in flows if (linear(flow) ^ linear(FLOW)) & 15 == 0)
    return [flow for flow, _ in zip(same, range(count), strict=False)]


def test_computed_ports_do_not_evict_a_flow(matcher: Matcher, tmp_path: Path) -> None:
    """Four flows of 16 sets that a linear hash puts into that of the attack, under six keys: they
    are in it by chance only, as rarely as any.
    """
    random = Random(1)
    for _ in range(6):
        matcher.bench.reset(1)
        matcher.load(compiled(tmp_path, EVIL), key=random.getrandbits(32))
        matcher.verdict(Segment(FLOW, 1, b"this is ev"))
        for flow in flows_of_a_set(4):
            matcher.verdict(Segment(flow, 1, b"harmless"))
        assert matcher.verdict(Segment(FLOW, 11, b"il stuff")) & HIT
        assert matcher.events["flow_evicted"] == 0


def test_evicted_flows_are_counted(matcher: Matcher, tmp_path: Path) -> None:
    """Those of which a segment was among the last, not old ones."""
    matcher.load(compiled(tmp_path, EVIL))
    segments = [Segment(Flow("10.0.0.1", "10.0.0.2", port, 80), 1, b"x") for port in range(1, 201)]
    matcher.run([rule_frames.segment(each) for each in segments])
    assert 136 <= matcher.events["flow_evicted"] <= 160  # more flows than the table has
    # The same flow again and again, until the others are old.
    parts = [Segment(FLOW, n + 1, b"x") for n in range(600)]
    matcher.run([rule_frames.segment(each) for each in parts])
    fresh = [Segment(Flow("10.0.0.9", "10.0.0.2", port, 80), 1, b"x") for port in range(1, 17)]
    matcher.run([rule_frames.segment(each) for each in fresh])
    assert matcher.events["flow_evicted"] <= 4
