# SPDX-License-Identifier: Apache-2.0
"""Tables of rules say of packets what the rules say: exactly, or at least as much."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from support import rule_sets

from bombus.rules import compiling, hashing, lookup, model, tables
from bombus.rules.fragments import Rarity


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
