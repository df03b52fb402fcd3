"""Simulations on the reference stream: attribute caches, adaptive partitions, limited non-volatile memory."""
