"""Lines over the size of a cache, as figures draw them."""
