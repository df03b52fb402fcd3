-- Slowest ranks of shared files
--
-- One row per file with a record of all ranks, those first where the slowest rank takes longest beyond the mean. Where calls are
-- collective all ranks take about as long, since they wait for each other.
--
-- Source: darshan-util; Drishti judges imbalance by the sum of all ranks.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   log            string   [name]        The log's file.
--   path           string   [name]        The file's path.
--   layer          string   [name]        The layer that the program called.
--   mean_s         double   [s]           The mean time of a rank in its calls.
--   slowest_s      double   [s]           The time of the slowest rank.
--   times_mean     double?  [ratio]       That over the mean.
--   slowest_rank   int64?   [identifier]  The slowest rank.
--   slowest_node   string?  [name]        Its machine, where the log names it (view rank_node).
--   slowest_bytes  int64?   [bytes]       What it moved.
--   mean_bytes     double?  [bytes]       What a rank moved on average.
--
-- Shown:
--   path
--   layer
--   mean          = mean_s
--   slowest       = slowest_s
--   times mean    = times_mean
--   slowest rank
--   on            = slowest_node
--   moved by it   = slowest_bytes
--   moved on mean = mean_bytes

with named as (
    select record, max(value) filter (ends_with(counter, '_SLOWEST_RANK')) as slowest_rank,
           max(value) filter (ends_with(counter, '_SLOWEST_RANK_BYTES')) as slowest_bytes
    from darshan_counter
    where rank < 0 and (ends_with(counter, '_SLOWEST_RANK') or ends_with(counter, '_SLOWEST_RANK_BYTES'))
    group by record
)
select log, path, layer, (read_s + write_s + meta_s) / ranks as mean_s, slowest_s,
       ratio_of(slowest_s, (read_s + write_s + meta_s) / ranks) as times_mean, slowest_rank, node as slowest_node, slowest_bytes,
       (bytes_read::double + bytes_written) / ranks as mean_bytes
from layer_record
join (select job, file, is_mpi from job_file) using (job, file)
join (select file, path from file) using (file)
join darshan_job using (job)
left join named using (record)
left join rank_node on rank_node.job = layer_record.job and rank_node.rank = slowest_rank
where layer_record.rank < 0 and (layer = 'mpiio') = is_mpi and ranks > 0 and slowest_s > 0
order by slowest_s - mean_s desc, record
limit 1000
