-- How requests to disks follow each other
--
-- One row per disk: how many requests start where the one before ended, where the first starts, and where the last ends.
--
-- Source: iotrace.
-- Family: disk_io
-- Merge: by part, file
--
-- Columns:
--   part         int32   [position]    The part of the trace, of several that are counted apart; 0.
--   file         int32   [identifier]  The disk's file.
--   requests     int64   [requests]    Requests to it that move data.
--   sequential   int64   [requests]    Those that start where the one before ended, in either direction.
--   first_bytes  int64?  [bytes]       Where the first one starts.
--   end_bytes    int64?  [bytes]       Where the last one ends; missing if its length is not known.

with followed as (
    select file, seq, "offset", "offset" + length as end_offset,
           coalesce("offset" = lag("offset" + length) over (partition by file order by seq), false) as sequential
    from request
    where type = 'disk'
)
select 0 as part, file, count(*) as requests, count(*) filter (sequential) as sequential,
       arg_min_null("offset", seq) as first_bytes, arg_max_null(end_offset, seq) as end_bytes
from followed
group by file
