"""The parameters of the micro-benchmark of Vilayannur et al."""

from dataclasses import dataclass

from iotrace.option import COUNT, SIZE, TIME, check, option


@dataclass(frozen=True)
class Micro:
    """The parameters of the micro-benchmark; raises UsageError for what is out of bounds."""

    largest_blocks: int = option(
        2, "s: the most blocks of an operation (paper: 2)", COUNT, name="largest", least=1, most=1 << 20
    )
    largest_offset_blocks: int = option(
        600,
        "o: the last block at which one starts (paper: 10, 600, 25000)",
        COUNT,
        name="offset",
        least=0,
        most=1 << 40,
    )
    operations: int = option(20_000, "operations of each process (assumed)", COUNT, least=1, most=20_000_000)
    nodes: int = option(1, "nodes (paper: 1 in figure 3, 2 in figure 4)", COUNT, least=1, most=1 << 16)
    processes_per_node: int = option(1, "processes on each node (assumed)", COUNT, least=1, most=1 << 10)
    block_bytes: int = option(
        4096, "bytes of a block (paper)", SIZE, name="block", also=("-b",), least=1, most=1 << 30
    )
    compute_ns: int = option(
        0,
        "nanoseconds of computation after each operation (assumed)",
        TIME,
        name="compute",
        least=0,
        most=10**15,
    )

    def __post_init__(self) -> None:
        check(self)
