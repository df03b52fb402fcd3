"""The options of the states of slices, which ``iotrace curve`` and ``iotrace merge-curves`` share or have alone."""

from dataclasses import dataclass
from pathlib import Path

from iotrace.cli.options.groups import Group, declared
from iotrace.option.rules import Caches, Kind

NO_STATE = {
    **dict.fromkeys(["--by", "--split", "--policy", "--fetch", "--coalesce", "--warm-up", "--plot"], ""),
    Kind.PART: "states are of records (--records)",
}
"""Options that states do not have."""
NEEDED = ("--output",)
UNWRITTEN = {
    **dict.fromkeys(["--output -", "--format"], "a state is an Arrow file"),
    "--sizes": "a state has all sizes",
}
"""Options with which states are not written."""

UNMERGED = [
    "--by",
    "--split",
    "--policy",
    "--fetch",
    "--coalesce",
    "--warm-up",
    "--sample",
    "--since",
    "--last",
]
"""Options of curves that are not made of states."""


@dataclass(frozen=True, kw_only=True)
class StateOptions(Group):
    """Whether a state is written or continued, and of which records."""

    state: bool = declared(
        False,
        "Write the caches' state, for iotrace merge-curves.",
        needs=NEEDED,
        conflicts={**NO_STATE, **UNWRITTEN},
        kind=Kind.QUESTION,
        only_for=Caches.BLOCKS,
    )
    records: str | None = declared(
        None,
        "Only these records, counted from 0.",
        needs=["--state"],
        conflicts=["--resume"],
        metavar="FIRST:END",
        rare=True,
        kind=Kind.QUESTION,
        only_for=Caches.BLOCKS,
    )
    largest: str | None = declared(
        None,
        "Only caches up to this size, which bounds memory.",
        conflicts={**dict.fromkeys(UNMERGED, ""), "--resume": "that state has its largest size"},
        metavar="SIZE",
        rare=True,
        kind=Kind.QUESTION,
        only_for=Caches.BLOCKS,
    )
    resume: Path | None = declared(
        None,
        "Continue this state with the records that the trace has after it.",
        conflicts=NO_STATE,
        metavar="STATE",
        rare=True,
        kind=Kind.QUESTION,
        only_for=Caches.BLOCKS,
    )

    @property
    def is_used(self) -> bool:
        """Whether the command writes or continues a state."""
        return self.state or self.resume is not None
