-- Alignment
--
-- The share of requests that start at, and whose length is, a multiple of sizes from 512 bytes to 1 MB. Flash pages, RAID
-- stripes and physical sectors of 4 KB make the disk read before it writes where a write is not aligned.
--
-- Source: iotrace.
-- Family: disk_io
--
-- Columns:
--   operation        string  [name]      read or write; unknown if the trace does not state it.
--   alignment_bytes  int64   [bytes]     The size.
--   requests         int64   [requests]  All requests of the operation.
--   starts_percent   double  [percent]   Those that start at a multiple of it.
--   lengths_percent  double  [percent]   Those whose length is a multiple of it.
--   both_percent     double  [percent]   Those of which both hold.
--
-- Shown:
--   operation
--   alignment       = alignment_bytes
--   requests
--   aligned starts  = starts_percent
--   aligned lengths = lengths_percent
--   both            = both_percent

with size as (
    select unnest([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]) as size
)
select operation, 512 * size as alignment_bytes, sum(requests) as requests,
       percent_of(coalesce(sum(requests) filter (start_blocks >= size), 0), sum(requests)) as starts_percent,
       percent_of(coalesce(sum(requests) filter (length_blocks >= size), 0), sum(requests)) as lengths_percent,
       percent_of(coalesce(sum(requests) filter (start_blocks >= size and length_blocks >= size), 0), sum(requests))
           as both_percent
from request_alignment
cross join size
group by operation, size
order by operation, size
