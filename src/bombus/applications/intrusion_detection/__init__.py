# SPDX-License-Identifier: Apache-2.0
"""Intrusion-detection rules (Snort, Suricata), compiled into tables for a hardware matcher."""
