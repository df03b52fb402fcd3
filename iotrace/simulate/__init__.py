"""Simulations on the reference stream: attribute caches, and more to come."""
