# SPDX-License-Identifier: Apache-2.0
"""Preprocessor macros of generated SystemVerilog."""

from __future__ import annotations

MAC_PORTS = "BOMBUS_MAC_PORTS"  # how many a design has; matters where there are more than three
CHECKS = "BOMBUS_CHECKS"  # adds the checkers of streams and layers
