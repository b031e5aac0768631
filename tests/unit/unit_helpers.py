"""Names that the unit tests share; the fixtures are in conftest.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DESIGNS = ROOT / "designs"

Edited = Callable[..., Path]
Problems = Callable[..., list[str]]
