"""Simulations on the reference stream: attribute caches, and caches with limited non-volatile memory."""
