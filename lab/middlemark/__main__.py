"""`python -m middlemark` is the `middlemark` command."""

from middlemark.cli import main

main()
