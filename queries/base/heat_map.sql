-- Heat maps
--
-- One row per bin of a heat map of a log of Darshan (module HEATMAP) in which a rank moved bytes at a layer.
--
-- Source: darshan-util.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   record         int64   [identifier]  As in table darshan_record.
--   job            int32   [identifier]  The log.
--   rank           int64   [identifier]  The rank.
--   layer          string  [name]        posix, mpiio, stdio, dfs or daos.
--   bin            int64   [position]    The bin, from 0.
--   start_s        double  [s]           When it begins, since the job's start.
--   end_s          double  [s]           When it ends.
--   bytes_read     int64   [bytes]       What reads moved.
--   bytes_written  int64   [bytes]       What writes moved.

with bins as (
    select record, job, rank, try_cast(string_split(counter, '_')[-1] as bigint) as bin,
           coalesce(sum(value) filter (counter like 'HEATMAP_READ%'), 0) as bytes_read,
           coalesce(sum(value) filter (counter like 'HEATMAP_WRITE%'), 0) as bytes_written
    from darshan_counter
    where module = 'HEATMAP' and regexp_matches(counter, '_BIN_[0-9]+$')
    group by record, job, rank, bin
), widths as (
    select record, seconds as width_s
    from darshan_counter
    where counter = 'HEATMAP_F_BIN_WIDTH_SECONDS'
)
select record, bins.job, bins.rank, lower(split_part("text", ':', 2)) as layer, bin, bin * width_s as start_s,
       (bin + 1) * width_s as end_s, bytes_read, bytes_written
from bins
join widths using (record)
join darshan_record using (record)
