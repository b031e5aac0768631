# SPDX-License-Identifier: Apache-2.0
"""Echo over UDP: a demonstration."""
