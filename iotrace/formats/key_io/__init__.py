"""The family of key traces: what all formats of requests to caches and key-value stores share, up to table ``key_io``.

A format says how its records become requests; `checks` and `run` check, number and count them, the same for every
format.
"""
