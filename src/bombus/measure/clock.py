# SPDX-License-Identifier: Apache-2.0
"""The clock that a design would have by the estimate of area and timing."""

from __future__ import annotations

from pathlib import Path


def estimated_mhz(design: Path) -> float:
    """The clock that both estimates of the longest path allow."""
    from bombus.measure.area import measure  # an extra

    mhz = measure(str(design)).clock_mhz
    assert mhz  # a design has paths
    return mhz
