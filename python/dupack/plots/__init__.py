"""Figures of runs, sweeps, comparisons and stores, in the style of the reports, each with the data that it shows."""
