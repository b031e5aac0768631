# SPDX-License-Identifier: Apache-2.0
"""The simulator of a design: its build, its C interface, the Python binding."""
