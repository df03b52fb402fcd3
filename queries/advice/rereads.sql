-- The same bytes of {path} are read again and again{others}
--
-- A file whose bytes were read before is read again. Each read is a call and a copy, even where the page cache has the bytes.
-- The time is that of the reads that certainly get nothing new: no longer than one before from the same byte, or within what
-- was read so far without gaps. First reads, which may wait for storage, are not in it.
--
-- Source: iotrace.
-- Family: syscall
-- Change: Keep what was read
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
reread_file as (
    select file, bytes
    from (
        select file, sum(end_bytes - start_bytes) as all_bytes,
               sum(greatest(0, end_bytes - greatest(start_bytes, reached_bytes))) as bytes
        from ahead
        group by file
    )
    where all_bytes - bytes >= $least_bytes and all_bytes >= $least_factor * bytes
),
first_read as ( -- a read of the same bytes changes nothing below
    select file, "offset", length, min(seq) as seq
    from data_call
    join reread_file using (file)
    where not writes and length > 0 and "offset" is not null
    group by file, "offset", length
),
followed as (
    select *, min("offset") over before as first_bytes, max("offset" + length) over before as last_bytes,
           max(length) over (partition by file, "offset" order by seq
               rows between unbounded preceding and 1 preceding) >= length as is_repeated
    from first_read
    window before as (partition by file order by seq rows between unbounded preceding and 1 preceding)
),
joined as (
    -- until a request leaves a gap, all between the first and the last byte was read
    select *, coalesce(bool_and(coalesce("offset" <= last_bytes and "offset" + length >= first_bytes, true)) over (
               partition by file order by seq), true) as is_whole
    from followed
),
judged as (
    select data_call.*, bytes,
           joined.seq is null or coalesce(is_repeated, false)
           or coalesce(is_whole and joined."offset" >= first_bytes and joined."offset" + joined.length <= last_bytes, false)
               as is_reread
    from data_call
    join reread_file using (file)
    left join joined on joined.seq = data_call.seq and joined.file = data_call.file and joined."offset" = data_call."offset"
                        and joined.length = data_call.length
    where not writes and data_call.length > 0 and data_call."offset" is not null
)
select path, first_of(process) as process, sum(length) - any_value(bytes) as number, 'bytes' as unit,
       sum(at_stake_ns) filter (is_reread) / 1e9 as at_stake_s, sum(length) - any_value(bytes) as at_stake_bytes
from judged
group by file, path
