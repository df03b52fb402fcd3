-- The same bytes of {path} are read again and again{others}
--
-- A file whose bytes were read before is read again. Each read is a call and a copy, even where the page cache has the bytes.
--
-- Source: iotrace.
-- Family: syscall
-- Do: Keep what was read (a map of the file, a parsed form, a cache in the program); if several processes read it, share it.
-- Check: Record again: the bytes read of the file come near its size (iotrace characterize top_files).
-- Confidence: medium. The bytes are exact; a file that changed between the reads had to be read again.
--
-- Thresholds:
--   least_bytes   1048576  Bytes of one file that were read again.
--   least_factor  2        Bytes read for each different byte.

with piece as (
    select file, "offset" as start_bytes, "offset" + length as end_bytes
    from data_call
    where not writes and length > 0 and "offset" is not null
),
ahead as (
    select *, coalesce(max(end_bytes) over (partition by file order by start_bytes, end_bytes
                       rows between unbounded preceding and 1 preceding), 0) as reached_bytes
    from piece
),
unique_bytes as (
    select file, sum(greatest(0, end_bytes - greatest(start_bytes, reached_bytes))) as bytes from ahead group by file
)
select path, first_of(process) as process, sum(length) - any_value(bytes) as number, 'bytes' as unit,
       sum(cost_ns) / 1e9 * (1 - any_value(bytes) / sum(length)) as at_stake_s,
       sum(length) - any_value(bytes) as at_stake_bytes
from data_call
join unique_bytes using (file)
where not writes and length > 0 and "offset" is not null
group by file, path
having sum(length) - any_value(bytes) >= $least_bytes and sum(length) >= $least_factor * any_value(bytes)
