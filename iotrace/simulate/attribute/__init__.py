"""Attribute caches: subcaches by the files' attributes, at every size (Richardson 1994, chapter 5)."""
