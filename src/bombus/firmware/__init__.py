# SPDX-License-Identifier: Apache-2.0
"""Firmware of packet processors: compiling, and the contents of their memories."""
