# SPDX-License-Identifier: Apache-2.0
"""docs/examples/middlebox/ids.yaml: what is dropped is what the rules say, with their sids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import bombus
from bombus.applications.intrusion_detection import compiling, load, lookup, tables
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.streams import Flow, Segment
from bombus.applications.intrusion_detection.tables import Tables
from bombus.base.errors import UserError
from bombus.simulator.simulation import Simulation
from tests.applications.intrusion_detection import rule_frames, rule_sets
from tests.applications.processors import examples

pytestmark = pytest.mark.slow

LIMIT_CYCLES = 1_000_000
ROWS = 1024


@pytest.fixture
def ids(tmp_path: Path) -> Iterator[Simulation]:
    with examples.running("ids", tmp_path) as simulation:
        yield simulation


def test_verdicts(ids: Simulation, tmp_path: Path) -> None:
    random = Random(1)
    rules = rule_sets.rules(random, 100, tmp_path)
    compiled = compiling.compile_rules(rules, rows=ROWS)
    compiling.write(compiled, tmp_path / "out")
    load.write(ids.tile("rpu").registers.rule_matcher, load.read(tmp_path / "out"))
    packets = [rule_sets.packet(random, rules, longest=1300) for _ in range(200)]
    frames = [rule_frames.frame(packet, random) for packet in packets]
    hits = [lookup.hits(compiled.tables, packet) for packet in packets]
    done = ids.exchange(frames, window=16, limit_cycles=LIMIT_CYCLES)
    passing = [
        frame
        for frame, found in zip(frames, hits, strict=True)
        if not any(hit.is_exact for hit in found)
    ]
    assert [each.data for each in done.received if each.port == 1] == passing
    assert len(done.received) == len(passing) and 30 < len(passing) < 190
    given = load.hits(ids.tile("rpu").registers.rule_matcher, compiled.tables)
    assert Counter(given) == Counter(hit for found in hits for hit in found)


def prepare(ids: Simulation, tmp_path: Path, *rules: str) -> Tables:
    file = tmp_path / "my.rules"
    file.write_text("\n".join(f"{rule} sid:{n};)" for n, rule in enumerate(rules, 1)))
    compiled = compiling.compile_rules(compiling.read([file], {}), rows=ROWS)
    load.write(ids.tile("rpu").registers.rule_matcher, compiled.tables)
    return compiled.tables


def test_the_host_gets_all_hits(ids: Simulation, tmp_path: Path) -> None:
    """Of one packet more than the firmware does."""
    head = "alert udp any any -> any any"
    rules = [f'{head} (content:"part-{n:03}"; ttl:>1;' for n in range(1, 41)]
    found = prepare(ids, tmp_path, *rules)
    payload = b"".join(b"part-%03d" % n for n in range(1, 41))
    done = ids.exchange([plain(Packet(2, 1, 80, payload))], limit_cycles=LIMIT_CYCLES)
    assert len(done.received) == 1
    hits = load.hits(ids.tile("rpu").registers.rule_matcher, found)
    assert {hit.sid for hit in hits} == {*range(1, 41)} and len(hits) == 40


def test_unchecked_frames_are_dropped(ids: Simulation, tmp_path: Path) -> None:
    """And reported, with the hits that were found before."""
    head = "alert udp any any -> any any"
    rules = [f'{head} (content:"{"A" * n}";' for n in range(40, 50)]
    found = prepare(ids, tmp_path, *rules, f'{head} (content:"evil stuff"; ttl:>1;')
    bad = plain(Packet(2, 1, 80, b"evil stuff" + (b"A" * 39 + b".") * 30))
    good = plain(Packet(2, 1, 80, b"A" * 39))
    done = ids.exchange([good, bad, good], expected=2, limit_cycles=LIMIT_CYCLES)
    assert [each.data for each in done.received] == [good, good]
    assert ids.tile_counters("rpu")["event.rule_matcher.unchecked"] == 1
    assert ids.tile_counters("rpu")["drop.rpu.by_firmware"] == 1
    registers = ids.tile("rpu").registers.rule_matcher
    with pytest.raises(load.MissingHitsError, match="1 packet unchecked") as raised:
        load.hits(registers, found)
    assert [hit.sid for hit in raised.value.hits] == [11]
    assert (raised.value.unchecked, raised.value.is_lost) == (1, False)
    assert not load.hits(registers, found)


def checksum(frame: bytes) -> int:
    """Of TCP, over all including the checksum: 0xffff if that is right. The frame has no tag, IP
    options or padding.
    """
    data = frame[26:34] + bytes([0, 6]) + len(frame[34:]).to_bytes(2) + frame[34:]
    data += bytes(len(data) % 2)
    total = sum(int.from_bytes(data[n : n + 2]) for n in range(0, len(data), 2))
    return (total - 1) % 0xFFFF + 1


@pytest.mark.parametrize("tag", [b"", b"\x81\0\0\7", b"\x92\0\0\7"])
def test_urgent_data_stay_in_the_stream(ids: Simulation, tmp_path: Path, tag: bytes) -> None:
    """As the matcher takes them: the flag goes, and the checksum is right again."""
    prepare(ids, tmp_path, 'alert tcp any any -> any any (content:"evil stuff";')
    flow = Flow("10.0.0.1", "10.0.0.2", 1000, 80)
    random = Random(1)
    sent, wanted = list[bytes](), list[bytes]()
    for n in range(30):
        segment = Segment(flow, 1 + 40 * n, random.randbytes(40))
        flags = random.choice([0x10, 0x18, 0x11])
        usual = rule_frames.segment(segment, random.getrandbits(32), flags)
        pointer = random.choice([b"\0\0", b"\0\x05", b"\xff\xff"])
        urgent = usual[:47] + bytes([flags | 0x20]) + usual[48:52] + pointer + usual[54:]
        given, expected = random.choice([(usual, usual), (urgent, usual)])
        for frames, frame in ((sent, given), (wanted, expected)):
            frame = frame[:50] + bytes(2) + frame[52:]
            frame = frame[:50] + (0xFFFF - checksum(frame)).to_bytes(2) + frame[52:]
            assert checksum(frame) == 0xFFFF
            frames.append(frame[:12] + tag + frame[12:])
    done = ids.exchange(sent, limit_cycles=LIMIT_CYCLES)
    came = [each.data for each in done.received]
    assert came == wanted


def reported(ids: Simulation) -> tuple[int, int]:
    """Packets that were not examined: dropped, passed."""
    return divmod(bombus.processors(ids)[0].debug_word, 1 << 16)


def test_what_is_not_examined(ids: Simulation, tmp_path: Path) -> None:
    """IPv4 packets with TCP or UDP are dropped, others pass, and all are counted."""
    prepare(ids, tmp_path, 'alert udp any any -> any any (content:"evil stuff";')
    flow = Flow("10.0.0.1", "10.0.0.2", 1000, 80)
    udp = rule_frames.datagram(flow, Packet(2, 1000, 80, b"evil stuff" * 4))
    tcp = rule_frames.segment(Segment(flow, 1, b"good stuff" * 3))
    options = udp[:14] + b"\x4a" + udp[15:16] + (20 + udp[17]).to_bytes(2) + udp[18:34]
    bad = [
        udp[:20] + b"\x20\0" + udp[22:],  # More Fragments
        udp[:20] + b"\0\1" + udp[22:],
        tcp[:20] + b"\x20\0" + tcp[22:],
        options + bytes(20) + udp[34:],
        udp[:12] + b"\x81\0\0\1\x81\0\0\2" + udp[12:],
        udp[:16] + b"\xff\xff" + udp[18:],
        udp[:38] + b"\xff\xff" + udp[40:],
        tcp[:46] + b"\x40" + tcp[47:],
        tcp[:46] + b"\xf0" + tcp[47:],
        udp[:14] + b"\x44" + udp[15:],
    ]
    other = [
        udp[:12] + b"\x86\xdd\x60" + bytes(60),
        bytes(12) + b"\x08\x06" + bytes(46),
        udp[:20] + b"\x20\0" + udp[22:23] + b"\1" + udp[24:],  # a fragment of ICMP
    ]
    done = ids.exchange([*bad, *other, tcp], expected=4, limit_cycles=LIMIT_CYCLES)
    assert [each.data for each in done.received] == [*other, tcp]
    assert ids.tile_counters("rpu")["drop.rpu.by_firmware"] == len(bad)
    assert reported(ids) == (len(bad), len(other))


def test_all_pass_while_the_matcher_is_disabled(ids: Simulation, tmp_path: Path) -> None:
    prepare(ids, tmp_path, 'alert udp any any -> any any (content:"evil stuff";')
    ids.tile("rpu").registers.rule_matcher.control.write(enable=0)
    random = Random(1)
    packets = [Packet(proto, 1, 80, b"good stuff") for proto in (1, 2, 4, 8)]
    frames = [rule_frames.frame(packet, random) for packet in packets for _ in range(20)]
    done = ids.exchange(frames, limit_cycles=LIMIT_CYCLES)
    assert [each.data for each in done.received] == frames


def plain(packet: Packet) -> bytes:
    """A frame without a tag, options and bytes behind it."""
    made = (rule_frames.frame(packet, Random(n)) for n in range(1000))
    return min((each for each in made if len(each) >= 60), key=len)


def test_cycles(ids: Simulation, tmp_path: Path) -> None:
    """Cycles a frame of 64 bytes with FCS, for safe and for bad ones."""
    file = tmp_path / "my.rules"
    file.write_text('alert udp any any -> any 80 (content:"evil stuff"; sid:7;)\n')
    compiled = compiling.compile_rules(compiling.read([file], {}), rows=ROWS)
    load.write(ids.tile("rpu").registers.rule_matcher, compiled.tables)
    safe = plain(Packet(2, 1, 80, b"good stuff"))
    cases = {
        "safe UDP": safe,
        "safe TCP": plain(Packet(1, 1, 80, b"evil")),
        "attack": plain(Packet(2, 1, 80, b"evil stuff")),
    }
    cycles = {}
    count = 100
    for name, frame in cases.items():
        done = ids.exchange([safe, *[frame] * count, safe], limit_cycles=LIMIT_CYCLES)
        first, *_, last = done.received
        cycles[name] = (last.last_beat_cycle - first.last_beat_cycle) / (count + 1)
        assert len(done.received) == (2 if name == "attack" else count + 2)
    print(cycles)
    assert cycles["safe UDP"] <= 9 and cycles["safe TCP"] <= 20 and cycles["attack"] <= 50


def test_tables_of_other_rows(ids: Simulation, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="compile with --rows 1024"):
        load.write(ids.tile("rpu").registers.rule_matcher, tables.Tables(256))
    (tmp_path / "tables.bin").write_bytes(bytes(100))
    with pytest.raises(UserError, match="not a file of tables"):
        load.read(tmp_path)
