-- Answer times, in bins
--
-- Requests to disks by how long they take, from arrival (latency) and from their dispatch (service), and calls: see
-- answers_by_time.
--
-- Source: iotrace.
-- Merge: by measure, operation, maximum_ns
--
-- Columns:
--   measure     string  [name]      latency, service or call.
--   operation   string  [name]      What the request does; unknown where the trace does not state it.
--   maximum_ns  int64   [ns]        The longest time of the bin (power_of_two).
--   requests    int64   [requests]  How many.

with answer as (
    select 'latency' as measure, operation, latency_ns as taken_ns from disk_io
    union all
    select 'service', operation, service_ns from disk_io
    union all
    select 'call', operation, duration_ns
    from request
    where type is distinct from 'disk' and in_population(type, unmoved)
    union all
    -- what is not a request; a sync of everything is of no type, and of every population
    select 'call', operation, duration_ns
    from reference
    where operation not in ('read', 'write', 'update') and type is distinct from 'disk'
        and coalesce(in_population(type, false), true)
)
select measure, coalesce(operation, 'unknown') as operation, power_of_two(taken_ns) as maximum_ns,
       count(*) as requests
from answer
where taken_ns is not null
group by all
