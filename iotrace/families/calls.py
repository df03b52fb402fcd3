"""System calls of programs."""

from iotrace.families.base import Family, NativeRows

NOT_CALLS = ("process_exited", "process_killed", "process_superseded", "process_detached", "records_lost")
"""Rows of table syscall that are not calls; see view system_call."""
UNDER_CALLS = (
    "off_cpu",
    "stack_frame",
    "call_stack",
    "process_cgroup",
    "opened_inode",
    "page_cache_event",
    "disk_io",
    "disk_io_file",
    "disk",
    "memory_sample",
    "ring_request",
)
"""The tables of what a recording has besides calls."""

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
    io_views=("timed_call", "storage_time_by_cause"),
    in_io="calls that are, or may be, on storage",
    key_figures=("duration", "processes", "calls", "bytes_read", "bytes_written", "files"),
    requests_sql="syscall where result is not null or error is not null or duration_ns is not null",
    native=NativeRows(
        is_event=f"call not in {NOT_CALLS}",
        is_on_chosen_file="(seq in (select call_seq from call_file where file in (select file from chosen_file))"
        " or path in (select name from chosen_name) or path2 in (select name from chosen_name))",
        names_sql="select path from syscall union select path2 from syscall",
        files_sql="select file from call_file where call_seq in (select seq from kept_call)"
        " union select directory from failed_path where call_seq in (select seq from kept_call)",
    ),
    other_tables=(
        "mapping",
        "call_file",
        "failed_path",
        *UNDER_CALLS,
    ),
    read_in_order="which files a call is about depends on the calls in the files before",
    has_archives=True,
    has_model=True,
    has_programs=True,
    has_answers_to=("accesses", "time", "advice", "patterns", "attribute", "nonvolatile", "programs"),
    instead="iotrace time and iotrace curve",
)
