# SPDX-License-Identifier: Apache-2.0
"""Shared basics: errors, text, tables, paths, the cache, YAML files with line numbers."""
