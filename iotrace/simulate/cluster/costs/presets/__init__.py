"""Sets of components, as data."""
