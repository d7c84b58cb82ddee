"""``dupack sweep``: a plan's runs into a store."""
