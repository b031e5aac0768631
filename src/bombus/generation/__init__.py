# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog, file lists and manifests from a checked design."""
