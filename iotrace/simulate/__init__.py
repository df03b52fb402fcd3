"""Simulations: attribute caches, adaptive partitions, limited non-volatile memory, disk mechanics."""
