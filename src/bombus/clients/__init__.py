# SPDX-License-Identifier: Apache-2.0
"""Linux clients for the services of Bombus designs."""
