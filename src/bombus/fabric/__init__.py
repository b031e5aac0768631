# SPDX-License-Identifier: Apache-2.0
"""Networks on chip: configuration, routing as channels, router parameters."""
