# SPDX-License-Identifier: Apache-2.0
"""What the tests of the RTL share."""

from __future__ import annotations

import pytest
from harness import Benches


@pytest.fixture(scope="session")
def benches() -> Benches:
    """Opens benches on Bombus's own RTL."""
    return Benches()
