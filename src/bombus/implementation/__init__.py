# SPDX-License-Identifier: Apache-2.0
"""Implementation on real devices: synthesis, place and route, timing."""
