# SPDX-License-Identifier: Apache-2.0
"""Names that the unit tests share; the fixtures are in conftest.py."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bombus.design.rtl import LayerKind

ROOT = Path(__file__).resolve().parents[2]

DESIGNS = ROOT / "designs"

Edited = Callable[..., Path]
Problems = Callable[..., list[str]]


def without_promise(kind: LayerKind) -> LayerKind:
    """The layer, were its input to wait for its output."""
    stream = replace(kind.inputs["in"], always_takes=False, waits_for_outputs=("out",))
    return replace(kind, inputs={"in": stream})
