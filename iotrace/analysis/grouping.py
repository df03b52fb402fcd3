"""Groupings of the time in system calls, and of that of jobs."""

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


BY_JOBS = {
    "layer": "time_by_layer",
    "file": "time_by_job_file",
    "rank": "time_by_job_rank",
    "node": "time_by_job_node",
    "uid": "time_by_job_user",
}
"""Groupings of the time of jobs, and the statistic of each."""
