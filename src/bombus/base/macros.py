# SPDX-License-Identifier: Apache-2.0
"""Preprocessor macros of generated SystemVerilog."""

from __future__ import annotations

CHECKS = "BOMBUS_CHECKS"  # adds the checkers of streams and layers
