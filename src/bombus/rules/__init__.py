# SPDX-License-Identifier: Apache-2.0
"""Rules of intrusion detection (Snort, Suricata), made into tables for a matcher in hardware."""
