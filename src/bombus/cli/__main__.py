# SPDX-License-Identifier: Apache-2.0
"""`python -m bombus.cli`."""

from bombus.cli import main

main()
