# SPDX-License-Identifier: Apache-2.0
"""Network functions: layers between the protocols of a design, and their tables."""
