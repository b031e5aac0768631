# SPDX-License-Identifier: Apache-2.0
"""Tables of rules say of packets what the rules say: exactly, or at least as much."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from string import ascii_uppercase

import pytest

from bombus.applications.intrusion_detection import (
    compiling,
    fragments,
    hashing,
    lookup,
    model,
    sample,
    tables,
)
from bombus.applications.intrusion_detection.compiling import Compiled
from bombus.applications.intrusion_detection.fragments import Rarity
from bombus.base.errors import UserError
from tests.applications.intrusion_detection import rule_sets


@pytest.mark.parametrize("seed", range(6))
def test_random_packets(seed: int, tmp_path: Path) -> None:
    """Hits of exact rules are those of the model, and none of a prefilter's is missed."""
    random = Random(seed)
    rules = rule_sets.rules(random, 150, tmp_path)
    compiled = compiling.compile_rules(rules)
    exact = [v.rule for v in compiled.verdicts if v.kind == compiling.EXACT]
    others = [v.rule for v in compiled.verdicts if v.kind == compiling.PREFILTER]
    assert len(exact) > 50 and len(others) > 50
    matched = 0
    for _ in range(1200):
        packet = rule_sets.packet(random, rules)
        hits = lookup.hits(compiled.tables, packet)
        wanted = model.found(exact, packet)
        assert {hit.sid for hit in hits if hit.is_exact} == wanted
        assert {hit.sid for hit in hits if not hit.is_exact} >= model.found(others, packet)
        matched += len(wanted)
    assert matched > 40


def test_any_place(tmp_path: Path) -> None:
    file = tmp_path / "my.rules"
    file.write_text('alert ip any any -> any any (content:"Evil[Stuff]Here"; sid:1;)')
    found = compiling.compile_rules(compiling.read([file], {})).tables
    for size in range(15, 40):
        for place in range(size - 14):
            payload = (b"." * place + b"Evil[Stuff]Here").ljust(size, b".")
            packet = model.Packet(8, 0, 0, payload)
            assert [hit.sid for hit in lookup.hits(found, packet)] == [1]
            for wrong in (payload.swapcase(), payload.replace(b"[", b"{")):
                assert not lookup.hits(found, model.Packet(8, 0, 0, wrong))


def test_full_fragments_move(tmp_path: Path) -> None:
    """All but as many fragments as there is room for: each has one of its two places."""
    random = Random(1)
    file = tmp_path / "my.rules"
    words = {random.randbytes(8).hex() for _ in range(240)}
    lines = [
        f'alert ip any any -> any any (content:"|{word}|"; sid:{n};)'
        for n, word in enumerate(sorted(words), 1)
    ]
    file.write_text("\n".join(lines))
    found = compiling.compile_rules(compiling.read([file], {})).tables
    assert found.rows == 256
    for n, word in enumerate(sorted(words), 1):
        packet = model.Packet(1, 1, 2, bytes.fromhex(word))
        assert [hit.sid for hit in lookup.hits(found, packet)] == [n]


def test_words_to_write(tmp_path: Path) -> None:
    """They leave no word behind that the matcher would read."""
    rules = rule_sets.rules(Random(3), 60, tmp_path)
    found = compiling.compile_rules(rules).tables
    written = dict(tables.words_to_write(found))
    needed = {n for n, word in enumerate(found.words) if word}
    assert needed <= set(written)
    assert all(found.words[place] == word for place, word in written.items())
    assert len(written) < len(found.words) / 2


