# SPDX-License-Identifier: Apache-2.0
"""The peer in `tests/peers/smoltcp`, compiled at first use."""

from __future__ import annotations

from pathlib import Path

import pytest

from bombus.base.errors import UserError
from bombus.measure import bench


def program() -> Path:
    """Its path; the test is skipped without cargo or without access to its packages."""
    try:
        return Path(bench.load("_tcp-ends").smoltcp_program("smoltcp-peer"))
    except UserError as error:
        pytest.skip(str(error))
