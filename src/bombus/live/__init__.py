# SPDX-License-Identifier: Apache-2.0
"""Live runs: a design behind a network interface of Linux."""
