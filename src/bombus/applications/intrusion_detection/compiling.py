# SPDX-License-Identifier: Apache-2.0
"""Compile rule files into tables and a manifest that explains the class of each rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from bombus.applications.intrusion_detection import (
    fragments,
    hashing,
    keywords,
    ports,
    syntax,
    tables,
)
from bombus.applications.intrusion_detection import rule as rules
from bombus.applications.intrusion_detection.fragments import Rarity
from bombus.applications.intrusion_detection.rule import LAST_BYTE, Rule
from bombus.applications.intrusion_detection.tables import Entry, Tables
from bombus.base import output
from bombus.base.errors import UserError
from bombus.base.text import counted, listing, nearest

EXACT, PREFILTER, NOT_COMPILED = "exact", "prefilter", "not_compiled"
TABLES_FILE, MANIFEST_FILE = "tables.bin", "manifest.json"
MOST_PROBLEMS = 100  # reported at a time
MOST_LOAD = 1.0  # of a fragment in 1,000 bytes of payload, without a warning
_SHORT_RANGE = 64  # positions of a fragment, to which no load is ascribed


@dataclass(frozen=True)
class Verdict:
    """The result for a rule. `reason`: why it is not exact."""

    rule: Rule
    kind: str
    reason: str
    entry: Entry | None = None
    load: float = 0.0  # estimate of how often its fragment occurs in 1,000 bytes of payload

    @property
    def is_slow(self) -> bool:
        """Its fragment is common: some payloads make the matcher check it often."""
        return self.load > MOST_LOAD

    @property
    def may_be_hidden(self) -> bool:
        """Packets may encode its fragment differently, so that it is not found."""
        buffers = {each.buffer for each in self.rule.contents if not each.negated}
        return self.kind == PREFILTER and bool(buffers & keywords.NORMALISED)


@dataclass(frozen=True)
class Compiled:
    verdicts: Sequence[Verdict]
    tables: Tables

    def count(self, kind: str) -> int:
        return sum(each.kind == kind for each in self.verdicts)

    def slow(self) -> list[str]:
        """A line for each rule that takes the matcher long, of MOST_PROBLEMS, most load first."""
        found = sorted((each for each in self.verdicts if each.is_slow), key=lambda v: -v.load)
        lines = [
            f"{each.rule.statement.place}: warning: sid {each.rule.sid}: its rarest fragment, "
            f"{each.entry.anchor.key.hex(' ')}, is common: about {each.load:.3g} in 1,000 bytes; "
            "packets with much of it may be left unchecked"
            for each in found[:MOST_PROBLEMS]
            if each.entry
        ]
        if len(found) > MOST_PROBLEMS:
            lines.append(f"warning: and {counted(len(found) - MOST_PROBLEMS, 'rule')} more")
        return lines

    def unknown(self) -> list[str]:
        """A line for each unknown keyword, which may be misspelt, with its first place."""
        found: dict[str, list[str]] = {}
        for verdict in self.verdicts:
            for name in verdict.rule.unknown:
                found.setdefault(name, []).append(verdict.rule.statement.place)
        return [
            f"{places[0]}: warning: unknown keyword {name} (in {counted(len(places), 'rule')}); "
            "the host must check it"
            for name, places in found.items()
        ]


def _ignore(_: str) -> None:
    pass


def read(
    files: Iterable[Path], variables: Mapping[str, str], warn: Callable[[str], None] = _ignore
) -> list[Rule]:
    """The enabled rules; UserError for invalid rules, at most MOST_PROBLEMS of them. Of those with
    the same gid and sid, the one with the highest rev counts, and of these the first.
    """
    found: dict[tuple[int, int], Rule] = {}
    problems: list[str] = []
    known = {**ports.VARIABLES, **variables}
    for statement in syntax.read(files):
        if len(problems) == MOST_PROBLEMS:
            problems.append("what follows has not been read: there are too many problems")
            break
        if isinstance(statement, str):
            problems.append(statement)
            continue
        try:
            rule = rules.of(statement, known)
        except syntax.RuleSyntaxError as error:
            problems.append(f"{statement.place}: {error}")
            continue
        key = rule.gid, rule.sid
        other = found.get(key)
        if other is None or rule.rev > other.rev:
            found.pop(key, None)
            found[key] = rule
        if other is not None:
            warn(
                f"{statement.place}: warning: sid {rule.sid} is also at {other.statement.place}; "
                f"the one at {found[key].statement.place} counts"
            )
    if problems:
        raise UserError("\n".join(problems))
    return list(found.values())


def unused_variables(rules: Iterable[Rule], variables: Mapping[str, str]) -> list[str]:
    """A warning for each given variable that no rule uses, be it in the value of another."""
    known = {**ports.VARIABLES, **variables}
    used: set[str] = set()
    reached = {name for rule in rules for name in rule.statement.variables}
    while reached - used:
        used |= reached
        reached = {name for each in used for name in syntax.variables_of(known.get(each, ""))}

    def hint(close: Sequence[str]) -> str:
        return f"; did you mean {listing(close, 'or')}?" if close else ""

    return [
        f"warning: --var {name}: no rule uses this variable{hint(nearest(name, used))}"
        for name in variables
        if name not in used
    ]


def _judge(rule: Rule, rarity: Rarity) -> Verdict:
    if rule.obstacle:
        return Verdict(rule, NOT_COMPILED, rule.obstacle)
    if not rule.contents:
        return Verdict(rule, NOT_COMPILED, "no content")
    anchor = fragments.anchor(rule, rarity)
    if anchor is None:
        return Verdict(rule, NOT_COMPILED, _no_fragment(rule))
    if anchor.low > min(LAST_BYTE, anchor.high):
        return Verdict(rule, NOT_COMPILED, "no place where its contents could stand")
    reasons = [*rule.reasons]
    several = fragments.reason(rule)
    if several:
        reasons.append(several)
    if not anchor.is_compared:
        reasons.append(f"more than {fragments.MAX_STEPS} steps")
    size = rule.size
    if rule.has_other_headers:  # the payload may begin later than the matcher takes it to begin
        anchor = replace(anchor, high=LAST_BYTE)
        size = (size[0], LAST_BYTE)
    if rule.in_streams:
        if not anchor.is_free:
            reasons.append("places in TCP streams")
        anchor = anchor.in_streams()
        if not anchor.crosses:
            reasons.append(
                f"contents of more than {fragments.JOINT_BYTES + 1} bytes in TCP streams"
            )
            anchor = anchor.trimmed()
    directions = rule.directions
    if sum(len(source) * len(target) for source, target in directions) > tables.MAX_PAIRS:
        directions = tuple((_hull(source), _hull(target)) for source, target in directions)
        reasons.append(f"more than {tables.MAX_PAIRS} pairs of port ranges")
    pairs = tuple(pair for direction in directions for pair in product(*direction))
    if not pairs:
        return Verdict(rule, NOT_COMPILED, "no port")
    entry = Entry(
        *(rule.sid, not reasons, rule.protocols, pairs, size, anchor),
        in_streams=rule.in_streams,
    )
    load = rarity.load(anchor.key) if anchor.high - anchor.low >= _SHORT_RANGE else 0.0
    return Verdict(rule, PREFILTER if reasons else EXACT, ", ".join(reasons), entry, load)


def not_compiled(verdict: Verdict) -> str:
    """A line with the place of the rule and the reason."""
    rule = verdict.rule
    return f"{rule.statement.place}: sid {rule.sid} is not compiled: {verdict.reason}"


def _left_out(verdict: Verdict) -> Verdict:
    return Verdict(verdict.rule, NOT_COMPILED, f"it would be a prefilter: {verdict.reason}")


def _hull(ranges: Sequence[ports.Range]) -> tuple[ports.Range, ...]:
    """One range that covers all: a compare that is too wide, for rules with too many ranges."""
    return ((ranges[0][0], ranges[-1][1]),) if ranges else ()


def _no_fragment(rule: Rule) -> str:
    if all(each.negated for each in rule.contents):
        return "no content that must be there"
    usable = fragments.groups(rule)
    if not usable:
        buffers = sorted({each.buffer for each in rule.contents if each.buffer})
        return f"contents only in {', '.join(buffers) or 'what is not in the packet'}"
    return f"no content of {hashing.SHORT} bytes or more"


def compile_rules(
    rules: Sequence[Rule], traffic: bytes = b"", rows: int | None = None, exact_only: bool = False
) -> Compiled:
    """`exact_only`: without prefilters. Rules without room in the tables are not compiled: first
    come exact ones, then prefilters, those with the rarest fragments first. UserError if no rule
    can be compiled.
    """
    rarity = Rarity(rules, traffic)
    verdicts = [_judge(rule, rarity) for rule in rules]
    if exact_only:
        verdicts = [_left_out(each) if each.kind == PREFILTER else each for each in verdicts]
    entries = [each.entry for each in verdicts if each.entry]
    if not entries:
        lines = [*map(not_compiled, verdicts[:MOST_PROBLEMS])]
        if len(verdicts) > MOST_PROBLEMS:
            lines.append(f"and {counted(len(verdicts) - MOST_PROBLEMS, 'rule')} more")
        raise UserError("\n".join(["none of the rules can be compiled", *lines]))
    entries.sort(key=lambda entry: (not entry.is_exact, -rarity.of(entry.anchor.key)))
    found = tables.fit(entries, rows)
    left_out = {id(entry) for entry in found.left_out}
    no_room = f"no room in {found.rows} rows"
    verdicts = [
        Verdict(each.rule, NOT_COMPILED, no_room) if id(each.entry) in left_out else each
        for each in verdicts
    ]
    return Compiled(verdicts, found)


def manifest(compiled: Compiled) -> dict[str, Any]:
    found = compiled.tables
    long = sum(len(key) == hashing.LONG for key in found.fragments)
    reasons = Counter(each.reason for each in compiled.verdicts if each.kind == NOT_COMPILED)
    return {
        "rows": found.rows,
        "counts": {
            "rules": len(compiled.verdicts),
            **{kind: compiled.count(kind) for kind in (EXACT, PREFILTER, NOT_COMPILED)},
            "slow": sum(each.is_slow for each in compiled.verdicts),
            "prefilter_that_may_be_hidden": sum(each.may_be_hidden for each in compiled.verdicts),
            "entries": found.used_rules,
            "pairs_of_port_ranges": found.used_ports,
            "steps": found.used_steps,
            "most_steps_of_a_prefilter": found.prefilter_steps,
            "fragments_of_8_bytes": long,
            "fragments_of_4_bytes": len(found.fragments) - long,
            "bits_of_8_bytes": found.bits_set(tables.LONG_BITS),
            "bits_of_4_bytes": found.bits_set(tables.SHORT_BITS),
        },
        "not_compiled": dict(reasons.most_common()),
        "rules": [
            {
                "gid": each.rule.gid,
                "sid": each.rule.sid,
                "rev": each.rule.rev,
                "msg": each.rule.msg,
                "class": each.kind,
                "reason": each.reason,
                "may_be_hidden": each.may_be_hidden,
                "file": str(each.rule.statement.file),
                "line": each.rule.statement.line,
                "fragment": each.entry.anchor.key.hex() if each.entry else None,
                "fragment_load": round(each.load, 6),
            }
            for each in compiled.verdicts
        ],
    }


def write(compiled: Compiled, folder: Path) -> None:
    """Writes tables (little-endian) and manifest, each file atomically."""
    with output.writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    words = compiled.tables.words
    content = b"".join(word.to_bytes(4, "little") for word in words)
    output.replace(folder / TABLES_FILE, content)
    output.write_json(manifest(compiled), folder / MANIFEST_FILE)
