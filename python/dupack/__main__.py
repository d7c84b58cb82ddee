"""``python -m dupack`` is ``dupack``."""

from dupack._start import main

main()
