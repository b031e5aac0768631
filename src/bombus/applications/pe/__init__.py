# SPDX-License-Identifier: Apache-2.0
"""Processing elements: kernels with a control interface, and a queue of jobs for them."""
