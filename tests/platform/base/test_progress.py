# SPDX-License-Identifier: Apache-2.0
"""Steps that take a while are not silent, where a spinner cannot be seen either."""

from __future__ import annotations

import io
import re
import time

import pytest
from rich.console import Console

from bombus.base import progress


def test_a_long_step_tells_that_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "INTERVAL", 0.05)
    screen = io.StringIO()
    with progress.step(Console(file=screen), "Compiling a[0]"):
        for _ in range(200):
            if screen.getvalue().count("\n") > 2:
                break
            time.sleep(0.05)
    first, *others = screen.getvalue().splitlines()
    assert first == "Compiling a[0]"
    assert len(others) > 1
    assert all(re.fullmatch(r"Compiling a\[0\]: \d+ s so far", line) for line in others)
    time.sleep(0.2)
    assert len(screen.getvalue().splitlines()) == 1 + len(others)  # it ends with the step


def test_a_short_step_is_one_line() -> None:
    screen = io.StringIO()
    with progress.step(Console(file=screen), "Generating a.yaml"):
        pass
    assert screen.getvalue() == "Generating a.yaml\n"
