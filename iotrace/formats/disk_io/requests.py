"""What the requests of a block format are made of."""

BLOCK_BYTES = 512
"""The unit of table disk_io."""

READ, WRITE, DISCARD, FLUSH = OPERATIONS = ("read", "write", "discard", "flush")

FIELDS = (
    "record",
    "time_ns",
    "device",
    "operation",
    "lbn",
    "blocks",
    "offset_bytes",
    "length_bytes",
    "pid",
    "program",
    "file",
    "latency_ns",
    "service_ns",
    "host",
    "flags",
    "reason",
)
"""What a row of a batch may have. A request's place is either lbn and blocks (of 512 bytes) or offset and length."""
