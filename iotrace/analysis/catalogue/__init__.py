"""A table over all stores beneath a folder: what each is of, what it moved, and what its first screen says."""
