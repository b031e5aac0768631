# SPDX-License-Identifier: Apache-2.0
"""New projects of a user, from templates."""
