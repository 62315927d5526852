"""`python -m comparanda`."""

from comparanda.cli import main

main()
