"""``dupack compare``: alternatives under the same random numbers, ranked, with the interval of each difference."""
