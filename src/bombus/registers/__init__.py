# SPDX-License-Identifier: Apache-2.0
"""Registers and tables: SystemRDL, and everything generated from it."""
