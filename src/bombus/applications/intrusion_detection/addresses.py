# SPDX-License-Identifier: Apache-2.0
"""Address sets in the header of a rule: they are checked, but not compiled into tables."""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from bombus.applications.intrusion_detection.ports import Range, complement, items_of, of_list
from bombus.applications.intrusion_detection.syntax import RuleSyntaxError, number, shown

_IPV6 = 1 << 32  # their ranges come after those of IPv4
_LAST = _IPV6 + (1 << 128) - 1
_ANY = ((0, _LAST),)
_DEEPEST = 20


@lru_cache(maxsize=1024)
def check(text: str, may_be_empty: bool = False) -> None:
    """RuleSyntaxError if it is no set of addresses, or an empty one. Variables are replaced."""
    if not (_parse(text, 0) or may_be_empty):
        raise RuleSyntaxError(f"{shown(text)} leaves no address")


def _parse(text: str, depth: int) -> tuple[Range, ...]:
    if depth > _DEEPEST:
        raise RuleSyntaxError("brackets of addresses are too deep")
    text = text.strip()

    def listed(text: str) -> tuple[Range, ...]:
        return of_list(items_of(text), lambda item: _parse(item, depth + 1), _LAST)

    if len(items_of(text)) > 1:
        return listed(text)
    if text.startswith("!"):
        return complement(_parse(text[1:], depth + 1), _LAST)
    if text.startswith("["):
        if not text.endswith("]"):
            raise RuleSyntaxError(f"{shown(text)} is not a list of addresses")
        return listed(text[1:-1]) if text[1:-1].strip() else ()
    if text.lower() == "any":
        return _ANY
    try:
        return (_range(text),)
    except ValueError:
        raise RuleSyntaxError(f"{shown(text)} is not an address") from None


def _range(text: str) -> Range:
    """ValueError if it is none."""
    first, minus, last = text.partition("-")
    if minus:
        low, high = _value(first), _value(last)
        if low > high or (low < _IPV6) != (high < _IPV6):
            raise ValueError
        return low, high
    address, slash, mask = text.partition("/")
    value = _value(address)
    bits = 32 if value < _IPV6 else 128
    free = (1 << bits - (_prefix(mask, bits) if slash else bits)) - 1
    low = value - (value & free if bits == 32 else value - _IPV6 & free)
    return low, low + free


def _prefix(mask: str, bits: int) -> int:
    if "." in mask and bits == 32:
        hosts = ~int(ipaddress.IPv4Address(mask)) & 0xFFFFFFFF
        if hosts & hosts + 1:
            raise RuleSyntaxError(f"{mask} is not a mask of leading bits")
        return 32 - hosts.bit_length()
    if not mask.isdigit():
        raise ValueError
    return number(mask, 0, bits)


def _value(text: str) -> int:
    if "%" in text:
        raise ValueError
    address = ipaddress.ip_address(text)
    return int(address) + (_IPV6 if address.version == 6 else 0)
