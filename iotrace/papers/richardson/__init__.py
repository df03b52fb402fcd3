"""Richardson (1994): characterization (chapter 3), caches (chapter 4), attribute caches (chapter 5)."""
