# SPDX-License-Identifier: Apache-2.0
"""Reed-Solomon codes: a reference model, a client of the service, and software to compare with."""
