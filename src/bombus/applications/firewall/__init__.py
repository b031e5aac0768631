# SPDX-License-Identifier: Apache-2.0
"""Blacklists of IP prefixes, compiled into tables for the matcher of a firewall."""
