-- Where the trace ends, and its rows
--
-- One row: when the last call, reference or request to a disk ends, and how many there are.
--
-- Source: iotrace.
-- Merge: sum; max end_ns; times end_ns
--
-- Columns:
--   end_ns        int64?  [ns]          When the last one ends, since the start of the trace; missing without times.
--   references    int64   [references]  Rows of table reference.
--   calls         int64   [calls]       System calls.
--   key_requests  int64   [requests]    Rows of table key_io.

with event as (
    select time_ns, duration_ns from syscall
    union all
    select time_ns, duration_ns from reference
    union all
    select time_ns, latency_ns from disk_io
),
ended as (
    select max(time_ns + coalesce(duration_ns, 0)) as end_ns from event
),
referenced as (
    select count(*) as "references" from reference
),
called as (
    select count(*) as calls from system_call
),
keyed as (
    select count(*) as key_requests from key_io
)
select end_ns, "references", calls, key_requests
from ended
cross join referenced
cross join called
cross join keyed
