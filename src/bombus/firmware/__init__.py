# SPDX-License-Identifier: Apache-2.0
"""Firmware of packet processors: compiled, and made into the contents of their memories."""
