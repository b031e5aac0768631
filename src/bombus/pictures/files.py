# SPDX-License-Identifier: Apache-2.0
"""Write figures as files, by the suffix of their names."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure

from bombus.base.errors import UserError
from bombus.base.output import replace, writing
from bombus.base.text import listing

FORMATS = (".svg", ".png", ".pdf")


def check_suffix(file: Path) -> None:
    """UserError if a picture cannot have this name."""
    if file.suffix not in FORMATS:
        endings = listing(FORMATS, "or")
        raise UserError(f"{file}: the file name of a picture should end in {endings}")


def save(figure: Callable[[], Figure], file: Path, salt: str) -> None:
    """Draws a figure and writes it; `salt`, for the identifiers in SVG, makes it reproducible."""
    check_suffix(file)
    with writing(file):
        file.parent.mkdir(parents=True, exist_ok=True)
    # Keeps text as text, and makes the output reproducible.
    settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": salt}
    metadata = {"Date": None} if file.suffix == ".svg" else {}
    content = BytesIO()
    with matplotlib.rc_context(settings):
        figure().savefig(content, format=file.suffix[1:], dpi=200, metadata=metadata)
    replace(file.resolve(), content.getvalue())
