"""Findings of papers as claims judged by numbers: each holds, fails, or can't be judged.

A claim is a number and the bounds within which it bears the claim out (`interval`, `claim`); how the number is taken
is the paper's own. `tally` counts by kind, and apart what is no evidence: what the model cannot but give, what is
judged on printed numbers, and what was fitted to them.
"""
