# SPDX-License-Identifier: Apache-2.0
"""Tables of rules and Suricata on the same traffic: the same flows match the same exact rules.

Of prefilters, no alert is missed. Contents of buffers (`http.uri`) and rules of application
protocols are not compared: Suricata runs without its parsers of these. That the hardware does what
the tables say is for test_rule_matcher.py and test_ids_streams.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from bombus.applications.intrusion_detection import compiling, keywords, lookup, streams
from bombus.applications.intrusion_detection.model import Packet
from bombus.applications.intrusion_detection.streams import Flow, Segment
from bombus.base.errors import UserError
from tests.applications.intrusion_detection import rule_frames, rule_sets, rule_streams, suricata

pytestmark = pytest.mark.slow


def session(segments: Sequence[Segment], size: int) -> list[bytes]:
    """A whole connection from the SYN on, each segment acknowledged. `size`: of the stream."""
    syn, *rest = segments
    flow = syn.flow
    back = Flow(flow.target, flow.source, flow.target_port, flow.source_port)
    first = syn.sequence + 1
    got: set[int] = set()
    done = 0

    def frame(each: Segment, acknowledged: int, flags: int) -> bytes:
        return rule_frames.segment(each, acknowledged % (1 << 32), flags)

    made = [
        frame(syn, 0, 0x02),
        frame(Segment(back, 7000, b""), first, 0x12),
        frame(Segment(flow, first % (1 << 32), b""), 7001, 0x10),
    ]
    for each in rest:
        place = (each.sequence - first) % (1 << 32)
        got |= set(range(place, place + len(each.payload)))
        while done in got:
            done += 1
        made.append(frame(each, 7001, 0x18))
        made.append(frame(Segment(back, 7001, b""), first + done, 0x10))
    assert done == size
    end = Segment(flow, (first + size) % (1 << 32), b"")
    made.append(frame(end, 7001, 0x11))
    made.append(frame(Segment(back, 7001, b""), first + size + 1, 0x11))
    made.append(frame(Segment(flow, (end.sequence + 1) % (1 << 32), b""), 7002, 0x10))
    return made


@pytest.mark.parametrize("seed", range(3))
def test_same_flows_and_rules(seed: int, tmp_path: Path) -> None:
    suricata.program()
    random = Random(seed)
    text = rule_sets.text(random, 150)
    file = tmp_path / "my.rules"
    file.write_text(text)
    rules = compiling.read([file], {})
    done = compiling.compile_rules(rules)
    exact = {v.rule.sid for v in done.verdicts if v.kind == compiling.EXACT}
    known = exact | {v.rule.sid for v in done.verdicts if v.kind == compiling.PREFILTER}
    frames, found = [], set()
    for number in range(250):
        flow = rule_streams.flow(random, number)
        parts = rule_streams.cut(random, rule_streams.stream(random, rules), 60)
        first = random.choice([random.getrandbits(31), (1 << 32) - 20])
        segments = rule_streams.disorder(random, flow, first, parts, reach=4)
        inspection = streams.inspect(done.tables, segments, room=1000)
        found |= {(flow, hit.sid) for flow, hit in inspection.found}
        frames += session(segments, sum(map(len, parts)))
    for number in range(1000, 1700):
        packet = rule_sets.packet(random, rules, longest=1000)
        if packet.protocol not in (keywords.UDP, keywords.ICMP):
            continue
        flow = rule_streams.flow(random, number)
        ports = (packet.source_port, packet.target_port)
        flow = Flow(
            flow.source, flow.target, *(ports if packet.protocol == keywords.UDP else (0, 0))
        )
        found |= {(flow, hit.sid) for hit in lookup.hits(done.tables, packet)}
        frames.append(rule_frames.datagram(flow, packet))
    alerts = suricata.alerts(text, frames, tmp_path / "suricata")
    ours = {each for each in found if each[1] in exact}
    assert {each for each in alerts if each[1] in exact} == ours
    assert {each for each in alerts if each[1] in known} <= found
    assert len(ours) > 50 and len(alerts) > len(ours)


@pytest.mark.parametrize("hidden", [None, 0x04, 0x14, 0x08, 0x00])
def test_what_receivers_do_not_read_hides_nothing(tmp_path: Path, hidden: int | None) -> None:
    """A payload with RST, or without ACK, between the halves of a pattern; or in the SYN."""
    suricata.program()
    text = 'alert tcp any any -> any any (content:"evil stuff"; sid:7;)'
    (tmp_path / "my.rules").write_text(text)
    tables = compiling.compile_rules(compiling.read([tmp_path / "my.rules"], {})).tables
    flow = Flow("10.1.0.1", "10.2.0.1", 1000, 80)
    syn = Segment(flow, 100, b"" if hidden is not None else b"nothing", syn=True)
    parts = [Segment(flow, 101, b"this is ev"), Segment(flow, 111, b"il stuff" + bytes(20))]
    frames = session([syn, *parts], 38)
    segments = [syn, *parts]
    if hidden is not None:
        between = Segment(flow, 112, b"something", in_stream=False)
        segments.insert(2, between)
        place = frames.index(rule_frames.segment(parts[1], 7001))
        frames.insert(place, rule_frames.segment(between, 7001 if hidden & 0x10 else 0, hidden))
    wanted = {(flow, 7)}
    assert suricata.alerts(text, frames, tmp_path / "suricata") == wanted
    assert {(flow, hit.sid) for flow, hit in streams.inspect(tables, segments).found} == wanted


def of_protocol(flow: Flow, protocol: int, content: bytes) -> bytes:
    """A frame with an IP packet of any protocol."""
    ping = rule_frames.datagram(flow, Packet(keywords.ICMP, 0, 0, content[8:]))
    return ping[:23] + bytes([protocol]) + ping[24:34] + content[:8] + ping[42:]


def agree(
    lines: Sequence[str], packets: Sequence[tuple[Flow, Packet, bytes]], folder: Path
) -> set[tuple[str, int]]:
    """Checks that exact rules have the same hits, and prefilters all of Suricata's alerts; returns
    the source addresses and sids of these. `packets`: each also as a frame.
    """
    text = "".join(f"{line} sid:{sid};)\n" for sid, line in enumerate(lines, 1))
    file = folder / "my.rules"
    file.write_text(text)
    done = compiling.compile_rules(compiling.read([file], {}))
    exact = {v.rule.sid for v in done.verdicts if v.kind == compiling.EXACT}
    known = {v.rule.sid for v in done.verdicts if v.kind != compiling.NOT_COMPILED}
    frames = [frame for _, _, frame in packets]
    found = suricata.alerts(text, frames, folder / "suricata")
    alerts = {(flow.source, sid) for flow, sid in found}
    hits = {
        (flow.source, hit.sid)
        for flow, packet, _ in packets
        for hit in lookup.hits(done.tables, packet)
    }
    assert {each for each in alerts if each[1] in exact} == {h for h in hits if h[1] in exact}
    assert {each for each in alerts if each[1] in known} <= hits
    return alerts


def test_other_protocols(tmp_path: Path) -> None:
    """ICMP timestamps, SCTP and ESP have headers that the matcher takes for payload."""
    suricata.program()
    content = 'content:"evil stuff";'
    heads = [
        *("icmp any any -> any any", "icmp any any -> any 80", "ip any any -> any any"),
        *("ip any any -> any 80", "ip any any -> any !80", "udp any any -> any 80"),
    ]
    places = ["", " depth:10;", " offset:4; depth:10;", " dsize:10;", " dsize:<20;", " dsize:>20;"]
    lines = [f"alert {head} ({content}{place}" for head in heads for place in places]
    evil = b"evil stuff"
    udp = b"\0\5\0\x50\0\x12\0\0"
    packets = []
    for number, (protocol, kind, header, extra) in enumerate(
        [
            (1, keywords.ICMP, b"\x08" + bytes(7), b""),
            (1, keywords.ICMP, b"\x08" + bytes(7), b"\0" * 4),
            (1, keywords.ICMP, b"\x0d" + bytes(7), b"\0" * 12),
            (1, keywords.ICMP, b"\x0e" + bytes(7), b"\0" * 16),
            (1, keywords.ICMP, b"\x0d" + bytes(7), b""),
            (17, keywords.UDP, udp, b""),
            (132, keywords.OTHER, b"", b"\0\5\0\x50" + bytes(8)),
            (132, keywords.OTHER, b"", b"\0\5\0\x51" + bytes(12)),
            (50, keywords.OTHER, b"", bytes(8)),
            (200, keywords.OTHER, b"", b""),
        ]
    ):
        flow = Flow(f"10.9.0.{number}", "10.2.0.1", 0, 0)
        ports = (5, 80) if kind == keywords.UDP else (0, 0)
        payload = extra + evil + (bytes(10) if protocol == 1 and header[0] == 13 else b"")
        packet = Packet(kind, *ports, payload)
        packets.append((flow, packet, of_protocol(flow, protocol, header + payload)))
    alerts = agree(lines, packets, tmp_path)
    assert {source for source, _ in alerts} >= {f"10.9.0.{number}" for number in (0, 2, 3, 5, 6)}
    assert len(alerts) > 30


def test_distances_to_before_the_payload(tmp_path: Path) -> None:
    suricata.program()
    lines = [
        f'alert udp any any -> any any (content:"stuff";{place} content:"evil"; '
        f"distance:{distance};{within}"
        for place in ("", " offset:5;", " offset:5; depth:6;")
        for distance in (-5, -9, -10, -11, -20)
        for within in ("", " within:4;", " within:6;")
    ]
    lines += [
        'alert udp any any -> any any (content:"evil"; distance:-20; within:4; content:"stuff";'
    ]
    packets = []
    for number, payload in enumerate(
        [
            *(b"evil stuff", b"evil stuff zzzz", b"zevil stuff", b"stuff evil", b"stuffevil"),
            *(b"evilstuff", b"stuff zzzzzzzzzzzzzzzzzzz evil", b"evil zzzzzzz   stuff"),
            b"zzzzzzzzzzzzzzzzzzz stuff zzz evil",
        ]
    ):
        flow = Flow(f"10.9.1.{number}", "10.2.0.1", 5, 80)
        packet = Packet(keywords.UDP, 5, 80, payload)
        packets.append((flow, packet, rule_frames.datagram(flow, packet)))
    assert len(agree(lines, packets, tmp_path)) > 40


def test_published_rules_are_read() -> None:
    """Rules shipped with Suricata: all are read, but they do not concern contents."""
    suricata.program()
    files = sorted(Path("/etc/suricata/rules").glob("*.rules"))
    if not files:
        pytest.skip("there are no rules in /etc/suricata/rules")
    rules = compiling.read(files, {})
    assert len(rules) > 300
    with pytest.raises(UserError, match="none of the rules can be compiled"):
        compiling.compile_rules([rule for rule in rules if not rule.contents])
