"""Reproduces papers: runs their experiments, draws their figures, and compares their numbers with ours."""
