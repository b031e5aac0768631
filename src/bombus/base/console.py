# SPDX-License-Identifier: Apache-2.0
"""Consoles of rich for all messages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from bombus.base.output import STDOUT


def new_console(**options: Any) -> Console:
    """A console that prints text as it is: no picture in place of the line number in `a.yaml:100:`,
    no colours that are not asked for. Options are those of `rich.console.Console`.
    """
    return Console(**{"emoji": False, "highlight": False, **options})


def reading_console(json: Path | None = None) -> Console:
    """Console for human-readable output: standard error if standard output takes the JSON."""
    return new_console(stderr=json == STDOUT, soft_wrap=True)
