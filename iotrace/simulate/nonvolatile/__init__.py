"""Caches of which only a part is non-volatile (Richardson 1994, 6.2.3): disk writes, and what a crash would lose."""
