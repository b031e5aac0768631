# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of whole designs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import forwarding
from support.live import Live, starter


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Live]]:
    """Starts a design with options of `live.run`."""
    with starter(tmp_path) as start_design:
        yield start_design


@pytest.fixture(scope="module")
def forward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that only forwards."""
    return forwarding.compiled(tmp_path_factory.mktemp("firmware"))
