"""Groupings of the time in system calls."""

from enum import StrEnum


class Grouping(StrEnum):
    """The values of column by of view call_times, in their order."""

    CALL = "call"
    FILE = "file"
    DIRECTORY = "directory"
    PROGRAM = "program"
    PROCESS = "process"


class Weight(StrEnum):
    """The width of a frame in a profile."""

    TIME = "time"
    BYTES = "bytes"
    CALLS = "calls"
