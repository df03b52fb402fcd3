"""Caches of a cluster: two levels of them, and bypassing them (Vilayannur et al.)."""
