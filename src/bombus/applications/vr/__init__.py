# SPDX-License-Identifier: Apache-2.0
"""Viewstamped Replication witness: its messages and its model."""
