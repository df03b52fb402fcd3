"""Jobs of which there are counters, and no stream of accesses."""

from collections.abc import Collection

from iotrace.families.base import Family

JOBS = Family(
    name="darshan_job",
    title="Jobs",
    traces="jobs",
    rows="counters of jobs",
    row=("job", "jobs"),
    are_runs=True,
    first_statistics=("io_by_job", "time_by_layer"),
    judged_first=(),
    span_sql="select min(start_ns) as start_ns, max(start_ns + run_ns) as end_ns from darshan_job",
    io_sql="select null, null, sum(ranks) from darshan_job",
    io_views=("job_io",),
    in_io="the calls that the log counts",
    key_figures=(
        "jobs",
        "job_ranks",
        "job_io_share",
        "job_bytes_read",
        "job_bytes_written",
        "job_metadata_share",
    ),
    other_tables=("darshan_mount", "darshan_record", "darshan_counter"),
    read_in_order="files are numbered in the order of all logs",
    has_archives=True,
    has_counters=True,
    has_answers_to=("advice",),
    instead="iotrace report and iotrace time",
)


COUNTERS_FORMAT = "darshan-jobs"
"""The name of the format that reads the counters of logs alone."""
SEVERAL_JOBS = "several_jobs"
"""The name of figures over several jobs, where that of the family is of figures on one."""


def counts_jobs(tables: Collection[str]) -> bool:
    """Return whether a store with these tables has counters of jobs, of which it may have accesses, too."""
    return JOBS.name in tables
