-- How long requests and calls take
--
-- One row per request to a disk for its latency and one for its service time, and one per call of the population (parameter
-- population): see answer_times.
--
-- Source: iotrace.
--
-- Columns:
--   measure    string   [name]  latency, service or call.
--   operation  string?  [name]  What it does; missing where the trace does not state it.
--   taken_ns   int64?   [ns]    How long it took; missing where the trace does not have it.

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
