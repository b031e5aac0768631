# SPDX-License-Identifier: Apache-2.0
"""The network between boards: many boards as one design."""
