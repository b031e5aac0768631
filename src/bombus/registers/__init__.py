# SPDX-License-Identifier: Apache-2.0
"""Registers and tables: what SystemRDL says of them, and what follows from it."""
