# SPDX-License-Identifier: Apache-2.0
"""Port sets in the header of a rule: numbers, ranges, lists, negation, variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from bombus.applications.intrusion_detection.syntax import RuleSyntaxError, number, shown

LAST = 65535
MOST_RANGES = 1 << 16  # in a list
Range = tuple[int, int]  # first, last
ANY: tuple[Range, ...] = ((0, LAST),)

# As in the configuration that Suricata and Snort come with.
VARIABLES: Mapping[str, str] = {
    "HTTP_PORTS": "80",
    "SHELLCODE_PORTS": "!80",
    "ORACLE_PORTS": "1521",
    "SSH_PORTS": "22",
    "DNP3_PORTS": "20000",
    "MODBUS_PORTS": "502",
    "FILE_DATA_PORTS": "[$HTTP_PORTS,110,143]",
    "FTP_PORTS": "21",
    "SIP_PORTS": "[5060,5061]",
    "GENEVE_PORTS": "6081",
    "VXLAN_PORTS": "4789",
    "TEREDO_PORTS": "3544",
}


class UnknownVariableError(Exception):
    """A rule that uses it cannot be compiled, but is not an error."""


def parse(text: str, variables: Mapping[str, str]) -> tuple[Range, ...]:
    """Ascending ranges, none next to another; none at all if the set is empty."""
    return _parse(text, variables, {}, 0)


def _parse(
    text: str, variables: Mapping[str, str], values: dict[str, tuple[Range, ...]], depth: int
) -> tuple[Range, ...]:
    """`values`: those of variables found so far."""
    if depth > 20:
        raise RuleSyntaxError("variables or brackets of ports are too deep")
    text = text.lstrip()
    if len(items := items_of(text)) > 1:
        return of_list(items, lambda item: _parse(item, variables, values, depth + 2))
    if text.startswith("!"):
        return complement(_parse(text[1:], variables, values, depth + 1))
    if text.startswith("$"):
        if text == "$":
            raise RuleSyntaxError("a variable has no name")
        name = text[1:]
        if name not in variables:
            raise UnknownVariableError(f"variable {text} is not known")
        if name not in values:
            values[name] = _parse(variables[name].strip(), variables, values, depth + 1)
        return values[name]
    if text.startswith("["):
        if not text.endswith("]"):
            raise RuleSyntaxError(f"{shown(text)} is not a list of ports")
        return of_list(
            items_of(text[1:-1]), lambda item: _parse(item, variables, values, depth + 1)
        )
    if text.lower() == "any":
        return ANY
    first, colon, last = text.partition(":")
    if not colon:
        port = number(first, 0, LAST)
        return ((port, port),)
    low = number(first, 0, LAST) if first else 0
    high = number(last, 0, LAST) if last else LAST
    if low > high:
        raise RuleSyntaxError(f"{text}: the range of ports ends before it begins")
    return ((low, high),)


def items_of(text: str) -> list[str]:
    """The parts between commas outside brackets."""
    items, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == "," and depth == 0:
            items.append(text[start:place])
            start = place + 1
    return [*items, text[start:]]


def of_list(
    items: Iterable[str], parse: Callable[[str], tuple[Range, ...]], last: int = LAST
) -> tuple[Range, ...]:
    """The listed ranges without those listed with `!`; if only such are listed, all others up to
    `last`. `parse`: the ranges of an item.
    """
    items = [item.lstrip() for item in items]
    if len(items) > 1 and not items[-1]:  # Suricata allows a comma at the end
        items.pop()
    room = MOST_RANGES

    def bounded(item: str) -> tuple[Range, ...]:
        nonlocal room
        found = parse(item)
        room -= len(found)
        if room < 0:
            raise RuleSyntaxError(f"a list has more than {MOST_RANGES:,} ranges")
        return found

    wanted = [bounded(item) for item in items if not item.startswith("!")]
    others = [bounded(item[1:]) for item in items if item.startswith("!")]
    found = union(r for each in wanted for r in each) if wanted else ((0, last),)
    left_out = (r for each in others for r in each)
    return complement(union((*complement(found, last), *left_out)), last)


def union(ranges: Iterable[Range]) -> tuple[Range, ...]:
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        else:
            found.append((low, high))
    return tuple(found)


def complement(ranges: tuple[Range, ...], last: int = LAST) -> tuple[Range, ...]:
    found, following = [], 0
    for low, high in ranges:
        if low > following:
            found.append((following, low - 1))
        following = high + 1
    if following <= last:
        found.append((following, last))
    return tuple(found)
