"""What the time in system calls is added up by."""

from enum import StrEnum


class Grouping(StrEnum):
    """The values of column by of view call_times, in their order."""

    CALL = "call"
    FILE = "file"
    DIRECTORY = "directory"
    PROGRAM = "program"
    PROCESS = "process"
