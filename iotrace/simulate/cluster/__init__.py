"""Caches of a cluster: two levels of them, and going round them (Vilayannur et al.)."""
