"""Simulations: attribute caches, adaptive partitions, limited non-volatile memory, a disk that turns."""
