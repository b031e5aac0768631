# SPDX-License-Identifier: Apache-2.0
"""Applications of the platform: packet processors, firewall, intrusion detection and others."""
