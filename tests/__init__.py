# SPDX-License-Identifier: Apache-2.0
"""The tests, in folders of the same names as those of rtl/ and src/bombus/."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DESIGNS = ROOT / "tests" / "designs"  # designs of several tests
LOOPBACK = ROOT / "tests" / "support" / "loopback"  # a design for tests of the simulator itself
# A design with links of beats, for tests of simulations of many boards
BEAT_BOARD = ROOT / "tests" / "support" / "beat_board"
