"""Workloads that are made, not traced."""
