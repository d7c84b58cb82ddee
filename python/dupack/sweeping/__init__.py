"""``dupack sweep``: runs a sweep and keeps its results in a store."""
