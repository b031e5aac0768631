# SPDX-License-Identifier: Apache-2.0
"""Consoles of rich for all messages."""

from __future__ import annotations

from typing import Any

from rich.console import Console


def new_console(**options: Any) -> Console:
    """A console that prints text as it is: no picture in place of the line number in `a.yaml:100:`,
    no colours that are not asked for. Options are those of `rich.console.Console`.
    """
    return Console(**{"emoji": False, "highlight": False, **options})
