# SPDX-License-Identifier: Apache-2.0
"""rule_matcher against the tables' and the rules' own models: random rules, packets and pace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from bombus.applications.intrusion_detection import compiling, lookup, model
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.streams import Flow, Segment
from tests.applications.intrusion_detection import rule_frames, rule_sets
from tests.applications.intrusion_detection.rule_matching import (
    HITS,
    Found,
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
        and found.is_exact == any(hit.is_exact for hit in wanted)
        and (found.is_exact == any(hit.is_exact for hit in found.hits))
        and not found.is_unchecked
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


def test_a_published_set(benches: Benches) -> None:
    """Tables whose rows are beyond the first 16,384; only they have all the rules."""
    random = Random(1)
    rules, done = rule_sets.published()
    assert done.tables.used_rules > 16_384 and done.tables.used_steps > 16_384
    matcher = Matcher(benches("rule_matcher", Rows=32768))
    matcher.load(done.tables)
    last = [v.rule for v in done.verdicts if v.entry and v.kind == compiling.PREFILTER][-4000:]
    packets = [rule_sets.packet(random, random.choice([rules, last])) for _ in range(400)]
    results = matcher.run([rule_frames.frame(packet, random) for packet in packets])
    rows = []
    for packet, found in zip(packets, results, strict=True):
        wanted = lookup.hits(done.tables, packet)
        assert agrees(found, wanted), (packet, found, wanted)
        rows += [hit.row for hit in wanted]
    assert len(rows) > 200 and max(rows) > 16_384


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
    matcher.control(0)
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
        rows = [item & 0xFFFF for item in matcher.host_hits(count + 1)]
        assert rows == [*range(12 - count, 12), 0], "the host gets all"


def test_exact_hits_are_kept(matcher: Matcher, tmp_path: Path) -> None:
    """Of more than are kept, in any order; the verdict and the host know of all."""
    random = Random(2)
    for exact in (*range(8), 20):
        numbers = range(1, 31)
        chosen = random.sample(numbers, exact)
        rules = [
            f'alert udp any any -> any any (content:"part-{n:03}"; '
            f"{'' if n in chosen else 'ttl:>1; '}sid:{n};)"
            for n in numbers
        ]
        tables = compiled(tmp_path, "\n".join(rules))
        matcher.load(tables)
        packet = Packet(2, 1, 2, text(random.sample(numbers, 30)))
        wanted = lookup.hits(tables, packet)
        (found,) = matcher.run([rule_frames.datagram(FLOW, packet)])
        assert found.has_more and found.is_exact == bool(exact) and found.hits[0] == wanted[0]
        kept = [hit.sid for hit in found.hits if hit.is_exact]
        assert set(kept) <= set(chosen) and len(kept) >= min(exact, HITS - 1)
        assert len(set(found.hits)) == HITS
        given = matcher.host_hits(31)
        assert [item & 0xFFFF for item in given] == [*(hit.row for hit in wanted), 0]
        assert [bool(item >> 29 & 1) for item in given[:30]] == [hit.is_exact for hit in wanted]


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
        assert [item & 0xFFFF for item in given[: len(wanted)]] == [hit.row for hit in wanted]
        assert all(item >> 29 & 1 for item in given[: len(wanted)])
        assert [item >> 16 & 0x3F for item in given[:1]] == [100 * number % 8]
        assert not any(item >> 30 & 1 for item in given) and not any(given[len(wanted) :])
    matcher.run(frames * 4)
    lost = matcher.events["hit_lost"]
    assert lost == 4 * len(wanted) - 256
    given = [item for item in matcher.host_hits(300) if item]
    assert len(given) == 257 and not any(item >> 30 & 1 for item in given[:256])
    assert given[256] == 1 << 30, "lost, and no hit since"
    matcher.run(frames * 4)
    assert matcher.events["hit_lost"] == lost
    assert [item >> 30 & 1 for item in matcher.host_hits(256)] == [0] * 256
    matcher.run(frames[:1])
    assert [item >> 30 & 1 for item in matcher.host_hits(2)] == [1, 0]


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
