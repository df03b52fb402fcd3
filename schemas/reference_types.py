"""The types of references (the way in which a file was used: Richardson 1994, chapter 3; and disks), and operations."""

METADATA = ("inode", "directory")
DATA = ("datafile", "disk")
"""The types whose bytes calls move; the model of the file system makes the requests for the others."""
TYPES = (*METADATA, "executable", *DATA)
OPERATIONS = ("read", "write", "update", "truncate", "delete", "sync")
"""The operations of references, by the names that the engine gives."""
