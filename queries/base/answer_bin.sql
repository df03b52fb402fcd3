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

select measure, coalesce(operation, 'unknown') as operation, power_of_two(taken_ns) as maximum_ns,
       count(*) as requests
from timed_answer
where taken_ns is not null
group by all
