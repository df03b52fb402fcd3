"""The settings of attribute caches: a scheme at total sizes, its classes, and what it is compared with."""

from dataclasses import dataclass
from typing import Literal

from iotrace.errors import UsageError
from iotrace.option import COUNT, FLAG, SIZE, SIZES, Kind, check, check_rules, option, repeated

CUT_OFF_BYTES = 512 * 1024
"""The dissertation's (5.2); 128 KB is its alternative (5.3.2)."""
Objective = Literal["reads", "time", "requests"]
"""The cost to minimize: read request misses, all service time, or all disk requests."""
FileSize = Literal["first", "each", "largest"]
"""Which size of a file is compared with the cut-off: that at its first request, at each request, or the largest seen.

The dissertation implies the first: a file's class is known before its first look-up in the cache (5.1.1), new files go
by their predicted size, and files may stay in their subcache when their size changes (5.3.2).
"""


SCHEME = Kind("SCHEME", str, str, is_number=False)


SPLIT = {"--split": "it shows counts"}
SUBCACHES = {"--space": "its subcaches are the scheme's"}
STAYING = dict.fromkeys(["--reclassify", "--file-size each"], "files keep their class")


@dataclass(frozen=True)
class Settings:
    """A scheme (5.2) at total sizes, by which rule requests find their class, and which tables are made.

    Without `split` and `adaptive` the scheme is compared with a Unix cache and the best partition. Raises UsageError
    for invalid settings; `iotrace.simulate.attribute.plan` does for invalid schemes.
    """

    scheme: str = option("variable", "A scheme's name, or a configuration.", SCHEME, also=("-s",))
    totals_bytes: tuple[int, ...] | None = option(
        None,
        "Total sizes: 1M,4M,... Powers of two from 4K to 1G otherwise.",
        SIZES,
        name="total",
        also=("-t",),
    )
    objective: Objective = option(
        "reads",
        "What the best partition minimizes: read misses, disk time or disk requests.",
        name="best",
        conflicts=SPLIT,
    )
    spaces: tuple[str, ...] = option(
        (),
        "The configurations to choose the best from: ?/128 ID, ?/4K|8K General (repeatable). Otherwise those of the"
        " dissertation's schemes and of the scheme given, any sizes.",
        repeated("SPACE"),
        name="space",
        conflicts=SPLIT,
    )
    classes: tuple[str, ...] = option(
        (),
        "Define a class: any SQL condition over reference, file and process (repeatable).",
        repeated("NAME:SQL"),
        name="class",
    )
    cut_off_bytes: int = option(
        CUT_OFF_BYTES, "The least size of a Sequential file.", SIZE, name="cut-off", least=1
    )
    file_size: FileSize = option(
        "first",
        "The size that the cut-off sees: at a file's first request, at each, or the largest. The first is the paper's:"
        " sizes that change need not move files (5.3.2).",
        rare=True,
    )
    reclassify: bool = option(
        False,
        "Classify files at each request; the blocks of a file that changes its class leave the old subcache, dirty ones"
        " to the disk.",
        FLAG,
        rare=True,
    )
    strict: bool = option(False, "Refuse a scheme that leaves requests without a subcache.", FLAG, rare=True)
    adaptive: bool = option(
        False,
        "Let the scheme's subcaches grow and shrink by what space is worth, and show what that changes.",
        FLAG,
        conflicts={**SPLIT, **SUBCACHES, **STAYING},
    )
    period_requests: int = option(
        2000,
        "Requests after which space may move.",
        COUNT,
        name="period",
        least=1,
        needs=["--adaptive"],
        rare=True,
    )
    advise: bool = option(
        False,
        "Find files to move to another subcache, and simulate that.",
        FLAG,
        needs=["--total"],
        conflicts={**SPLIT, "--adaptive": "", **SUBCACHES, "--learn": "", **STAYING},
    )
    learn: bool = option(
        False,
        "Learn what to move from the first trace, judge it on the others.",
        FLAG,
        needs=["--total"],
        conflicts={**SPLIT, "--adaptive": "", **SUBCACHES, **STAYING},
    )
    candidates: int = option(
        24,
        "How many files are considered: those that cost most or bring in most blocks.",
        COUNT,
        least=1,
        needs=["--advise or --learn"],
        rare=True,
    )
    split: bool = option(False, "Show counts, also by subcache and by type.", FLAG)

    def __post_init__(self) -> None:
        check(self)
        check_rules([self])
        if min(self.totals_bytes or [1]) < 1:
            raise UsageError("totals_bytes: totals are sizes above 0")
