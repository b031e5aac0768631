"""Where the SystemVerilog and the other files that come with Bombus are."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def _shipped(name: str) -> Path:
    """A folder inside the installed package, or of the source tree in an editable install."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parents[1] / name


RTL = _shipped("rtl")
SIM = _shipped("sim")
BENCHMARKS = _shipped("benchmarks")
TEMPLATES = PACKAGE / "templates"
