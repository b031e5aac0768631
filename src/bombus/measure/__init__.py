# SPDX-License-Identifier: Apache-2.0
"""Measurements: benchmarks, sweeps over fabrics, area."""
