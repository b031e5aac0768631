# SPDX-License-Identifier: Apache-2.0
"""Why a server cannot listen at an address."""

from __future__ import annotations

import errno
from ipaddress import ip_address


def reason(error: OSError, address: str) -> str:
    """The reason of the system; with a hint where a namespace's `lo` may be down."""
    text = error.strerror or str(error)
    if error.errno == errno.EADDRNOTAVAIL and _is_loopback(address):
        return f"{text}; is lo up? `ip link set lo up`"
    return text


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"
