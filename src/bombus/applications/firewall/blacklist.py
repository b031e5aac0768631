# SPDX-License-Identifier: Apache-2.0
"""A blacklist: IPv4 prefixes, one per line, and the boundaries of the ranges that they cover."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

from bombus.base.errors import UserError

_END = 1 << 32
_MOST_SHOWN = 80  # characters


def read(file: Path) -> list[IPv4Network]:
    """The prefixes of a file; empty lines and text after `#` are ignored. Raises UserError with
    file, line and reason for every invalid line.
    """
    found, problems = [], []
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{file}: this is not UTF-8 text") from None
    for number, line in enumerate(lines, 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            network = ip_network(text)
        except ValueError:
            problems.append(f"{file}:{number}: {_reason(text)}")
            continue
        if isinstance(network, IPv4Network):
            found.append(network)
        else:
            problems.append(
                f"{file}:{number}: {text} is an IPv6 prefix; the firewall judges IPv4 only"
            )
    if problems:
        raise UserError("\n".join(problems))
    return found


def _reason(text: str) -> str:
    """Why a text is not a prefix."""
    try:
        IPv6Network(text) if ":" in text else IPv4Network(text)
    except ValueError as error:
        kind = "an IPv6 prefix" if ":" in text else "an IPv4 prefix"
        return f"{text[:_MOST_SHOWN]!r} is not {kind}: {str(error)[:_MOST_SHOWN]}"
    raise AssertionError(text)


def boundaries(networks: Iterable[IPv4Network]) -> list[int]:
    """The first address of each covered range, and the first address after it.

    Ascending; a range up to the last address has no end boundary.
    """
    found: list[int] = []
    for network in sorted(networks):
        first = int(network.network_address)
        end = int(network.broadcast_address) + 1
        if found and first <= found[-1]:
            found[-1] = max(found[-1], end)
        else:
            found += [first, end]
    return found[:-1] if found and found[-1] == _END else found


def is_covered(table: Sequence[int], address: int) -> bool:
    """Whether an address is in one of the ranges."""
    return bisect_right(table, address) % 2 == 1


def stages(table: Sequence[int]) -> int:
    """Steps of a binary search in the table, which must distinguish one more case than it has
    boundaries.
    """
    return max(1, len(table).bit_length())
