"""Readings: what a paper leaves open, and the search for a consistent reading of it."""
