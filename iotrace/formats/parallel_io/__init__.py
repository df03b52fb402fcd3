"""The family of parallel traces: what all its formats share, from bytes to the native table ``parallel_io``.

A format says how its records become accesses; `checks` and `run` check and count them, the same for every format.
"""
