-- Files of a job at the layer that the program called
--
-- One row per job and file that was read or written: at MPI-IO if it was opened through MPI-IO, else at STDIO and POSIX, and
-- where there is neither, at DAOS. So each byte and each second counts once: the layers below are a part of it.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job                   int32    [identifier]  The log.
--   file                  int32    [identifier]  The file.
--   is_mpi                bool     [truth]       Whether it was opened through MPI-IO.
--   ranks                 int64    [processes]   Ranks that have a record of it; all of the job for a record of all.
--   reads                 int64    [calls]       Reads.
--   writes                int64    [calls]       Writes.
--   collective_reads      int64    [calls]       Reads that are collective.
--   collective_writes     int64    [calls]       Writes that are collective.
--   bytes_read            int64?   [bytes]       What reads moved.
--   bytes_written         int64?   [bytes]       What writes moved.
--   read_s                double   [s]           Time in reads, added up over ranks.
--   write_s               double   [s]           Time in writes, likewise.
--   meta_s                double   [s]           Time in other calls, likewise.
--   bytes_read_below      int64?   [bytes]       Of files of MPI-IO: what POSIX read of it.
--   bytes_written_below   int64?   [bytes]       Of files of MPI-IO: what POSIX wrote of it.
--   below_s               double?  [s]           Of files of MPI-IO: time in POSIX, added up over ranks; null where POSIX may lack ranks.

with layered as (
    select layer_record.*, bool_or(layer = 'mpiio') over of_file as is_mpi,
           bool_or(layer in ('posix', 'stdio')) over of_file as is_local, bool_or(layer = 'dfs') over of_job as has_dfs
    from layer_record
    window of_file as (partition by job, file), of_job as (partition by job)
), chosen as (
    select *, case when is_mpi then layer = 'mpiio' when is_local then layer in ('posix', 'stdio')
                   else layer = if(has_dfs, 'dfs', 'daos') end as is_highest
    from layered
)
select job, file, any_value(is_mpi) as is_mpi,
       if(bool_or(rank < 0), any_value(darshan_job.ranks), count(distinct rank)) as ranks,
       whole_sum(if(is_highest, reads, null)) as reads, whole_sum(if(is_highest, writes, null)) as writes,
       whole_sum(if(is_highest, collective_reads, null)) as collective_reads,
       whole_sum(if(is_highest, collective_writes, null)) as collective_writes,
       -- formats before 3.00 count bytes of POSIX alone
       coalesce(whole_sum(if(is_highest, bytes_read, null)), whole_sum(if(layer = 'posix', bytes_read, null))) as bytes_read,
       coalesce(whole_sum(if(is_highest, bytes_written, null)), whole_sum(if(layer = 'posix', bytes_written, null))) as bytes_written,
       sum(read_s) filter (is_highest) as read_s, sum(write_s) filter (is_highest) as write_s,
       sum(meta_s) filter (is_highest) as meta_s,
       if(any_value(is_mpi), whole_sum(if(layer = 'posix', bytes_read, null)), null) as bytes_read_below,
       if(any_value(is_mpi), whole_sum(if(layer = 'posix', bytes_written, null)), null) as bytes_written_below,
       if(any_value(is_mpi)
          and (not coalesce(contains(any_value(partial_modules), 'POSIX'), false)
               or bool_or(layer = 'posix' and rank < 0)),
          sum(read_s + write_s + meta_s) filter (layer = 'posix'), null) as below_s
from chosen
join darshan_job using (job)
group by job, file
having bool_or(is_highest)
