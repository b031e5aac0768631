# SPDX-License-Identifier: Apache-2.0
"""The example of a bar of 20 boards, with another number of them."""

from __future__ import annotations

from pathlib import Path

from tests import ROOT

EXAMPLE = ROOT / "docs" / "examples" / "cluster" / "twenty_boards.yaml"


def bar_of(boards: int, folder: Path) -> Path:
    """Writes the design file; the application is on the last board."""
    text = EXAMPLE.read_text()
    for old, new in (("boards: 20", f"boards: {boards}"), ("board: 19", f"board: {boards - 1}")):
        assert text.count(old) == 1
        text = text.replace(old, new)
    file = folder / "cluster.yaml"
    file.write_text(text)
    return file
