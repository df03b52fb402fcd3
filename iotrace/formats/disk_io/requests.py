"""Fields of the requests of a block format."""

BLOCK_BYTES = 512
"""The unit of table disk_io."""

READ, WRITE, DISCARD, FLUSH = OPERATIONS = ("read", "write", "discard", "flush")

STAGES = ("queued_ns", "allocated_ns", "inserted_ns", "issued_ns", "completed_ns")
"""When a request passed the stages of Linux's block layer (blktrace's Q, G, I, D and C), from the format's base."""

FIELDS = (
    "record", "time_ns", "device", "operation", "lbn", "blocks", "offset_bytes", "length_bytes", "pid",
    "program", "file", "latency_ns", "service_ns", *STAGES, "host", "flags", "reason",
)  # fmt: skip
"""The columns of a batch. A request's place is either lbn and blocks (of 512 bytes) or offset and length."""
