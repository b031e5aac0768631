# SPDX-License-Identifier: Apache-2.0
"""Rule files as published: the header and the options of each rule, with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bombus.base.errors import UserError

ACTIONS = (
    *("alert", "drop", "sdrop", "block", "log", "pass", "reject"),
    *("rejectsrc", "rejectdst", "rejectboth"),
)
DIRECTIONS = ("->", "<>")
VARIABLE = re.compile(r"\$(\w+)")


class RuleSyntaxError(Exception):
    """A syntax error in a rule; the caller adds file and line."""


@dataclass(frozen=True)
class Option:
    name: str
    value: str | None


@dataclass(frozen=True)
class Statement:
    """A rule as written. Text has one character per byte (latin-1)."""

    file: Path
    line: int
    action: str
    protocol: str
    source: str
    source_ports: str
    direction: str
    target: str
    target_ports: str
    options: tuple[Option, ...]

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def variables(self) -> set[str]:
        """Names of the variables in its header."""
        fields = (self.source, self.source_ports, self.target, self.target_ports)
        return variables_of(" ".join(fields))


def read(files: Iterable[Path]) -> Iterator[Statement | str]:
    """All enabled rules of the files, in order; for a bad one its file, line and the reason.

    Raises UserError if a file cannot be read, or is no text.
    """
    for file in files:
        try:
            text = file.read_bytes().decode("latin-1")
        except OSError as error:
            raise UserError(f"{file}: {error.strerror or error}") from None
        if "\0" in text:
            raise UserError(f"{file} is not a text file")
        for line, rule in _lines(text):
            try:
                yield _statement(file, line, rule)
            except RuleSyntaxError as error:
                yield f"{file}:{line}: {error}"


def variables_of(text: str) -> set[str]:
    return set(VARIABLE.findall(text))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Rules with the number of their first line; a backslash at the end continues a rule."""
    begun, first = "", 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not begun and (not line or line.startswith("#")):
            continue
        first = first if begun else number
        if line.endswith("\\"):
            begun += line[:-1] + " "
            continue
        yield first, begun + line
        begun = ""
    if begun.strip():
        yield first, begun


def _statement(file: Path, line: int, text: str) -> Statement:
    head, bracket, rest = text.partition("(")
    if not bracket:
        raise RuleSyntaxError("a rule has options in parentheses")
    if not rest.rstrip().endswith(")"):
        raise RuleSyntaxError("the parenthesis of the options is not closed")
    fields = _fields(head)
    if len(fields) == 2:  # Snort 3 leaves out what is any
        fields += ["any", "any", "->", "any", "any"]
    if len(fields) != 7:
        raise RuleSyntaxError(
            "a rule begins with action, protocol, address, port, direction, address, port"
        )
    action, protocol, source, source_ports, direction, target, target_ports = fields
    if action not in ACTIONS:
        raise RuleSyntaxError(f"{action!r} is not an action")
    if direction not in DIRECTIONS:
        raise RuleSyntaxError(f"{direction!r} is not a direction; use -> or <>")
    options = tuple(_options(rest.rstrip()[:-1]))
    return Statement(
        *(file, line, action, protocol.lower(), source, source_ports),
        *(direction, target, target_ports, options),
    )


def _fields(head: str) -> list[str]:
    """Words, which may have blanks inside brackets."""
    fields, depth = [""], 0
    for char in head.strip():
        depth += (char == "[") - (char == "]")
        if depth < 0:
            raise RuleSyntaxError("a bracket is closed that was not opened")
        if char.isspace():
            if depth == 0 and fields[-1]:
                fields.append("")
        else:
            fields[-1] += char
    if depth:
        raise RuleSyntaxError("a bracket is not closed")
    return fields


def split(text: str, separator: str) -> list[str]:
    """Parts of a text; separators in quotes or after a backslash are ignored.

    A quote counts only at the beginning or the end of a value: others are part of it, as in
    pcre:"/a"b/".
    """
    parts, quoted, escaped = [""], False, False
    for place, char in enumerate(text):
        if char == separator and not quoted and not escaped:
            parts.append("")
            continue
        if char == '"' and not escaped:
            if quoted:
                quoted = text[place + 1 :].lstrip()[:1] not in ("", separator, ",")
            else:
                quoted = parts[-1].rstrip()[-1:] in ("", ":", ",", "!")
        escaped = char == "\\" and not escaped
        parts[-1] += char
    if quoted:
        raise RuleSyntaxError("a quotation is not closed")
    return parts


def _options(text: str) -> Iterator[Option]:
    *parts, rest = split(text, ";")
    if rest.strip():
        raise RuleSyntaxError(f"option {rest.strip()[:20]!r} does not end with ;")
    for part in parts:
        name, colon, value = part.strip().partition(":")
        if not name.strip():
            raise RuleSyntaxError("an option has no name")
        yield Option(name.strip(), value.strip() if colon else None)


def unquoted(text: str) -> str:
    """The text inside the quotes, or the whole text if there are none."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def number(text: str | None, lowest: int, highest: int) -> int:
    try:
        value = int(text or "", 16 if (text or "").lower().startswith("0x") else 10)
    except ValueError:
        raise RuleSyntaxError(f"{text!r} is not a number") from None
    if not lowest <= value <= highest:
        raise RuleSyntaxError(f"{value} is not from {lowest} to {highest}")
    return value
