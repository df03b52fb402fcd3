"""Requests to caches and key-value stores."""

from iotrace.families.base import Family, NativeRows

KEYS = Family(
    name="key_io",
    title="Caches and key-value stores",
    traces="caches",
    rows="requests for the objects of a cache",
    row=("request", "requests"),
    are_runs=False,
    first_statistics=("reads_and_writes_by_requests", "key_skew", "requests_by_tenant", "requests_by_size"),
    judged_first=("request_latency_p50",),
    span_sql="select min(time_ns) as start_ns, max(time_ns + coalesce(duration_ns, 0)) as end_ns from key_io",
    io_sql="select null, null, 1",
    in_io="requests",
    key_figures=("requests", "keys", "bytes_requested", "once_share", "skew", "duration"),
    native=NativeRows(process="null::integer", file="key"),
    other_tables=("key_name", "tenant_name"),
    read_in_order="keys are numbered in the order of all files",
    has_objects=True,
    has_answers_to=("accesses",),
)
