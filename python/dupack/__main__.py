"""``python -m dupack`` is ``dupack``."""

from dupack.cli import main

main()
