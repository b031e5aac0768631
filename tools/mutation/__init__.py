# SPDX-License-Identifier: Apache-2.0
"""Mutation testing: makes small mistakes in a source file, and sees whether a test notices."""
