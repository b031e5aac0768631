# SPDX-License-Identifier: Apache-2.0
"""Boards, and the devices on them."""

from __future__ import annotations
