# SPDX-License-Identifier: Apache-2.0
"""The fragment by which the matcher finds a rule, and the comparisons around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log2, prod

from bombus.applications.intrusion_detection import content, keywords
from bombus.applications.intrusion_detection.content import Content
from bombus.applications.intrusion_detection.hashing import LONG, SHORT, fold
from bombus.applications.intrusion_detection.rule import LAST_BYTE, Rule

MAX_STEPS = 15
STEP_BYTES = 8
# Bytes of a TCP stream before a segment that the matcher examines with it.
JOINT_BYTES = 32
_END = 1 << 30  # no upper bound
# Bits of rarity that a fragment loses each time the number of its occurrences doubles: where it
# occurs, the matcher checks all its rules.
_KNOWN_WEIGHT = 4
# Bits that a fragment of one or two repeated bytes loses: in a run of these it is everywhere.
_REPEATED_WEIGHT = 32


@dataclass(frozen=True)
class Piece:
    """Bytes at a position relative to the other pieces of its group."""

    at: int
    pattern: bytes
    nocase: bool

    @property
    def end(self) -> int:
        return self.at + len(self.pattern)


@dataclass(frozen=True)
class Group:
    """Pieces at fixed distances, and where the first one may begin in the payload."""

    pieces: tuple[Piece, ...]
    low: int
    high: int
    is_raw: bool = True  # of the payload, not of a buffer
    is_free: bool = False  # no position in the payload is given, nor for earlier groups


@dataclass(frozen=True)
class Anchor:
    """`key`: folded bytes, eight or four; `low`, `high`: where they may begin in the payload.

    Positions of the pieces are relative to these.
    """

    key: bytes
    low: int
    high: int
    pieces: tuple[Piece, ...]
    is_free: bool = False  # no position in the payload is given

    @property
    def tail(self) -> int:
        """Bytes from the beginning of the fragment to the end of all pieces."""
        return max(piece.end for piece in self.pieces)

    @property
    def head(self) -> int:
        """Bytes from the beginning of all pieces to the beginning of the fragment."""
        return max(0, *(-piece.at for piece in self.pieces))

    @property
    def crosses(self) -> bool:
        """Whether it is found in a stream for any segmentation."""
        return self.head + self.tail <= JOINT_BYTES + 1

    def in_streams(self) -> Anchor:
        """The bytes before the pieces may be in other segments."""
        return replace(self, low=self.head, high=LAST_BYTE)

    def trimmed(self) -> Anchor:
        """The part around the fragment that is found for any segmentation."""
        room = JOINT_BYTES + 1
        head = min(self.head, (room - len(self.key)) // 2)
        tail = min(self.tail, room - head)
        head = min(self.head, room - tail)
        pieces = []
        for piece in self.pieces:
            first, end = max(piece.at, -head), min(piece.end, tail)
            if first < end:
                pattern = piece.pattern[first - piece.at : end - piece.at]
                pieces.append(replace(piece, at=first, pattern=pattern))
        kept = replace(self, pieces=tuple(pieces))
        return replace(kept, low=kept.head)

    def steps(self, most: int = MAX_STEPS) -> list[Piece]:
        """What is compared around the fragment: up to `most` steps, those closest to it first."""
        return self._all_steps()[:most]

    @property
    def is_compared(self) -> bool:
        """Whether the steps cover all pieces."""
        return len(self._all_steps()) <= MAX_STEPS

    def _all_steps(self) -> list[Piece]:
        steps = []
        for piece in self.pieces:
            n = 0
            while n < len(piece.pattern):
                if self._is_settled(piece, n):
                    n += 1
                    continue
                pattern = piece.pattern[n : n + STEP_BYTES]
                steps.append(replace(piece, at=piece.at + n, pattern=pattern))
                n += STEP_BYTES
        return sorted(steps, key=lambda step: (abs(step.at), step.at))

    def _is_settled(self, piece: Piece, n: int) -> bool:
        """Whether byte `n` of a piece is right wherever the fragment is found."""
        place = piece.at + n
        if not 0 <= place < len(self.key):
            return False
        found = self.key[place]
        # Bytes that fold to the same one.
        possible = {found, found ^ 0x20} if found & 0x40 else {found}
        byte = piece.pattern[n : n + 1]
        wanted = {*byte.lower(), *byte.upper()} if piece.nocase else {*byte}
        return possible <= wanted


class Rarity:
    """How rare bytes and fragments are, by their frequency in rules and in traffic."""

    def __init__(self, rules: Iterable[Rule], traffic: bytes = b"") -> None:
        self._counts: Counter[int] = Counter(range(256))
        folded = fold(traffic)
        patterns = [fold(each.pattern) for rule in rules for each in rule.contents]
        for text in (folded, *patterns):
            self._counts.update(text)
        self._total = self._counts.total()
        self._keys = Counter(key for pattern in patterns for key in _windows(pattern))
        self._seen = Counter(key for key in _windows(folded) if key in self._keys)
        self._sample_bytes = len(traffic)
        self._keys.update(self._seen)

    def of(self, key: bytes) -> float:
        """A score, higher for rarer keys; repeated bytes count less, and so do keys that occur
        several times.
        """
        counts = Counter(key)
        bits = sum(
            log2(self._total / self._counts[byte]) * (1 + (count - 1) / 4)
            for byte, count in counts.items()
        )
        bits -= _KNOWN_WEIGHT * log2(max(1, self._keys[key]))
        return bits - _REPEATED_WEIGHT * (_unit(key) != key)

    def load(self, key: bytes) -> float:
        """Estimate of how often a key occurs in 1,000 bytes of payload: by the frequency of its
        bytes, of which repeated ones come in runs, or as often as in the traffic.
        """
        expected = prod(self._counts[byte] / self._total for byte in _unit(key))
        seen = self._seen[key] / self._sample_bytes if self._sample_bytes else 0
        return 1000 * max(expected, seen)


def _unit(key: bytes) -> bytes:
    """The one or two bytes that a key repeats, or the key."""
    return next((key[:n] for n in (1, 2) if key == key[:n] * (len(key) // n)), key)


def _windows(text: bytes) -> Iterator[bytes]:
    for size in (LONG, SHORT):
        for n in range(len(text) - size + 1):
            yield text[n : n + size]


def _is_usable(each: Content) -> bool:
    known = (content.PAYLOAD, *keywords.VERBATIM, *keywords.NORMALISED)
    return not (each.negated or each.transformed) and each.buffer in known


def groups(rule: Rule) -> list[Group]:
    """Groups of all contents that a packet must have. Contents after an unknown position may be
    anywhere.
    """
    found: list[Group] = []
    at_group: int | None = None  # of the previous content, in the payload
    for each in rule.contents:
        if not _is_usable(each):
            continue
        if each.buffer != content.PAYLOAD:
            found += [
                Group((piece,), 0, _END, is_raw=False, is_free=True) for piece in _parts(each)
            ]
            continue
        size = len(each.pattern)
        piece = Piece(0, each.pattern, each.nocase)
        is_known = not (each.after_unknown or each.anywhere)
        if not each.is_relative:
            low = each.offset or 0
            high = low + each.depth - size if each.depth is not None else _END
            if not is_known:
                low, high = 0, _END
            is_free = (low, high) == (0, _END)
            found.append(Group((piece,), low, high, is_free=is_free))
        elif not is_known or each.offset is not None or each.depth is not None:
            found.append(Group((piece,), 0, _END, is_free=True))
        else:
            slack = _END if each.within is None else each.within - size
            last = found[at_group] if at_group is not None else None
            at = (last.pieces[-1].end if last else 0) + (each.distance or 0)
            low, high = (last.low, last.high) if last else (0, 0)
            if low + at < 0:
                # Suricata then searches from the payload's start, perhaps to its end.
                found.append(Group((piece,), 0, _END, is_free=True))
            elif last is not None and at_group is not None and slack == 0:
                found[at_group] = replace(last, pieces=(*last.pieces, replace(piece, at=at)))
                continue
            else:
                high = min(_END, high + at + slack)
                is_free = last is not None and last.is_free
                found.append(Group((piece,), low + at, high, is_free=is_free))
        at_group = len(found) - 1
    return found


def _parts(each: Content) -> list[Piece]:
    """The pieces of a buffer's content. In packets, DNS names have no dots, and other names no
    leading dot.
    """
    parts = [each.pattern]
    if each.buffer == "dns.query":
        parts = each.pattern.split(b".")
    elif each.pattern.startswith(b"."):
        parts = [each.pattern[1:]]
    return [Piece(0, part, nocase=True) for part in parts if part]


def reason(rule: Rule) -> str:
    """Why the group around one fragment does not cover all contents of the rule; empty if it
    does.
    """
    found = groups(rule)
    if len(found) < 2:
        return ""
    return "several contents at distances that are not fixed"


def anchor(rule: Rule, rarity: Rarity) -> Anchor | None:
    """The rarest fragment of eight bytes, or of four if that is rarer or the only one, or None if
    there is none.
    """
    found = groups(rule)
    raw = [each for each in found if each.is_raw]
    long, short = (
        _rarest(raw, size, rarity) or _rarest(found, size, rarity) for size in (LONG, SHORT)
    )
    if long and short and rarity.of(short.key) > rarity.of(long.key):
        return short
    return long or short


def _rarest(found: Sequence[Group], size: int, rarity: Rarity) -> Anchor | None:
    best, best_score = None, -inf
    for group in found:
        for piece in group.pieces:
            for n in range(len(piece.pattern) - size + 1):
                key = fold(piece.pattern[n : n + size])
                score = rarity.of(key)
                if score > best_score:
                    best, best_score = _at(group, piece.at + n, key), score
    return best


def _at(group: Group, place: int, key: bytes) -> Anchor:
    pieces = tuple(replace(piece, at=piece.at - place) for piece in group.pieces)
    low = max(group.low + place, *(-piece.at for piece in pieces))
    return Anchor(key, low, min(LAST_BYTE, group.high + place), pieces, group.is_free)
