# SPDX-License-Identifier: Apache-2.0
"""The control plane: requests to registers over the network (docs/applications/control)."""
