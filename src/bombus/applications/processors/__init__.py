# SPDX-License-Identifier: Apache-2.0
"""Packet processors: their firmware, and their control while a design runs."""

# Each of a packet processor's memories, code and data, unless the design file says otherwise.
MEMORY_BYTES = 8192
LEAST_BYTES = 60  # of a frame, without FCS
