# SPDX-License-Identifier: Apache-2.0
"""Firmware of packet processors: compiling, and the contents of their memories."""

# Each of a packet processor's memories, code and data, unless the design file says otherwise.
MEMORY_BYTES = 8192
LEAST_BYTES = 60  # of a frame, without FCS
