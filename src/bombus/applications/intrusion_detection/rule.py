# SPDX-License-Identifier: Apache-2.0
"""A rule: its header, its contents, and the reasons why tables cannot express all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bombus.applications.intrusion_detection import addresses, keywords, ports
from bombus.applications.intrusion_detection import content as contents
from bombus.applications.intrusion_detection.content import Content
from bombus.applications.intrusion_detection.syntax import (
    VARIABLE,
    Option,
    RuleSyntaxError,
    Statement,
    number,
    place,
    shown,
    unquoted,
)

LAST_BYTE = (1 << 14) - 1  # of a payload; also: no upper bound
_LAST_SID = (1 << 32) - 2
_LAST_PLACE = 65535
_LAST_DISTANCE = 1 << 20
_MOST_ADDRESSES = 1 << 18  # characters of a set of addresses with the values of its variables
_ONCE = ("sid", "rev", "msg", "dsize", "flow")
_FLOW = {  # of each pair or triple, a rule has one at most
    **dict.fromkeys(("to_server", "from_client", "to_client", "from_server"), "direction"),
    **dict.fromkeys(("established", "not_established", "stateless"), "state"),
    **dict.fromkeys(("only_stream", "no_stream"), "stream"),
    **dict.fromkeys(("only_frag", "no_frag"), "fragment"),
}
# `any` unless given: those of the configurations that Suricata and Snort come with.
_ADDRESS_VARIABLES = {
    *("HOME_NET", "EXTERNAL_NET", "HTTP_SERVERS", "SMTP_SERVERS", "SQL_SERVERS", "DNS_SERVERS"),
    *("TELNET_SERVERS", "FTP_SERVERS", "SSH_SERVERS", "SIP_SERVERS", "AIM_SERVERS", "DC_SERVERS"),
    *("DNP3_SERVER", "DNP3_CLIENT", "MODBUS_CLIENT", "MODBUS_SERVER"),
    *("ENIP_CLIENT", "ENIP_SERVER"),
}


class UnreadableValueError(Exception):
    """A keyword's value is not understood; its rule is not compiled, but is not an error."""


@dataclass
class Rule:
    statement: Statement
    gid: int = 1
    sid: int = 0
    rev: int = 0
    msg: str = ""
    protocols: int = 0  # bits of keywords.TCP...
    in_streams: bool = False  # of TCP: contents may begin in one segment and end in another
    # Source and destination ports; two for a rule of both directions.
    directions: tuple[tuple[tuple[ports.Range, ...], tuple[ports.Range, ...]], ...] = ()
    size: tuple[int, int] = (0, LAST_BYTE)  # of the payload
    contents: list[Content] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)  # why tables express only part of it
    obstacle: str = ""  # why tables cannot express it
    unknown: list[str] = field(default_factory=list)  # keywords; perhaps misspelt

    @property
    def has_other_headers(self) -> bool:
        """Among its protocols are some whose header the matcher takes for payload, at least partly:
        ICMP timestamps, SCTP, ESP.
        """
        return bool(self.protocols & (keywords.ICMP | keywords.OTHER))

    def obstruct(self, obstacle: str) -> None:
        """The first obstacle counts."""
        self.obstacle = self.obstacle or obstacle


