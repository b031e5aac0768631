"""`python -m bombus.cli`."""

from bombus.cli import main

main()
