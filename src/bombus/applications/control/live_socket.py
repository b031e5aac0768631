# SPDX-License-Identifier: Apache-2.0
"""The registers of a live run, over its control socket."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bombus.applications.processors.control import request
from bombus.registers.items import Item, plain


class LiveSocket:
    """A port over the socket of `bombus run --control FILE`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = request(self.path, "manifest")
        return found

    def access(self, items: Sequence[Item]) -> list[int]:
        found: list[int] = request(self.path, "access", [[plain(item) for item in items]])
        return found

    def table_writes(self) -> dict[int, int]:
        """The words that were written to the tables of next hops and slots, by address."""
        found: dict[str, int] = request(self.path, "table_writes")
        return {int(address): word for address, word in found.items()}
