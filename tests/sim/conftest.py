# SPDX-License-Identifier: Apache-2.0
"""The loopback design, built once, for tests of the simulator itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.simulator.build import build_library
from bombus.simulator.library import Library

LOOPBACK = Path(__file__).parent / "loopback"


@pytest.fixture(scope="session")
def loopback() -> Library:
    return build_library(LOOPBACK)


@pytest.fixture(scope="session")
def loopback_with_everything() -> Library:
    """With waveforms and assertions."""
    return build_library(LOOPBACK, trace=True, assertions=True)
