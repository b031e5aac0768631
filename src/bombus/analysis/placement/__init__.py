# SPDX-License-Identifier: Apache-2.0
"""Placement of tiles on the mesh."""
