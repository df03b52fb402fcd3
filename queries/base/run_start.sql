-- Where runs start
--
-- Each run of files (sequential_run), whole executables left out, by where it starts, seen from where the run before of
-- the same use ended. All requests of a run but its first are sequential.
--
-- Source: iotrace.
-- Streamed: yes
--
-- Columns:
--   type       string  [name]      executable, datafile or disk.
--   direction  string  [name]      read, write or, if runs may mix, read_write.
--   requests   int64   [requests]  All requests.
--   runs       int64   [runs]      All runs.
--   first      int64   [runs]      The first of their use.
--   turned     int64   [runs]      Those that start where the last one ended, in the other direction.
--   forward    int64   [runs]      Those that skip something.
--   backward   int64   [runs]      Those that go back.
--   unknown    int64   [runs]      Those whose place, or whose predecessor's end, is unknown.

with started as (
    select type, direction, requests, offset_bytes,
           lag(first_seq) over each_use is null as first,
           lag(offset_bytes + length_bytes) over each_use as reached
    from sequential_run
    where not whole_executable
    window each_use as (partition by use, file, type, process order by first_seq)
)
select type, direction, sum(requests) as requests, count(*) as runs,
       count(*) filter (first) as first,
       count(*) filter (not first and offset_bytes = reached) as turned,
       count(*) filter (not first and offset_bytes > reached) as forward,
       count(*) filter (not first and offset_bytes < reached) as backward,
       count(*) filter (not first and (offset_bytes is null or reached is null)) as unknown
from started
group by type, direction
