# SPDX-License-Identifier: Apache-2.0
"""The live page of a running cluster."""
