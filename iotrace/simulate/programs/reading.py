"""How the program of a trace is read."""

from dataclasses import dataclass
from typing import Literal

from iotrace.option import Kind, check, option, repeated
from iotrace.option.rules import Runs
from iotrace.schemas.reference_types import DATA

Think = Literal["traced", "none"]
TYPES = Kind(
    "TYPE,...", lambda text: tuple(word.strip() for word in text.split(",")), ",".join, is_number=False
)


@dataclass(frozen=True)
class Reading:
    """The part of a trace that is run (see `stores.of_store`)."""

    think: Think = option(
        "traced",
        "Between a trace's requests: the time from one's end to the next one's start, or none.",
        only_for=Runs.TRACE,
    )
    files: tuple[str, ...] = option(
        (),
        "Only a trace's files like this (repeatable).",
        repeated("PATTERN"),
        name="file",
        only_for=Runs.TRACE,
    )
    types: tuple[str, ...] = option(DATA, "Which of a trace's references count.", TYPES, only_for=Runs.TRACE)

    def __post_init__(self) -> None:
        check(self)
