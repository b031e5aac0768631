# SPDX-License-Identifier: Apache-2.0
"""Rule files as published: the header and the options of each rule, with file and line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bombus.base.errors import UserError

ACTIONS = (
    *("alert", "drop", "sdrop", "block", "log", "pass", "reject", "config"),
    *("rejectsrc", "rejectdst", "rejectboth"),
)
DIRECTIONS = ("->", "<>")
VARIABLE = re.compile(r"\$(\w+)")
MAX_BYTES = 8191  # of a rule, as in Suricata
_NAME = re.compile(r"[\w.-]*[A-Za-z_][\w.-]*", re.ASCII)
_BLANKS = " \t\r\f\v"
_MOST_SHOWN = 40  # characters
_MARK = "\xef\xbb\xbf"  # byte order mark of UTF-8


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
        for line, rule in _lines(text.removeprefix(_MARK)):
            try:
                yield _statement(file, line, rule)
            except RuleSyntaxError as error:
                yield f"{file}:{line}: {error}"


def variables_of(text: str) -> set[str]:
    return set(VARIABLE.findall(text))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Rules with the number of their first line; a backslash at the end continues a rule."""
    begun: list[str] = []
    first = 0
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip(_BLANKS)
        if not begun and (not line or line.startswith("#")):
            continue
        first = first if begun else number
        if line.endswith("\\"):
            begun.append(line[:-1] + " ")
            continue
        yield first, "".join((*begun, line))
        begun = []
    if "".join(begun).strip(_BLANKS):
        yield first, "".join(begun)


def _statement(file: Path, line: int, text: str) -> Statement:
    if len(text) > MAX_BYTES:
        raise RuleSyntaxError(f"the rule has more than {MAX_BYTES} bytes")
    head, bracket, rest = text.partition("(")
    rest = rest.rstrip(_BLANKS)
    if not bracket:
        raise RuleSyntaxError("a rule has options in parentheses")
    if not rest.endswith(")"):
        raise RuleSyntaxError("the parenthesis of the options is not closed")
    if head.strip(_BLANKS) and head[-1] not in _BLANKS:
        raise RuleSyntaxError("a blank is missing before the parenthesis of the options")
    fields = _fields(head)
    if len(fields) == 2:  # Snort 3 leaves out what is any
        fields += ["any", "any", "->", "any", "any"]
    if len(fields) != 7:
        raise RuleSyntaxError(
            "a rule begins with action, protocol, address, port, direction, address, port"
        )
    action, protocol, source, source_ports, direction, target, target_ports = fields
    if action.lower() not in ACTIONS:
        raise RuleSyntaxError(f"{shown(action)} is not an action")
    if direction not in DIRECTIONS:
        raise RuleSyntaxError(f"{shown(direction)} is not a direction; use -> or <>")
    options = tuple(_options(rest[:-1]))
    return Statement(
        *(file, line, action.lower(), protocol.lower(), source, source_ports),
        *(direction, target, target_ports, options),
    )


def _fields(head: str) -> list[str]:
    """Words, which may have blanks inside brackets."""
    fields, depth, start = [], 0, 0
    head = head.strip(_BLANKS) + " "
    for place, char in enumerate(head):
        depth += (char == "[") - (char == "]")
        if depth < 0:
            raise RuleSyntaxError("a bracket is closed that was not opened")
        if char in _BLANKS and depth == 0:
            if place > start:
                fields.append(head[start:place])
            start = place + 1
    if depth:
        raise RuleSyntaxError("a bracket is not closed")
    return fields


def shown(text: str) -> str:
    """A part of a rule in a message; a long one is cut."""
    return repr(text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "...")


def split(text: str, separator: str, in_quotes: bool = True) -> list[str]:
    """Parts of a text; separators after a backslash are ignored, and, unless `in_quotes`, those in
    quotes.
    """
    parts, quoted, escaped, start = [], False, False, 0
    for place, char in enumerate(text):
        if char == separator and not escaped and (in_quotes or not quoted):
            parts.append(text[start:place])
            start = place + 1
        if char == '"' and not escaped:
            quoted = not quoted
        escaped = char == "\\" and not escaped
    return [*parts, text[start:]]


def _options(text: str) -> Iterator[Option]:
    *parts, rest = split(text, ";")
    for part in parts:
        name, colon, value = (each.strip(_BLANKS) for each in part.partition(":"))
        if not name:
            raise RuleSyntaxError("an option has no name")
        if not _NAME.fullmatch(name):
            raise RuleSyntaxError(f"{shown(name)} is not a keyword")
        _check_quotes(name, value)
        yield Option(name.lower(), value if colon else None)
    rest = rest.strip(_BLANKS)
    if rest:
        _check_quotes(*(each.strip(_BLANKS) for each in rest.partition(":")[::2]))
        raise RuleSyntaxError(f"option {shown(rest)} does not end with ;")


def _check_quotes(name: str, value: str) -> None:
    """A quotation ends at the end of the value, or before the modifiers of a content (Snort 3)."""
    text = value.removeprefix("!").lstrip(_BLANKS)
    if text.startswith('"'):
        rest = text[1:].rpartition('"')[2].lstrip(_BLANKS) if '"' in text[1:] else None
        if rest is None or (rest and not rest.startswith(",")):
            raise RuleSyntaxError(
                f"the quotation of {name} is not closed; a ; in it needs a backslash before it"
            )


def unquoted(text: str) -> str:
    """The text inside the quotes, or the whole text if there are none."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def number(text: str | None, lowest: int, highest: int) -> int:
    """A decimal number."""
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", text or "", re.ASCII):
        raise RuleSyntaxError(f"{shown(text or '')} is not a number")
    return _bounded(int(text or ""), lowest, highest)


def place(text: str, lowest: int, highest: int) -> int:
    """A number as in C: decimal, hexadecimal after 0x, octal after 0."""
    found = re.fullmatch(
        r"([+-]?)(?:0x([0-9a-f]{1,16})|0([0-7]{0,20})|([1-9][0-9]{0,19}))",
        text,
        re.ASCII | re.IGNORECASE,
    )
    if not found:
        raise RuleSyntaxError(f"{shown(text)} is not a number")
    sign, hexadecimal, octal, decimal = found.groups()
    if hexadecimal is not None:
        value = int(hexadecimal, 16)
    else:
        value = int(decimal) if decimal is not None else int(octal or "0", 8)
    return _bounded(-value if sign == "-" else value, lowest, highest)


def _bounded(value: int, lowest: int, highest: int) -> int:
    if not lowest <= value <= highest:
        raise RuleSyntaxError(f"{value} is not from {lowest} to {highest}")
    return value
