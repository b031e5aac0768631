# SPDX-License-Identifier: Apache-2.0
"""The engines of a network card: a reference model, and a client."""
