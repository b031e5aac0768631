"""Style and cleanliness, as `make lint` checks them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from unit_helpers import ROOT


@pytest.mark.parametrize("step", ["python", "format", "designs"])
def test_lint_is_clean(step: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / "lint.py"), step]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
