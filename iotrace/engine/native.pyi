"""The compiled engine."""

from typing import Any

class StackEngine:
    """Exact LRU caches of every size over one stream of references (Richardson 1994, 2.4; Mattson 1970).

    Raises ValueError for settings that make no sense.
    """

    def __init__(
        self,
        *,
        block_bytes: int,
        write_policy: str = "allocate",
        deletes: str = "honour",
        warm_up_requests: int = 0,
        warm_up_ns: int | None = None,
        inodes_per_block: int | None = None,
    ) -> None: ...
    def push(self, references: Any) -> None:
        """Take a record batch with the columns file (int32), operation (dictionary of int32 to string), offset and
        length (int64), and where present file_size, time_ns (int64), component (int32) and is_inode (bool).

        Raises ValueError that names the row for a row that makes no sense. Releases the interpreter meanwhile.
        """

    def tally(self) -> dict[str, int]:
        """Return what the stream contained so far: rows, requests, and what had to be guessed or left out."""

    def finish(self, *, overhead_ns: int, transfer_ns_per_kb: int) -> StackCurve:
        """End the stream; the engine is empty afterwards."""

class StackCurve:
    """The counts of a finished engine."""

    @property
    def components(self) -> int:
        """The number of components."""

    def table(self, component: int, sizes_blocks: list[int] | None = None) -> Any:
        """Return one component's rows as an Arrow record batch: component (int32), then the columns of table curve.

        One row for each size at which a count changes, or for each of ``sizes_blocks`` (ascending, distinct).
        """
