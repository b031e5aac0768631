# SPDX-License-Identifier: Apache-2.0
"""Reference models, independent of the hardware: the IP stack, Reed-Solomon codes, engines."""
