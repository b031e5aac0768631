# SPDX-License-Identifier: Apache-2.0
"""Fields of `tuser` in a raised stream whose layer declares kinds, from bit 0 up: the number of the
kind, the length of the message, the metadata (docs/architecture.md).
"""

from __future__ import annotations

KIND_BITS, LENGTH_BITS = 8, 16
