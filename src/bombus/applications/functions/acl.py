# SPDX-License-Identifier: Apache-2.0
"""Rule files of the layer `acl`: one rule a line, the first that matches decides.

# comment
deny  tcp from 10.0.0.0/8 to any port 22-23 flags syn !ack
allow udp from any port 53 to 10.77.0.2
allow ip  from 192.0.2.0/24 to any mark 3
deny  ip  from any to any fragment
allow ip  from any to any established
default deny
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Network, NetmaskValueError
from pathlib import Path

from bombus.base.errors import UserError

PROTOCOLS = {"icmp": 1, "tcp": 6, "udp": 17}
FLAGS = ("fin", "syn", "rst", "psh", "ack", "urg")
HAS_PORTS, IS_FRAGMENT = 1 << 6, 1 << 7  # bits of a state, above the flags
ALL_PORTS = (0, 0xFFFF)
MAX_MARK = 7
_WITH_PORTS = (PROTOCOLS["tcp"], PROTOCOLS["udp"])
_ALL_ADDRESSES = IPv4Network("0.0.0.0/0")

Range = tuple[int, int]  # first and last


class _LineError(ValueError):
    """What is wrong in a line."""


@dataclass(frozen=True)
class Rule:
    """UserError if its ports are none, or in the wrong order."""

    allow: bool
    source: IPv4Network = _ALL_ADDRESSES
    destination: IPv4Network = _ALL_ADDRESSES
    source_ports: Range = ALL_PORTS
    destination_ports: Range = ALL_PORTS
    protocol: int | None = None  # None: all
    state: int = 0
    state_mask: int = 0
    mark: int = 0
    line: int = 0
    established: bool = False  # only packets of established flows

    def __post_init__(self) -> None:
        for name in ("source", "destination"):
            first, last = getattr(self, f"{name}_ports")
            where = f"line {self.line}: " if self.line else ""
            if not (0 <= first <= ALL_PORTS[1] and 0 <= last <= ALL_PORTS[1]):
                raise UserError(f"{where}{name} ports {first} to {last} are not 0 to 65535")
            if last < first:
                raise UserError(f"{where}the last {name} port, {last}, is below the first, {first}")

    def fields(self) -> dict[str, int]:
        """Those of the register table `rule`."""
        return {
            "source": int(self.source.network_address),
            "source_mask": int(self.source.netmask),
            "destination": int(self.destination.network_address),
            "destination_mask": int(self.destination.netmask),
            "source_port_first": self.source_ports[0],
            "source_port_last": self.source_ports[1],
            "destination_port_first": self.destination_ports[0],
            "destination_port_last": self.destination_ports[1],
            "protocol": self.protocol or 0,
            "protocol_mask": 0 if self.protocol is None else 0xFF,
            "state": self.state,
            "state_mask": self.state_mask,
            "mark": self.mark,
            "established": int(self.established),
            "allow": int(self.allow),
            "valid": 1,
        }


@dataclass(frozen=True)
class RuleSet:
    rules: Sequence[Rule]
    default_allow: bool
    warnings: Sequence[str] = ()


# ---- Files ----


def read(file: Path) -> RuleSet:
    """UserError with file, line and reason for all invalid lines, and for rules that can never
    match although they would decide otherwise than those before.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{file}: this is not UTF-8 text") from None
    return parse(text, str(file))


def parse(text: str, name: str) -> RuleSet:
    """As read, of a text; `name` stands before the numbers of lines."""
    rules: list[Rule] = []
    problems: list[tuple[int, str]] = []
    default: bool | None = None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            if words[0] == "default":
                if default is not None:
                    raise _LineError("there is a default already")
                if len(words) != 2:
                    raise _LineError("expected `default allow` or `default deny`")
                default = _verdict(words[1])
            else:
                rules.append(_rule(words, number))
        except _LineError as error:
            problems.append((number, str(error)))
    warnings = []
    for rule, covering in covered(rules):
        lines = ", ".join(str(each.line) for each in covering)
        which = f"line{'s' * (len(covering) > 1)} {lines}"
        ending = "s" * (len(covering) == 1)
        if any(each.allow != rule.allow for each in covering):
            problems.append((rule.line, f"never matches: {which} before decide{ending} otherwise"))
        else:
            warnings.append(
                f"{name}:{rule.line}: never matches: {which} before decide{ending} the same"
            )
    if problems:
        raise UserError("\n".join(f"{name}:{line}: {text}" for line, text in sorted(problems)))
    return RuleSet(rules, bool(default), warnings)


def _verdict(word: str) -> bool:
    if word not in ("allow", "deny"):
        raise _LineError(f"expected `allow` or `deny`, not {word!r}")
    return word == "allow"


def _rule(words: list[str], line: int) -> Rule:
    rest = iter(words)
    allow = _verdict(next(rest))
    protocol = _protocol(_next(rest, "a protocol"))
    _expect(rest, "from")
    source, source_ports, word = _end(rest)
    if word != "to":
        raise _LineError(f"expected `to`, not {word!r}" if word else "expected `to`")
    destination, destination_ports, word = _end(rest)
    state = mask = mark = 0
    established = False
    if source_ports != ALL_PORTS or destination_ports != ALL_PORTS:
        if protocol not in _WITH_PORTS:
            raise _LineError("only tcp and udp have ports")
        state, mask = HAS_PORTS, HAS_PORTS
    while word:
        if word == "flags":
            if protocol != PROTOCOLS["tcp"]:
                raise _LineError("only tcp has flags")
            value, bits, word = _flags(rest)
            state, mask = state | value | HAS_PORTS, mask | bits | HAS_PORTS
        elif word == "fragment":
            state, mask, word = state | IS_FRAGMENT, mask | IS_FRAGMENT, next(rest, "")
        elif word == "established":
            if protocol is not None and protocol not in _WITH_PORTS:
                raise _LineError("only tcp and udp have established flows")
            established, word = True, next(rest, "")
            state, mask = state | HAS_PORTS, mask | HAS_PORTS
        elif word == "mark":
            mark, word = _number(_next(rest, "a mark"), MAX_MARK, "mark"), next(rest, "")
        else:
            raise _LineError(f"unexpected {word!r}")
    if state & HAS_PORTS and state & IS_FRAGMENT:
        raise _LineError(
            "a fragment other than the first has no ports and no flags, so it is of no flow"
        )
    return Rule(
        allow,
        source,
        destination,
        source_ports,
        destination_ports,
        protocol,
        state,
        mask,
        mark,
        line,
        established,
    )


