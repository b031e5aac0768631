# SPDX-License-Identifier: Apache-2.0
"""Checks of a resolved design: its contract, deadlock, load, the flight window."""
