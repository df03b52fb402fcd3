"""System calls of programs."""

from iotrace.families.base import Family

CALLS = Family(
    name="syscall",
    title="System calls",
    traces="system calls",
    rows="system calls",
    row=("call", "calls"),
    are_runs=True,
    first_statistics=(
        "static_by_type",
        "references_by_type",
        "reuse_by_type",
        "reads_and_writes_by_requests",
    ),
    judged_first=("wall_time",),
    span_sql="select min(start_ns) as start_ns, max(end_ns) as end_ns from wall_stretch where process is null",
    span_views=("wall_stretch",),
    # a call on a descriptor of which nothing is known may be one of storage
    io_sql="select sum(cost_ns), sum(duration_ns), 1 from timed_call where class in ('storage', 'unknown')",
    io_views=("timed_call",),
    in_io="calls that are, or may be, on storage",
)
