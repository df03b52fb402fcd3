-- Layers of a job
--
-- One row per job and layer (see layer_record): what its calls moved, and how long they took, added up over ranks. The time by
-- the slowest rank is Darshan's measure of a bandwidth: the longest time of a rank in files that are its own, and of each
-- shared file that of its slowest rank.
--
-- Source: darshan-util's agg_perf_by_slowest.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job                int32    [identifier]  The log.
--   layer              string   [name]        mpiio, posix, stdio, dfs or daos.
--   files              int64    [files]       Files that it opened.
--   opens              int64    [calls]       Opens.
--   reads              int64    [calls]       Reads.
--   writes             int64    [calls]       Writes.
--   collective_reads   int64    [calls]       Reads that are collective.
--   collective_writes  int64    [calls]       Writes that are collective.
--   bytes_read         int64?   [bytes]       What reads moved; null if that is not counted.
--   bytes_written      int64?   [bytes]       What writes moved, likewise.
--   read_s             double   [s]           Time in reads, added up over ranks.
--   write_s            double   [s]           Time in writes, likewise.
--   meta_s             double   [s]           Time in other calls, likewise.
--   io_s               double   [s]           Their sum.
--   slowest_s          double?  [s]           Time by the slowest rank.
--   bandwidth          double?  [bytes/s]     Bytes by that time.
--   wall_bandwidth     double?  [bytes/s]     Bytes by the run time.

with own as (
    select job, layer, max(own_s) as own_s
    from (
        select job, layer, rank, sum(read_s + write_s + meta_s) as own_s
        from layer_record where rank >= 0 group by job, layer, rank
    )
    group by job, layer
), whole as (
    select job, layer, count(distinct file) as files, whole_sum(opens) as opens, whole_sum(reads) as reads, whole_sum(writes) as writes,
           whole_sum(collective_reads) as collective_reads, whole_sum(collective_writes) as collective_writes,
           whole_sum(bytes_read) as bytes_read, whole_sum(bytes_written) as bytes_written,
           sum(read_s) as read_s, sum(write_s) as write_s, sum(meta_s) as meta_s,
           sum(read_s + write_s + meta_s) as io_s,
           sum(slowest_s) filter (rank < 0) as shared_s,
           count(*) filter (rank < 0 and slowest_s is null) as shared_without_time
    from layer_record
    group by job, layer
)
select job, layer, files, opens, reads, writes, collective_reads, collective_writes, bytes_read, bytes_written, read_s,
       write_s, meta_s, io_s,
       if(shared_without_time = 0, coalesce(own_s, 0) + coalesce(shared_s, 0), null) as slowest_s,
       ratio_of(bytes_read::double + bytes_written, slowest_s) as bandwidth,
       ratio_of(bytes_read::double + bytes_written, run_ns / 1e9) as wall_bandwidth
from whole
left join own using (job, layer)
join darshan_job using (job)
