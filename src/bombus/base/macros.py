# SPDX-License-Identifier: Apache-2.0
"""Preprocessor macros of generated SystemVerilog."""

from __future__ import annotations

MAC_PORTS = "BOMBUS_MAC_PORTS"  # number of MAC ports of a design; needed above three
CHECKS = "BOMBUS_CHECKS"  # adds the checkers of streams and layers
