# SPDX-License-Identifier: Apache-2.0
"""The rules of `bombus check`, by theme; `bombus.analysis.check` lists them in order."""