def test_hashes_of_four_letters_differ() -> None:
    letters = [bytes([97 + n % 26, 97 + n // 26 % 26, 98, 99]) for n in range(676)]
    assert len({hashing.first(key) for key in letters}) == len(letters)
    assert hashing.fold(b"aZ@[`{\xc1 09") == b"az`{`{\xe1 09"


def test_common_bytes_are_not_rare() -> None:
    rarity = Rarity([], b"the quick brown fox " * 100)
    assert rarity.of(b"the quic") < rarity.of(b"\x8f\x91Q~^\x07\x02\x80")
    assert rarity.of(b"\0" * 8) < rarity.of(bytes(range(128, 136)))


def compiled_text(folder: Path, *contents: str, traffic: bytes = b"") -> Compiled:
    file = folder / "my.rules"
    lines = [
        f"alert udp any any -> any any ({content}; sid:{n};)"
        for n, content in enumerate(contents, 1)
    ]
    file.write_text("\n".join(lines))
    return compiling.compile_rules(compiling.read([file], {}), traffic)


def test_fragments_of_equal_bytes_fit(tmp_path: Path) -> None:
    """Of each byte, eight and four; also in tables that are not much larger."""
    few = [f'content:"|{"00" * 4}|"', f'content:"|{"FF" * 4}|"', f'content:"|{"00" * 8}|"']
    assert compiled_text(tmp_path, *few).tables.rows == 256
    contents = [
        f'content:"|{bytes([byte] * size).hex()}|"'
        for byte in {hashing.fold(bytes([n]))[0] for n in range(256)}
        for size in (4, 8)
    ]
    done = compiled_text(tmp_path, *contents)
    assert not done.tables.left_out and done.tables.rows <= 4096
    for key in done.tables.fragments:
        packet = model.Packet(2, 1, 2, b"." + key + b"/")
        wanted = {
            sid for sid in range(1, len(contents) + 1) if fragment(done, sid) in packet.payload
        }
        assert {hit.sid for hit in lookup.hits(done.tables, packet)} == wanted


def fragment(done: Compiled, sid: int) -> bytes:
    (pattern,) = (v.rule.contents[0].pattern for v in done.verdicts if v.rule.sid == sid)
    return pattern


def test_repeated_bytes_are_avoided(tmp_path: Path) -> None:
    """Where another fragment exists, be it shorter; otherwise there is a warning."""
    zeros, quiet = "|00 00 00 00 00 00 00 00|", 'content:"evil stuff"'
    done = compiled_text(
        tmp_path,
        f'content:"{zeros}"; content:"tion"',
        f'content:"{zeros}e{zeros}"',
        f'content:"{"AB" * 10}C"',
        f'content:"{zeros}"',
        f'content:"{"AB" * 10}"; offset:70',
        f'content:"{zeros}"; depth:20',
        quiet,
    )
    keys = [verdict.entry.anchor.key for verdict in done.verdicts if verdict.entry]
    assert keys[0] == b"tion" and b"e" in keys[1] and b"c" in keys[2]
    slow = [verdict.rule.sid for verdict in done.verdicts if verdict.is_slow]
    assert slow == [4, 5]
    lines = done.slow()
    assert len(lines) == 2
    assert "my.rules:4: warning: sid 4: its rarest fragment, 00 00 00 00 00 00 00 00," in "".join(
        lines
    )


def test_load_of_fragments_in_traffic(tmp_path: Path) -> None:
    traffic = b"GET /index.html HTTP/1.1\r\nHost: example.com\r\n\r\n" * 20
    contents = ('content:"HTTP/1.1"', 'content:"evil stuff"')
    done = compiled_text(tmp_path, *contents, traffic=traffic)
    assert [verdict.is_slow for verdict in done.verdicts] == [True, False]
    assert not any(verdict.is_slow for verdict in compiled_text(tmp_path, *contents).verdicts)
    assert done.verdicts[0].load == pytest.approx(1000 * 20 / len(traffic))
    (rule, _) = compiling.manifest(done)["rules"]
    assert rule["fragment_load"] == pytest.approx(done.verdicts[0].load, abs=1e-6)


def random_words(count: int, options: str = "") -> str:
    """Rules with two steps each."""
    random = Random(1)
    words = ["".join(random.choices(ascii_uppercase, k=12)) for _ in range(count)]
    return "\n".join(
        f'alert tcp any any -> any any (content:"{word}"; {options}sid:{n};)'
        for n, word in enumerate(words, 1)
    )


def test_tables_that_are_too_small(tmp_path: Path) -> None:
    """Exact rules come first, then prefilters, with fewer steps if needed."""
    file = tmp_path / "my.rules"
    file.write_text(random_words(300))
    rules = compiling.read([file], {})
    small = compiling.compile_rules(rules, rows=256)
    assert small.count(compiling.EXACT) == 128 == len(small.tables.fragments)
    reasons = {each.reason for each in small.verdicts if each.kind == compiling.NOT_COMPILED}
    assert reasons == {"no room in 256 rows"}
    assert compiling.compile_rules(rules).tables.rows == 1024
    for count, most in ((128, fragments.MAX_STEPS), (129, 1)):
        file.write_text(random_words(count, 'pcre:"/x/"; '))
        done = compiling.compile_rules(compiling.read([file], {}), rows=256)
        assert not done.count(compiling.NOT_COMPILED)
        assert done.tables.prefilter_steps == most


def test_exact_rules_come_first(tmp_path: Path) -> None:
    file = tmp_path / "my.rules"
    head = "alert udp any any -> any any"
    lines = [
        f'{head} (content:"|{n:04x} 8899aabbccdd|"; pcre:"/x/"; sid:{n};)' for n in range(1, 300)
    ]
    lines += [f'{head} (content:"exact{n:03}"; sid:{n};)' for n in range(300, 400)]
    file.write_text("\n".join(lines))
    done = compiling.compile_rules(compiling.read([file], {}), rows=256)
    assert done.count(compiling.EXACT) == 100 and done.count(compiling.PREFILTER) > 120
    assert done.tables.used_rules == done.count(compiling.EXACT) + done.count(compiling.PREFILTER)
    assert {each.sid for each in done.tables.left_out} == {
        each.rule.sid for each in done.verdicts if each.kind == compiling.NOT_COMPILED
    }


def test_no_rule_can_be_compiled(tmp_path: Path) -> None:
    file = tmp_path / "my.rules"
    file.write_text("alert tcp any any -> any any (sid:1;)\n")
    with pytest.raises(
        UserError,
        match=r"none of the rules can be compiled\n.*my.rules:1: sid 1 is not compiled: no content",
    ):
        compiling.compile_rules(compiling.read([file], {}))


def test_a_published_set_fits() -> None:
    """All rules that can be compiled, of which a fifth are exact; port lists take no rows."""
    _, done = rule_sets.published()
    found = done.tables
    assert {v.reason for v in done.verdicts if v.kind == compiling.NOT_COMPILED} <= {
        "no content of 4 bytes or more"
    }
    assert done.count(compiling.EXACT) > 3900 and done.count(compiling.PREFILTER) > 15_000
    assert found.used_rules > 19_000 and found.used_ports < 20
    assert found.prefilter_steps < fragments.MAX_STEPS  # to save rows


def test_packets_of_a_published_set() -> None:
    rules, done = rule_sets.published()
    random = Random(3)
    kinds = {v.rule.sid: v.kind for v in done.verdicts if v.kind != compiling.NOT_COMPILED}
    assert sorted(tables.sids(done.tables).values()) == sorted(kinds)
    matched: Counter[str] = Counter()
    exact = [rule for rule in rules if kinds.get(rule.sid) == compiling.EXACT]
    for rule in (*random.sample(exact, 60), *random.sample(rules, 60)):
        packet = rule_sets.packet(random, [rule])
        (_, targets), *_ = rule.directions
        payload = packet.payload + sample.payload(random, 200)
        packet = replace(packet, target_port=random.choice(targets)[0], payload=payload)
        hits = lookup.hits(done.tables, packet)
        truth = {kind: set[int]() for kind in (compiling.EXACT, compiling.PREFILTER)}
        text = packet.payload.lower()
        for each in rules:
            # The model leaves contents of buffers out.
            if model.is_found(each, packet) and all(
                part.pattern.lower() in text for part in each.contents
            ):
                truth[kinds[each.sid]].add(each.sid)
        assert {hit.sid for hit in hits if hit.is_exact} == truth[compiling.EXACT]
        assert {hit.sid for hit in hits if not hit.is_exact} >= truth[compiling.PREFILTER]
        matched.update({kind: len(sids) for kind, sids in truth.items()})
    assert matched[compiling.EXACT] > 30 and matched[compiling.PREFILTER] > 5
