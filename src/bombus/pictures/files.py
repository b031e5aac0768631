# SPDX-License-Identifier: Apache-2.0
"""Write figures as files, by the suffix of their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from bombus.base.errors import UserError

FORMATS = (".svg", ".png", ".pdf")


def save(figure: Callable[[], Figure], file: Path, salt: str) -> None:
    """Draws a figure and writes it; `salt`, of the identifiers in SVG, keeps files the same."""
    if file.suffix not in FORMATS:
        raise UserError(f"{file}: the file name of a picture should end in {', '.join(FORMATS)}")
    file.parent.mkdir(parents=True, exist_ok=True)
    # Text stays text, and the same design gives the same file.
    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": salt}
    metadata = {"Date": None} if file.suffix == ".svg" else {}
    with matplotlib.rc_context(settings):
        figure().savefig(file, dpi=200, metadata=metadata)
