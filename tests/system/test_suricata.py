# SPDX-License-Identifier: Apache-2.0
"""Tables of rules and Suricata on the same traffic: the same flows match the same exact rules.

Of prefilters, no alert is missed. That the hardware does what the tables say is for
test_rule_matcher.py and test_ids_streams.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from support import rule_frames, rule_sets, rule_streams, suricata

from bombus.base.errors import UserError
from bombus.rules import compiling, keywords, lookup, streams
from bombus.rules.streams import Flow, Segment


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
    for number in range(150):
        flow = rule_streams.flow(random, number)
        parts = rule_streams.cut(random, rule_streams.stream(random, rules), 60)
        first = random.choice([random.getrandbits(31), (1 << 32) - 20])
        segments = rule_streams.disorder(random, flow, first, parts, reach=4)
        inspection = streams.inspect(done.tables, segments, room=1000)
        found |= {(flow, hit.sid) for flow, hit in inspection.found}
        frames += session(segments, sum(map(len, parts)))
    for number in range(1000, 1400):
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
