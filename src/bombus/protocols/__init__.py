# SPDX-License-Identifier: Apache-2.0
"""Reference models of the protocols, independent of the hardware: frames and the IP stack."""
