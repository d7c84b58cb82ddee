"""``dupack compare``: alternatives with the same seeds, ranked, with confidence intervals of their differences."""
