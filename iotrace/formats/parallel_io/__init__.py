"""The family of parallel traces: what all its formats share, from bytes to the native table ``parallel_io``.

A format says how its records become accesses; `run` checks, numbers and counts them, the same for every format.
"""