def _next(rest: Iterator[str], what: str) -> str:
    word = next(rest, "")
    if not word:
        raise _LineError(f"{what} is missing")
    return word


def _expect(rest: Iterator[str], word: str) -> None:
    if (found := next(rest, "")) != word:
        raise _LineError(f"expected `{word}`" + (f", not {found!r}" if found else ""))


def _number(word: str, largest: int, what: str) -> int:
    if not (word.isascii() and word.isdigit()) or int(word) > largest:
        raise _LineError(f"{word!r} is not a {what}: expected 0 to {largest}")
    return int(word)


def _protocol(word: str) -> int | None:
    if word == "ip":
        return None
    if word in PROTOCOLS:
        return PROTOCOLS[word]
    if not word.isdigit():
        raise _LineError(f"unknown protocol {word!r}: expected ip, tcp, udp, icmp or a number")
    return _number(word, 255, "protocol")


def _end(rest: Iterator[str]) -> tuple[IPv4Network, Range, str]:
    """Prefix and ports of one side, and the word after them."""
    prefix = _prefix(_next(rest, "a prefix"))
    word = next(rest, "")
    if word != "port":
        return prefix, ALL_PORTS, word
    return prefix, _ports(_next(rest, "a port")), next(rest, "")


def _prefix(word: str) -> IPv4Network:
    if word == "any":
        return _ALL_ADDRESSES
    try:
        return IPv4Network(word)
    except (AddressValueError, NetmaskValueError) as error:
        raise _LineError(f"{word!r} is not an IPv4 prefix: {error}") from None
    except ValueError:
        proper = IPv4Network(word, strict=False)
        raise _LineError(f"{word!r} has bits behind the prefix: did you mean {proper}?") from None


def _ports(word: str) -> Range:
    first, dash, last = word.partition("-")
    low = _number(first, 0xFFFF, "port")
    high = _number(last, 0xFFFF, "port") if dash else low
    if high < low:
        raise _LineError(f"{word!r}: the last port is below the first")
    return low, high


def _flags(rest: Iterator[str]) -> tuple[int, int, str]:
    """Value and mask, and the word after the flags."""
    value = mask = 0
    word = next(rest, "")
    while word.removeprefix("!") in FLAGS:
        bit = 1 << FLAGS.index(word.removeprefix("!"))
        if mask & bit:
            raise _LineError(f"flag {word.removeprefix('!')} is given twice")
        mask |= bit
        if not word.startswith("!"):
            value |= bit
        word = next(rest, "")
    if not mask:
        raise _LineError(f"a flag is missing: {', '.join(FLAGS)}, or one of them after `!`")
    return value, mask, word


# ---- Rules that never match ----

_MOST_PIECES = 500
_Box = tuple[Range, ...]  # addresses, ports, protocol, then each bit of the state
# and whether the flow is established


def covered(rules: Sequence[Rule]) -> Iterator[tuple[Rule, list[Rule]]]:
    """Rules that never match, with the rules before them that together match all of their packets.

    A rule of which more than _MOST_PIECES pieces would be left over on the way is not reported.
    """
    boxes = [_box(rule) for rule in rules]
    for number, rule in enumerate(rules):
        pieces, used = [boxes[number]], []
        for earlier, box in zip(rules[:number], boxes[:number], strict=True):
            if not _meet(boxes[number], box):
                continue
            left = [part for piece in pieces for part in _without(piece, box)]
            if left != pieces:
                used.append(earlier)
            pieces = left
            if not pieces:
                yield rule, used
            if not pieces or len(pieces) > _MOST_PIECES:
                break


def _box(rule: Rule) -> _Box:
    nets = (rule.source, rule.destination)
    bits = [((rule.state >> n & 1,) * 2 if rule.state_mask >> n & 1 else (0, 1)) for n in range(8)]
    return (
        *((int(net.network_address), int(net.broadcast_address)) for net in nets),
        rule.source_ports,
        rule.destination_ports,
        (0, 255) if rule.protocol is None else (rule.protocol, rule.protocol),
        *bits,
        (int(rule.established), 1),
    )


def _meet(one: _Box, other: _Box) -> bool:
    return all(a[0] <= b[1] and b[0] <= a[1] for a, b in zip(one, other, strict=True))


def _without(piece: _Box, box: _Box) -> list[_Box]:
    """Parts of a piece outside a box."""
    if not _meet(piece, box):
        return [piece]
    parts: list[_Box] = []
    inside = list(piece)
    for n, (low, high) in enumerate(box):
        first, last = inside[n]
        if first < low:
            parts.append((*inside[:n], (first, low - 1), *piece[n + 1 :]))
        if last > high:
            parts.append((*inside[:n], (high + 1, last), *piece[n + 1 :]))
        inside[n] = (max(first, low), min(last, high))
    return parts
