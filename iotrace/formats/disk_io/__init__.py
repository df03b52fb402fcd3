"""The family of block traces: what all its formats share, from bytes to the native table ``disk_io``.

A format says how its records become requests; `checks` and `run` check and count them, the same for every format.
"""
