# SPDX-License-Identifier: Apache-2.0
"""The routing table of a running design, as rows of a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path
from typing import TYPE_CHECKING

from bombus.base.errors import UserError

if TYPE_CHECKING:
    from bombus.applications.control.controller import Controller

Route = tuple[str, str | None, int]  # network, gateway (None: on the link), MAC port
_COLUMNS = ("to", "via", "mac_port")


def routes_of(controller: Controller) -> Iterator[Route]:
    """The valid entries of the routing table."""
    for n in range(controller.manifest["route_entries"]):
        entry = controller.registers.route[n].entry.read()
        if entry["valid"]:
            via = str(IPv4Address(entry["gateway"])) if entry["gateway"] else None
            to = f"{IPv4Address(entry['network'])}/{entry['length']}"
            yield to, via, entry["mac_port"]


def read_routes(file: Path) -> list[Route]:
    """The rows of a CSV file with the columns to, via and mac_port; an empty `via` is a network on
    the link, an empty or absent `mac_port` is 0. UserError names the line.
    """
    try:
        with file.open(encoding="utf-8", newline="") as text:
            rows = csv.DictReader(text)
            names = [*(rows.fieldnames or ())]
            if "to" not in names or {*names} - {*_COLUMNS}:
                raise UserError(f"{file}: the columns should be {', '.join(_COLUMNS)}")
            return [_route(row, f"{file}:{rows.line_num}") for row in rows]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"cannot read {file}: {error}") from None


def _route(row: dict[str, str], where: str) -> Route:
    if None in row or not row["to"]:
        raise UserError(f"{where}: should have {', '.join(_COLUMNS)}")
    port = (row.get("mac_port") or "0").strip()
    if not port.isdecimal():
        raise UserError(f"{where}: mac_port {port!r} is not a number")
    return row["to"].strip(), (row.get("via") or "").strip() or None, int(port)
