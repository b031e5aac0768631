# SPDX-License-Identifier: Apache-2.0
"""Contents of a rule: byte patterns and their positions."""

from __future__ import annotations

from dataclasses import dataclass

from bombus.applications.intrusion_detection.syntax import RuleSyntaxError, split

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

    @property
    def is_relative(self) -> bool:
        return self.distance is not None or self.within is not None


def parse(value: str | None) -> tuple[Content, list[str]]:
    """The content of an option's value, and the modifiers after it (Snort 3)."""
    if value is None:
        raise RuleSyntaxError("content has no value")
    text, *modifiers = (part.strip() for part in split(value, ","))
    negated = text.startswith("!")
    quoted = text[1:].strip() if negated else text
    if len(quoted) < 2 or quoted[0] != '"' or quoted[-1] != '"':
        raise RuleSyntaxError(f"content {quoted[:20]!r} is not in quotes")
    pattern = _bytes(quoted[1:-1])
    if not pattern:
        raise RuleSyntaxError("content is empty")
    return Content(pattern, negated), modifiers


def _bytes(text: str) -> bytes:
    """Text with hexadecimal bytes between bars and characters behind backslashes."""
    found = bytearray()
    digits: str | None = None  # those between bars
    escaped = False
    for char in text:
        if digits is not None:
            if char != "|":
                digits += char
                continue
            try:
                found += bytes.fromhex("".join(digits.split()))
            except ValueError:
                raise RuleSyntaxError(f"|{digits}| is not valid hexadecimal") from None
            digits = None
        elif escaped:
            found += char.encode("latin-1")
            escaped = False
        elif char == "|":
            digits = ""
        elif char == "\\":
            escaped = True
        elif char == '"':
            raise RuleSyntaxError('a " in a content needs a backslash before it')
        else:
            found += char.encode("latin-1")
    if digits is not None:
        raise RuleSyntaxError("a | of hexadecimal bytes is not closed")
    if escaped:
        raise RuleSyntaxError("content ends with a backslash")
    return bytes(found)
