"""Requests to disks."""

from iotrace.families.base import Family, NativeRows

DISKS = Family(
    name="disk_io",
    title="Disks",
    traces="block requests",
    rows="requests to disks",
    row=("request", "requests"),
    are_runs=False,
    first_statistics=("requests_by_disk", "reads_and_writes_by_requests", "answer_times"),
    judged_first=("read_latency_p50", "write_latency_p50"),
    span_sql="select min(time_ns) as start_ns, max(time_ns + coalesce(latency_ns, 0)) as end_ns from disk_io",
    io_sql="select sum(latency_ns), null, 1 from disk_io",
    in_io="requests",
    key_figures=("iops", "bandwidth", "latency", "read_share", "footprint", "duration"),
    native=NativeRows(length_ns="latency_ns"),
    has_disks=True,
    has_answers_to=("accesses", "advice", "patterns", "nonvolatile", "programs", "write-cache"),
    instead="iotrace report and iotrace write-cache",
)
