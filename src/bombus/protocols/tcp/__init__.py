# SPDX-License-Identifier: Apache-2.0
"""TCP: sockets on the engine of a simulated design, and a reference model of an endpoint."""
