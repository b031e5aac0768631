# SPDX-License-Identifier: Apache-2.0
"""Design files, the layers they name, and the resolved design."""
