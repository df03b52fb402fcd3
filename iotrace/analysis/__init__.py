"""Analyses of a trace: statistics, miss-ratio curves, access patterns."""
