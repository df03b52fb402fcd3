-- Latency by size of the request, in bins
--
-- Requests to disks by length and by how long they take, from arrival (latency) and from their dispatch (service): see
-- latency_by_size.
--
-- Source: iotrace.
-- Family: disk_io
-- Merge: by measure, operation, maximum_size_bytes, maximum_ns; max longest_ns
--
-- Columns:
--   measure             string  [name]      latency or service.
--   operation           string  [name]      read, write, discard, flush or unknown.
--   maximum_size_bytes  int64   [bytes]     The longest length of the bin (power_of_two).
--   maximum_ns          int64   [ns]        The longest time of the bin (fine_bin).
--   requests            int64   [requests]  How many.
--   taken_ns            int64   [ns]        How long they take, added up.
--   longest_ns          int64   [ns]        How long the longest takes.

with answered as (
    select 'latency' as measure, time_ns, operation, blocks, latency_ns as taken_ns from disk_io
    union all
    select 'service', time_ns, operation, blocks, service_ns from disk_io
)
select measure, coalesce(operation, 'unknown') as operation, power_of_two(512 * blocks) as maximum_size_bytes,
       fine_bin(taken_ns) as maximum_ns, count(*) as requests, sum(taken_ns) as taken_ns, max(taken_ns) as longest_ns
from answered
where time_ns is not null and taken_ns >= 0 and blocks is not null
group by all
