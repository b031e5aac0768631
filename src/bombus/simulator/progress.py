# SPDX-License-Identifier: Apache-2.0
"""Steps that take a while, as users see them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.console import Console


def step(console: Console | None, text: str) -> AbstractContextManager[Any]:
    """Shows what is being done (default: on standard error)."""
    console = console or Console(stderr=True)
    if not console.is_terminal:
        console.print(text, highlight=False)
        return nullcontext()
    return console.status(text)
