-- Jobs and their I/O
--
-- One row per log: how much of its run the job spent in I/O, and what decides that. Time is that at the layer which the program
-- called (see job_file), added up over ranks; the share is of ranks times run time.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job                  int32    [identifier]  The log.
--   files                int64    [files]       Files that were opened.
--   reads                int64    [calls]       Reads.
--   writes               int64    [calls]       Writes.
--   bytes_read           int64?   [bytes]       What reads moved; null if nothing is counted.
--   bytes_written        int64?   [bytes]       What writes moved, likewise.
--   io_s                 double?  [s]           Time in I/O, added up over ranks.
--   read_s               double?  [s]           Of it, reads.
--   write_s              double?  [s]           Of it, writes.
--   meta_s               double?  [s]           Of it, other calls.
--   mpi_s                double?  [s]           Of it, files of MPI-IO.
--   above_s              double?  [s]           Of mpi_s, files of which POSIX is counted for all ranks.
--   below_s              double?  [s]           Time in POSIX in these files, added up over ranks.
--   available_s          double?  [s]           Ranks times run time; null if one is unknown or 0.
--   io_share             double?  [fraction]    The share of that time in I/O.
--   mpi_reads            int64    [calls]       Reads of MPI-IO.
--   mpi_writes           int64    [calls]       Writes of MPI-IO.
--   collective_reads     int64    [calls]       Those of them that are collective.
--   collective_writes    int64    [calls]       Those of them that are collective.
--   sieved_bytes         int64    [bytes]       What POSIX read below MPI-IO beyond what MPI-IO read, of files that were written: data sieving.
--   layer                string?  [name]        The layer whose bandwidth is given: the one in whose calls the job spent most time; MPI-IO where it was used.
--   bandwidth            double?  [bytes/s]     Its bytes by the time of the slowest rank, as Darshan gives it.
--   wall_bandwidth       double?  [bytes/s]     Bytes by the run time.
--   largest_rank_s       double?  [s]           The most time that one rank has in files of its own, at the layer that the program called.
--   mean_rank_s          double?  [s]           The mean of all ranks of that time.

with of_files as (
    select job, count(*) as files, whole_sum(reads) as reads, whole_sum(writes) as writes,
           whole_sum(bytes_read) as bytes_read, whole_sum(bytes_written) as bytes_written,
           sum(read_s) as read_s, sum(write_s) as write_s, sum(meta_s) as meta_s,
           sum(read_s + write_s + meta_s) as io_s, coalesce(sum(read_s + write_s + meta_s) filter (is_mpi), 0) as mpi_s,
           sum(read_s + write_s + meta_s) filter (is_mpi and below_s is not null) as above_s, sum(below_s) as below_s,
           coalesce(whole_sum(if(is_mpi, reads, null)), 0) as mpi_reads, coalesce(whole_sum(if(is_mpi, writes, null)), 0) as mpi_writes,
           whole_sum(collective_reads) as collective_reads, whole_sum(collective_writes) as collective_writes,
           coalesce(whole_sum(if(writes > 0, greatest(0, bytes_read_below - bytes_read), null)), 0) as sieved_bytes
    from job_file
    group by job
), layers as (
    select job, arg_max(layer, (layer = 'mpiio', io_s)) as layer,
           arg_max(coalesce(bandwidth, -1), (layer = 'mpiio', io_s)) as bandwidth
    from job_layer
    group by job
), own as (
    select job, rank, sum(read_s + write_s + meta_s) as own_s
    from layer_record
    join (select job, file, is_mpi from job_file) using (job, file)
    where rank >= 0 and (layer = 'mpiio') = is_mpi
    group by job, rank
), of_ranks as (
    select job, max(own_s) as largest_rank_s, sum(own_s) as all_s
    from own
    group by job
)
select darshan_job.job, coalesce(files, 0) as files, coalesce(reads, 0) as reads, coalesce(writes, 0) as writes, bytes_read,
       bytes_written, io_s, read_s, write_s, meta_s, mpi_s, above_s, below_s,
       nullif(ranks * (run_ns / 1e9), 0) as available_s, ratio_of(io_s, available_s) as io_share,
       coalesce(mpi_reads, 0) as mpi_reads, coalesce(mpi_writes, 0) as mpi_writes,
       coalesce(collective_reads, 0) as collective_reads, coalesce(collective_writes, 0) as collective_writes,
       coalesce(sieved_bytes, 0) as sieved_bytes, layers.layer, nullif(bandwidth, -1) as bandwidth,
       ratio_of(bytes_read::double + bytes_written, run_ns / 1e9) as wall_bandwidth,
       largest_rank_s, ratio_of(all_s, ranks) as mean_rank_s
from darshan_job
left join of_files using (job)
left join layers using (job)
left join of_ranks using (job)
