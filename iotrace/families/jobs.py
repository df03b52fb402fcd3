"""Jobs of which there are counters, and no stream of accesses."""

from iotrace.families.base import Family

JOBS = Family(
    name="darshan_job",
    title="Jobs",
    traces="jobs",
    rows="counters of jobs",
    row=("job", "jobs"),
    are_runs=True,
    first_statistics=(),
    judged_first=(),
    span_sql="select min(start_ns) as start_ns, max(start_ns + run_ns) as end_ns from darshan_job",
    io_sql="select null, null, sum(ranks) from darshan_job",
    in_io="the counters",
    other_tables=("darshan_mount", "darshan_record", "darshan_counter"),
    read_in_order="files are numbered in the order of all logs",
    has_archives=True,
    instead="iotrace info and iotrace sql",
)
