# SPDX-License-Identifier: Apache-2.0
"""Locations of the files shipped with Bombus: RTL, simulator, benchmarks, designs, examples,
projects."""

from __future__ import annotations

from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]


def _shipped(name: str) -> Path:
    """A folder inside the installed package, or of the source tree in an editable install."""
    inside = PACKAGE / name
    return inside if inside.is_dir() else PACKAGE.parents[1] / name


RTL = _shipped("rtl")
SIM = _shipped("sim")
MODELS = SIM / "platform" / "models"  # of memories and links
# Where C programs find the headers of the simulator.
INCLUDES = [SIM / "platform", *sorted((SIM / "protocols").iterdir())]
DESIGNS = _shipped("designs")
BOARDS = _shipped("boards")
BENCHMARKS = _shipped("benchmarks")
PROJECTS = _shipped("templates")  # of `bombus new`
EXAMPLES = _shipped("docs/examples")
PEERS = _shipped("tests/peers")  # programs that designs talk to
TEMPLATES = PACKAGE / "generation" / "templates"
