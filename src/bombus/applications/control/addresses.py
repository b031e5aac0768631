# SPDX-License-Identifier: Apache-2.0
"""Fields of registers that have addresses."""

from __future__ import annotations

import re
from ipaddress import IPv4Address

from bombus.registers.model import Field

_IP_FIELD = re.compile(r"(^|_)(ip|address|network|gateway|netmask|mask)$")
_MAC_FIELD = re.compile(r"(^|_)(mac|address|destination)$")
_IP_BITS, _MAC_BITS = 32, 48


def is_ip(field: Field) -> bool:
    """Whether a field has an IPv4 address or a netmask."""
    return field.width == _IP_BITS and _IP_FIELD.search(field.name) is not None


def address_text(field: Field, value: int) -> str | None:
    """An IPv4 or MAC address in its usual form; None: the field has none."""
    if is_ip(field):
        return str(IPv4Address(value))
    if field.width == _MAC_BITS and _MAC_FIELD.search(field.name) is not None:
        return value.to_bytes(_MAC_BITS // 8, "big").hex(":")
    return None
