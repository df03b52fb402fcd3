-- Bytes of ranks over time
--
-- What ranks read and write in windows of equal length, from the heat maps of Darshan's module HEATMAP: of the layer with most
-- bytes, MPI-IO where it has any. Of many ranks and bins, neighbours share a row and a window (at most 64 rows, 100 windows).
-- Ranks that moved nothing have no row.
--
-- Source: darshan-util; PyDarshan draws the same bins.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   row            int64   [position]  The row, from 0: ranks in their order.
--   first_rank     int64   [identifier]  The row's first rank.
--   last_rank      int64   [identifier]  Its last one.
--   layer          string  [name]      The layer.
--   window         int64   [position]  The window's number, from 0.
--   start_ns       int64   [ns]        When it starts, since the job's start.
--   end_ns         int64   [ns]        When the next one starts.
--   bytes_read     int64   [bytes]     What reads moved.
--   bytes_written  int64   [bytes]     What writes moved.
--
-- Shown:
--   first rank
--   last rank
--   layer
--   start = start_ns
--   end   = end_ns
--   bytes read
--   bytes written

with chosen as (
    select job, layer
    from heat_map
    group by job, layer
    order by layer = 'mpiio' desc, sum(bytes_read::double + bytes_written) desc, job
    limit 1
), kept as (
    select heat_map.* from heat_map join chosen using (job, layer)
), span as (
    select max(rank) + 1 as ranks, greatest((max(end_s) + 0.0) / 100, max(end_s - start_s)) as width_s,
           max(end_s - start_s) as bin_s
    from kept
), placed as (
    select rank * least(ranks, 64) // ranks as "row", rank, layer, floor((start_s + end_s) / 2 / width_s)::bigint as "window",
           width_s, bytes_read, bytes_written
    from kept
    cross join span
)
select "row", min(rank) as first_rank, max(rank) as last_rank, any_value(layer) as layer, "window",
       ("window" * any_value(width_s) * 1e9)::bigint as start_ns, (("window" + 1) * any_value(width_s) * 1e9)::bigint as end_ns,
       coalesce(whole_sum(bytes_read), 0) as bytes_read, coalesce(whole_sum(bytes_written), 0) as bytes_written
from placed
group by "row", "window"
order by "row", "window"