class _Reader:
    """Reads the options in their order."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.buffer = contents.PAYLOAD
        self.transformed = False
        self.after_unknown = False
        self.given: set[str] = set()
        self.variables: set[str] = set()  # words in the options that define variables
        self.buffers_first = False  # as in Snort 3: former modifiers select buffers

    def because(self, reason: str) -> None:
        if reason not in self.rule.reasons:
            self.rule.reasons.append(reason)

    def unknown(self, name: str) -> None:
        if name not in self.rule.unknown:
            self.rule.unknown.append(name)

    def read(self, option: Option) -> None:
        name, value = option.name, option.value
        rule = self.rule
        self._check(name, value)
        if name in ("content", "uricontent"):
            self._content(value, keywords.OLD_MODIFIERS.get(name))
        elif name in _MODIFIERS or name in keywords.OLD_MODIFIERS:
            self.buffers_first |= name in keywords.OLD_MODIFIERS and not rule.contents
            if name in keywords.OLD_MODIFIERS and self.buffers_first:
                self._enter(keywords.OLD_MODIFIERS[name])
            else:
                self._modify(name, value)
        elif name == "sid":
            rule.sid = number(value, 1, _LAST_SID)
        elif name == "gid":
            rule.gid = number(value, 0, _LAST_SID)
        elif name == "rev":
            rule.rev = number(value, 1, _LAST_SID)
        elif name == "msg":
            if not re.fullmatch('".+"', value or "", re.DOTALL):
                raise RuleSyntaxError("msg is not a text in quotes")
            text = unquoted(value or "").replace("\\", "")
            rule.msg = text.encode("latin-1").decode("utf-8", "replace")
        elif name == "fast_pattern":
            self._fast_pattern(value)
        elif name == "dsize":
            self._size(value or "")
        elif name in ("pkt_data", "raw_data"):
            self.buffer, self.transformed, self.after_unknown = contents.PAYLOAD, False, False
        elif name in keywords.SILENT:
            pass
        elif name in keywords.TRANSFORMS or name == keywords.DOT_PREFIX:
            self.because(f"transform {name}")
            self.transformed |= name != keywords.DOT_PREFIX
        elif name in keywords.MOVES_CURSOR:
            self.because(f"keyword {name}")
            self.after_unknown = True
        elif name in keywords.KEEPS_CURSOR:
            if not (name == "flow" and (value or "").strip() in ("stateless", "")):
                self.because(f"keyword {name}")
        elif value is None:  # a buffer, as all other keywords without a value
            buffer = keywords.OLD_BUFFERS.get(name, name)
            if buffer not in keywords.BUFFERS:
                self.unknown(name)
            self._enter(buffer)
        else:
            self.unknown(name)
            self.because(f"keyword {name}")
            self.after_unknown = True

    def _check(self, name: str, value: str | None) -> None:
        """Whether it may be there once more, and has a value or none."""
        if name in _ONCE and name in self.given:
            raise RuleSyntaxError(f"{name} is given twice")
        self.given.add(name)
        if value is None or not value:
            if name in keywords.WITH_VALUE:
                raise RuleSyntaxError(f"{name} has no value")
        elif name in keywords.WITHOUT_VALUE:
            raise RuleSyntaxError(f"{name} has no value, but {shown(value)} is given")
        if name == "flow":
            self._check_flow(value or "")
        elif name == "priority":
            number(value, 0, _LAST_SID)
        elif name in ("byte_extract", "byte_math"):
            self.variables |= set(re.findall(r"\w+", value or ""))

    def _check_flow(self, value: str) -> None:
        found: dict[str, str] = {}
        items = [part.strip().lower() for part in value.split(",")]
        for item in items:
            if item not in _FLOW:
                raise RuleSyntaxError(f"{shown(item)} is not a condition of flow")
            if _FLOW[item] in found:
                raise RuleSyntaxError(f"flow has both {found[_FLOW[item]]} and {item}")
            found[_FLOW[item]] = item

    def _fast_pattern(self, value: str | None) -> None:
        if not self.rule.contents:
            raise RuleSyntaxError("fast_pattern stands before any content")
        last = self.rule.contents[-1]
        if last.fast_pattern:
            raise RuleSyntaxError("fast_pattern is given twice")
        if any(each.fast_pattern and each.buffer == last.buffer for each in self.rule.contents):
            raise RuleSyntaxError("fast_pattern is given for two contents")
        if value == "only" and last.negated:
            raise RuleSyntaxError("fast_pattern:only of a content with !")
        if value and value != "only":
            found = re.fullmatch(r"([0-9]{1,5})\s*,\s*([0-9]{1,5})", value)
            if not found:
                raise RuleSyntaxError(f"{shown(value)} is not an offset and a length")
            if int(found[1]) + int(found[2]) > len(last.pattern):
                raise RuleSyntaxError("fast_pattern ends after its content")
        last.fast_pattern = True

    def _enter(self, buffer: str) -> None:
        self.because(f"buffer {buffer}")
        self.buffer, self.transformed, self.after_unknown = buffer, False, False

    def _content(self, value: str | None, buffer: str | None) -> None:
        found, modifiers = contents.parse(value)
        found.buffer = buffer or self.buffer
        found.transformed = self.transformed
        found.after_unknown = self.after_unknown
        self.after_unknown &= found.negated
        self.rule.contents.append(found)
        if buffer:
            self.because(f"buffer {buffer}")
        if found.negated:
            self.because("content that must not be there")
        for modifier in modifiers:
            name, _, argument = modifier.partition(" ")
            name = name.lower()
            if name not in _MODIFIERS and not name.startswith("fast_pattern"):
                raise RuleSyntaxError(f"{name!r} is not a modifier of content")
            self._modify(name, argument.strip() or None)

    def _modify(self, name: str, value: str | None) -> None:
        if not self.rule.contents:
            raise RuleSyntaxError(f"{name} stands before any content")
        last = self.rule.contents[-1]
        self._check_modifier(last, name)
        if name in keywords.OLD_MODIFIERS:
            if last.buffer:
                raise RuleSyntaxError(f"{name}: the content is in {last.buffer} already")
            if "rawbytes" in last.modifiers:
                raise RuleSyntaxError(f"{name} and rawbytes exclude each other")
            last.buffer = keywords.OLD_MODIFIERS[name]
            self.because(f"buffer {last.buffer}")
        elif name in _PLACES:
            is_relative = name in ("distance", "within")
            highest = _LAST_DISTANCE if is_relative else _LAST_PLACE
            found = self._place(value, -highest if name == "distance" else 0, highest)
            if found is None:
                last.anywhere = True
            setattr(last, name, found if found is not None or name != "distance" else 0)
        elif name == "nocase":
            last.nocase = True
        elif name == "startswith":
            last.offset, last.depth = 0, len(last.pattern)
        elif name == "endswith":
            self.because("keyword endswith")
        elif name.startswith("fast_pattern"):
            last.fast_pattern = True

    def _check_modifier(self, last: Content, name: str) -> None:
        """Modifiers of a content that contradict each other, as Suricata has it."""
        given = last.modifiers
        if name in given and name != "endswith":
            raise RuleSyntaxError(f"{name} is given twice for a content")
        given.add(name)
        if "startswith" in given and (other := given & {"offset", "depth", *_RELATIVE}):
            raise RuleSyntaxError(f"startswith and {min(other)} exclude each other")
        absolute, relative = given & {"offset", "depth"}, given & set(_RELATIVE)
        if absolute and relative:
            raise RuleSyntaxError(
                f"{min(absolute)} and {min(relative)} exclude each other: a content is relative or "
                "not"
            )

    def _place(self, value: str | None, lowest: int, highest: int) -> int | None:
        """A number; None for a variable."""
        text = (value or "").strip()
        if not text:
            raise RuleSyntaxError("a position has no value")
        if text[:1].isalpha() or text[:1] == "_":
            if text not in self.variables:
                raise RuleSyntaxError(f"variable {shown(text)} is not defined")
            self.because("a place that is a variable")
            return None
        try:
            return place(text, lowest, highest)
        except RuleSyntaxError as error:
            raise UnreadableValueError(str(error)) from None

    def _size(self, value: str) -> None:
        text = value.replace(" ", "")
        if text.startswith("!"):
            self.because("keyword dsize with !")
            return
        if "<=>" in text:  # Snort 3: with both ends
            low, _, high = text.partition("<=>")
            size = (_size(low), _size(high))
        elif "<>" in text:
            low, _, high = text.partition("<>")
            size = (_size(low) + 1, _size(high) - 1)
        elif text.startswith((">=", "=>")):
            size = (_size(text[2:]), LAST_BYTE)
        elif text.startswith(("<=", "=<")):
            size = (0, _size(text[2:]))
        elif text.startswith(">"):
            size = (_size(text[1:]) + 1, LAST_BYTE)
        elif text.startswith("<"):
            size = (0, _size(text[1:]) - 1)
        else:
            size = (_size(text), _size(text))
        if size[0] > min(size[1], LAST_BYTE):
            raise UnreadableValueError(f"no payload has a size of {text}")
        self.rule.size = size


def _value(text: str | None, lowest: int, highest: int) -> int:
    try:
        return number(text, lowest, highest)
    except RuleSyntaxError as error:
        raise UnreadableValueError(str(error)) from None


def _size(text: str) -> int:
    return _value(text, 0, _LAST_PLACE)


_RELATIVE = ("distance", "within")
_PLACES = ("offset", "depth", *_RELATIVE)
_MODIFIERS = (*_PLACES, "nocase", "rawbytes", "startswith", "endswith")


def of(statement: Statement, variables: Mapping[str, str]) -> Rule:
    """The rule of a statement; RuleSyntaxError if it is invalid."""
    rule = Rule(statement)
    reader = _Reader(rule)
    for option in statement.options:
        try:
            reader.read(option)
        except UnreadableValueError as error:
            rule.obstruct(f"{option.name}: {error}")
    for each in rule.contents:
        if each.fast_pattern and each.negated and each.modifiers & set(_PLACES):
            raise RuleSyntaxError("fast_pattern of a content with ! and a position")
    if not rule.sid:
        raise RuleSyntaxError("the rule has no sid")
    _read_protocol(rule, statement.protocol)
    _read_addresses(rule, statement, variables)
    try:
        source = _ports(statement.source_ports, variables)
        target = _ports(statement.target_ports, variables)
    except ports.UnknownVariableError as error:
        rule.obstruct(str(error))
        return rule
    rule.directions = ((source, target),)
    if statement.direction == "<>" and source != target:
        rule.directions += ((target, source),)
    if (source, target) != (ports.ANY, ports.ANY):
        # Of the other protocols, SCTP has ports, which the matcher does not check.
        rule.protocols &= ~keywords.ICMP
        if statement.protocol == "icmp":
            rule.obstruct("ICMP has no ports")
    if statement.action == "pass":
        rule.obstruct("action pass")
    for each in rule.contents:
        if not (each.negated or each.buffer) and len(each.pattern) > rule.size[1]:
            rule.obstruct("a content is longer than dsize")
        if each.depth is not None and each.depth < len(each.pattern):
            rule.obstruct("a content is longer than its depth")
        if each.within is not None and each.within < len(each.pattern):
            rule.obstruct("a content is longer than its within")
    return rule


def _ports(text: str, variables: Mapping[str, str]) -> tuple[ports.Range, ...]:
    found = ports.parse(text, variables)
    if not found:
        raise RuleSyntaxError(f"{shown(text)} leaves no port")
    return found


def _read_protocol(rule: Rule, protocol: str) -> None:
    if protocol in keywords.PACKET_PROTOCOLS:
        rule.protocols = keywords.PACKET_PROTOCOLS[protocol]
        is_sized = rule.size != (0, LAST_BYTE)
        rule.in_streams = (
            bool(rule.protocols & keywords.TCP) and protocol != "tcp-pkt" and not is_sized
        )
        if rule.has_other_headers:
            rule.reasons.append(f"protocol {protocol}")
    elif protocol in keywords.OTHER_PROTOCOLS:
        rule.protocols = keywords.OTHER_PROTOCOLS[protocol]
        rule.in_streams = bool(rule.protocols & keywords.TCP) and rule.size == (0, LAST_BYTE)
        rule.reasons.append(f"protocol {protocol}")
    else:
        rule.obstruct(f"protocol {protocol} is not known")


def _read_addresses(rule: Rule, statement: Statement, variables: Mapping[str, str]) -> None:
    written = (statement.source, statement.target)
    values: dict[str, str] = {}
    found = [_address(each, variables, values, 0) for each in written]
    for text, each in zip(found, written, strict=True):
        names = VARIABLE.findall(text)
        for name in names:
            rule.obstruct(f"variable ${name} is not known")
        if not names:
            # What !$HOME_NET leaves depends on the network, unless the variable is given.
            addresses.check(text, may_be_empty="$" in each)
    if [text.lower() for text in found] != ["any", "any"]:
        rule.reasons.append("addresses")


def _address(text: str, variables: Mapping[str, str], values: dict[str, str], depth: int) -> str:
    """The text with the values of its variables; those that are not known are left in it.
    `values`: those found so far.
    """
    if depth > 20:
        raise RuleSyntaxError("variables of addresses are too deep")
    room = _MOST_ADDRESSES

    def value(found: re.Match[str]) -> str:
        nonlocal room
        name = found[1]
        if name not in variables:
            return "any" if name in _ADDRESS_VARIABLES else found[0]
        if name not in values:
            values[name] = _address(variables[name].strip(), variables, values, depth + 1)
        room -= len(values[name])
        if room < 0:
            raise RuleSyntaxError(
                f"with the values of its variables, {shown(text)} has more than "
                f"{_MOST_ADDRESSES:,} characters"
            )
        return values[name]

    return VARIABLE.sub(value, text)
