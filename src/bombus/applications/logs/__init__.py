# SPDX-License-Identifier: Apache-2.0
"""Logs of a running design: reading, printing, captures, replay (docs/applications/logs)."""
