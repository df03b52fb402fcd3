"""Effects of the operations of caches and key-value stores on an object, by their names."""

OPERATIONS = ("read", "write", "delete")
READ, WRITE, DELETE = range(3)
UNKNOWN = -1
"""Of other words; they count as reads."""
READS = (
    "read", "r", "get", "gets", "gat", "gats", "head", "lookup", "mget", "fetch", "query", "options", "touch", "exists",
    "get_lease", "getlease", "load", "iterate", "seek",
)  # fmt: skip
WRITES = (
    "write", "w", "set", "add", "replace", "append", "prepend", "cas", "incr", "decr", "put", "post", "patch", "update",
    "insert", "merge", "copy", "set_lease", "create", "store",
)  # fmt: skip
DELETES = ("delete", "del", "remove", "purge", "invalidate", "evict", "unlink")


def kind_of(operation: str) -> int:
    """Return what an operation does to its object, as its place in `OPERATIONS`; `UNKNOWN` for other words."""
    kinds = {READ: READS, WRITE: WRITES, DELETE: DELETES}
    return next((kind for kind, operations in kinds.items() if operation in operations), UNKNOWN)
