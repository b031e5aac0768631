# SPDX-License-Identifier: Apache-2.0
"""Contents of a rule: byte patterns and their positions."""

from __future__ import annotations

from dataclasses import dataclass, field

from bombus.applications.intrusion_detection.syntax import RuleSyntaxError, shown, split

_ESCAPED = '";:\\'  # after a backslash
PAYLOAD = ""  # no buffer: the packet's payload


@dataclass
class Content:
    """Positions as in the rule; None: not given."""

    pattern: bytes
    negated: bool = False
    nocase: bool = False
    offset: int | None = None
    depth: int | None = None
    distance: int | None = None
    within: int | None = None
    fast_pattern: bool = False
    buffer: str = PAYLOAD
    transformed: bool = False  # the buffer was transformed
    after_unknown: bool = False  # it is relative to something other than a content
    anywhere: bool = False  # a position depends on a variable
    modifiers: set[str] = field(default_factory=set)  # given so far

    @property
    def is_relative(self) -> bool:
        return self.distance is not None or self.within is not None


def parse(value: str | None) -> tuple[Content, list[str]]:
    """The content of an option's value, and the modifiers after it (Snort 3)."""
    if value is None:
        raise RuleSyntaxError("content has no value")
    text, *modifiers = (part.strip() for part in split(value, ",", in_quotes=False))
    negated = text.startswith("!")
    quoted = text[1:].strip() if negated else text
    if len(quoted) < 2 or quoted[0] != '"' or quoted[-1] != '"':
        raise RuleSyntaxError(f"content {shown(quoted)} is not in quotes")
    pattern = _bytes(quoted[1:-1])
    if not pattern:
        raise RuleSyntaxError("content is empty")
    return Content(pattern, negated), modifiers


def _bytes(text: str) -> bytes:
    """Text with hexadecimal bytes between bars and characters after backslashes."""
    found = bytearray()
    place = 0
    while place < len(text):
        char = text[place]
        if char == "|":
            end = text.find("|", place + 1)
            if end < 0:
                raise RuleSyntaxError("a | of hexadecimal bytes is not closed")
            found += _hexadecimal(text[place + 1 : end])
            place = end
        elif char == "\\":
            place += 1
            char = text[place : place + 1]
            if not char:
                raise RuleSyntaxError("content ends with a backslash")
            if char not in _ESCAPED:
                raise RuleSyntaxError(
                    f"a backslash in a content needs another one before it, or one of {_ESCAPED} "
                    "after it"
                )
            found += char.encode("latin-1")
        elif char == '"':
            raise RuleSyntaxError('a " in a content needs a backslash before it')
        else:
            found += char.encode("latin-1")
        place += 1
    return bytes(found)


def _hexadecimal(digits: str) -> bytes:
    try:
        if "\t" in digits:
            raise ValueError
        return bytes.fromhex(digits.replace(" ", ""))
    except ValueError:
        raise RuleSyntaxError(f"|{shown(digits)[1:-1]}| is not valid hexadecimal") from None
