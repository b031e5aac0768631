# SPDX-License-Identifier: Apache-2.0
"""docs/trust.md says of every command what it reads and runs."""

from __future__ import annotations

import re

import pytest
import typer

from bombus.cli import app
from tests import ROOT

COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", COMMANDS)
def test_command_has_a_row(name: str) -> None:
    rows = [line for line in (ROOT / "docs" / "trust.md").read_text().splitlines() if "|" in line]
    named = {word for row in rows for word in re.findall(r"`([a-z]+)\b[^`]*`", row.split("|")[1])}
    assert name in named
