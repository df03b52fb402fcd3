"""From a raw trace to a store: native tables, the reference stream, and the order of time."""
