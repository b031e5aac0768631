# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python pipeline share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from unit_helpers import DESIGNS, Edited, Problems

from bombus.base.errors import DesignError


@pytest.fixture
def edited(tmp_path: Path) -> Edited:
    """udp_echo with texts replaced; each must be there."""

    def write(*edits: tuple[str, str]) -> Path:
        text = (DESIGNS / "udp_echo.yaml").read_text()
        for old, new in edits:
            assert old in text, f"{old!r} is not in udp_echo.yaml"
            text = text.replace(old, new)
        file = tmp_path / "design.yaml"
        file.write_text(text)
        return file

    return write


@pytest.fixture
def problems() -> Problems:
    """The problems that a step finds in a design, each as `line: message`."""

    def find(step: Callable[[Path], object], file: Path, *, errors_only: bool = True) -> list[str]:
        with pytest.raises(DesignError) as caught:
            step(file)
        return [
            f"{problem.line}: {problem.message}"
            for problem in caught.value.problems
            if problem.is_error or not errors_only
        ]

    return find
