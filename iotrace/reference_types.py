"""The types of references: the way in which a file was used (Richardson 1994, chapter 3), and disks beside them."""

from __future__ import annotations

METADATA = ("inode", "directory")
DATA = ("datafile", "disk")
"""The types whose bytes calls move; the model of the file system makes the requests for the others."""
TYPES = (*METADATA, "executable", *DATA)
