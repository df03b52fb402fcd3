-- Reads and writes of a job's files at the layer that the program called
--
-- One row per job, file, layer and kind (read or write) that has calls or time: at MPI-IO if the file was opened through it,
-- else at POSIX and at STDIO. A request is small up to 1 MiB, as Darshan's bins have it. Of files of MPI-IO, what POSIX did
-- below is beside it.
--
-- Counters do not say how the time divides over requests. Parallel file systems reach half of their bandwidth with requests of
-- some 1 MiB, and so the time of a request is taken as that of its bytes and of 1 MiB more.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job               int32    [identifier]  The log.
--   file              int32    [identifier]  The file.
--   layer             string   [name]        mpiio, posix or stdio.
--   kind              string   [name]        read or write.
--   path              string   [name]        The file's path.
--   log               string?  [name]        The log's file; null where there is one alone.
--   ranks             int64    [processes]   Ranks that have a record of it at this layer; all of the job for a record of all.
--   is_shared         bool     [truth]       Whether several ranks have.
--   calls             int64    [calls]       Calls.
--   collective_calls  int64    [calls]       Of MPI-IO, those that are collective.
--   small_calls       int64?   [calls]       Those that move at most 1 MiB; null for STDIO.
--   jumping_calls     int64?   [calls]       Of POSIX, those that begin before the end of the one before, beyond the first of a rank.
--   bytes             int64    [bytes]       What they moved; in formats before 3.00 what POSIX moved.
--   mean_bytes        double?  [bytes]       What a call moved on average.
--   collective_share  double?  [fraction]    The share of the calls that is collective.
--   spent_s           double   [s]           Their time, added up over ranks.
--   overhead_s        double   [s]           The part of it that calls take however little they move: an estimate, as if each took as long as moving 1 MiB.
--   calls_below       int64    [calls]       Of files of MPI-IO: calls of POSIX.
--   bytes_below       int64    [bytes]       Of files of MPI-IO: what these moved.
--   mean_below_bytes  double?  [bytes]       What one of these moved on average.
--   spent_below_s     double?  [s]           Of files of MPI-IO: the time of these, added up over ranks; null if POSIX has none.
--   span_bytes        int64?   [bytes]       The end of the last byte that POSIX read or wrote; null if POSIX has none.
--   alignment         int64?   [bytes]       The alignment of the file, as POSIX knows it; null if unknown.
--   unaligned_share   double?  [fraction]    The share of POSIX's reads and writes that do not begin at a multiple of it.

with meaning(counter, layer, kind, measure) as (
    select prefix || name, 'posix', kind, measure
    from (values ('POSIX_'), ('CP_')) of_posix(prefix)
    cross join (
        values ('BYTES_READ', 'read', 'bytes'), ('BYTES_WRITTEN', 'write', 'bytes'), ('MAX_BYTE_READ', 'read', 'last'),
               ('MAX_BYTE_WRITTEN', 'write', 'last'), ('SEQ_READS', 'read', 'following'), ('SEQ_WRITES', 'write', 'following'),
               ('FILE_ALIGNMENT', 'all', 'alignment'), ('FILE_NOT_ALIGNED', 'all', 'unaligned'),
               ('SIZE_READ_0_100', 'read', 'small'), ('SIZE_READ_100_1K', 'read', 'small'), ('SIZE_READ_1K_10K', 'read', 'small'),
               ('SIZE_READ_10K_100K', 'read', 'small'), ('SIZE_READ_100K_1M', 'read', 'small'),
               ('SIZE_WRITE_0_100', 'write', 'small'), ('SIZE_WRITE_100_1K', 'write', 'small'), ('SIZE_WRITE_1K_10K', 'write', 'small'),
               ('SIZE_WRITE_10K_100K', 'write', 'small'), ('SIZE_WRITE_100K_1M', 'write', 'small')
    ) measured(name, kind, measure)
    union all
    select prefix || name, 'mpiio', kind, measure
    from (values ('MPIIO_'), ('CP_')) of_mpi(prefix)
    cross join (
        values ('INDEP_READS', 'read', 'calls'), ('NB_READS', 'read', 'calls'), ('COLL_READS', 'read', 'collective'),
               ('SPLIT_READS', 'read', 'collective'), ('INDEP_WRITES', 'write', 'calls'), ('NB_WRITES', 'write', 'calls'),
               ('COLL_WRITES', 'write', 'collective'), ('SPLIT_WRITES', 'write', 'collective'),
               ('SIZE_READ_AGG_0_100', 'read', 'small'), ('SIZE_READ_AGG_100_1K', 'read', 'small'),
               ('SIZE_READ_AGG_1K_10K', 'read', 'small'), ('SIZE_READ_AGG_10K_100K', 'read', 'small'),
               ('SIZE_READ_AGG_100K_1M', 'read', 'small'), ('SIZE_WRITE_AGG_0_100', 'write', 'small'),
               ('SIZE_WRITE_AGG_100_1K', 'write', 'small'), ('SIZE_WRITE_AGG_1K_10K', 'write', 'small'),
               ('SIZE_WRITE_AGG_10K_100K', 'write', 'small'), ('SIZE_WRITE_AGG_100K_1M', 'write', 'small')
    ) measured(name, kind, measure)
    union all
    values ('POSIX_READS', 'posix', 'read', 'calls'), ('POSIX_WRITES', 'posix', 'write', 'calls'),
           ('POSIX_F_READ_TIME', 'posix', 'read', 'spent'), ('POSIX_F_WRITE_TIME', 'posix', 'write', 'spent'),
           ('CP_POSIX_READS', 'posix', 'read', 'calls'), ('CP_POSIX_FREADS', 'posix', 'read', 'calls'),
           ('CP_POSIX_WRITES', 'posix', 'write', 'calls'), ('CP_POSIX_FWRITES', 'posix', 'write', 'calls'),
           ('CP_F_POSIX_READ_TIME', 'posix', 'read', 'spent'), ('CP_F_POSIX_WRITE_TIME', 'posix', 'write', 'spent'),
           ('MPIIO_BYTES_READ', 'mpiio', 'read', 'bytes'), ('MPIIO_BYTES_WRITTEN', 'mpiio', 'write', 'bytes'),
           ('MPIIO_F_READ_TIME', 'mpiio', 'read', 'spent'), ('MPIIO_F_WRITE_TIME', 'mpiio', 'write', 'spent'),
           ('CP_F_MPI_READ_TIME', 'mpiio', 'read', 'spent'), ('CP_F_MPI_WRITE_TIME', 'mpiio', 'write', 'spent'),
           ('STDIO_READS', 'stdio', 'read', 'calls'), ('STDIO_WRITES', 'stdio', 'write', 'calls'),
           ('STDIO_BYTES_READ', 'stdio', 'read', 'bytes'), ('STDIO_BYTES_WRITTEN', 'stdio', 'write', 'bytes'),
           ('STDIO_F_READ_TIME', 'stdio', 'read', 'spent'), ('STDIO_F_WRITE_TIME', 'stdio', 'write', 'spent')
), counted as (
    -- what was not observed is below 0; times must be finite
    select job, file, layer, kind, bool_or(rank < 0) as is_of_all, count(distinct rank) as ranks,
           coalesce(whole_sum(if(measure in ('calls', 'collective'), value, null)), 0) as calls,
           coalesce(whole_sum(if(measure = 'collective', value, null)), 0) as collective_calls,
           whole_sum(if(measure = 'small', value, null)) as small_calls,
           whole_sum(if(measure = 'following', value, null)) as following_calls,
           whole_sum(if(measure = 'bytes', value, null)) as bytes,
           coalesce(sum(seconds) filter (measure = 'spent'), 0) as spent_s,
           max(value) filter (measure = 'last' and value > 0) as last_byte,
           max(value) filter (measure = 'alignment' and value > 1) as alignment,
           whole_sum(if(measure = 'unaligned', value, null)) as unaligned_calls
    from darshan_counter
    join meaning using (counter)
    where file is not null and (value >= 0 or (seconds >= 0 and isfinite(seconds)))
    group by job, file, layer, kind
), posix as (
    select job, file, whole_sum(if(kind <> 'all', calls, null)) as calls, max(alignment) as alignment,
           max(unaligned_calls) as unaligned_calls
    from counted
    where layer = 'posix'
    group by job, file
), opened as (
    select job, file, is_mpi from job_file
)
select counted.job, counted.file, counted.layer, counted.kind, file.path,
       if((select count(*) from darshan_job) > 1, darshan_job.log, null) as log,
       if(counted.is_of_all, darshan_job.ranks, counted.ranks) as ranks,
       if(counted.is_of_all, darshan_job.ranks, counted.ranks) > 1 as is_shared, counted.calls, counted.collective_calls,
       if(counted.layer = 'stdio', null, counted.small_calls) as small_calls,
       if(counted.layer = 'posix', greatest(0, counted.calls - counted.following_calls
          - if(counted.is_of_all, darshan_job.ranks, counted.ranks)), null) as jumping_calls,
       coalesce(counted.bytes, below.bytes, 0) as bytes,
       ratio_of(coalesce(counted.bytes, below.bytes, 0), counted.calls) as mean_bytes,
       ratio_of(counted.collective_calls, counted.calls) as collective_share, counted.spent_s,
       coalesce(counted.spent_s / (1 + mean_bytes / 1048576), 0) as overhead_s,
       if(counted.layer = 'mpiio', coalesce(below.calls, 0), 0) as calls_below,
       if(counted.layer = 'mpiio', coalesce(below.bytes, 0), 0) as bytes_below,
       if(counted.layer = 'mpiio', ratio_of(below.bytes, below.calls), null) as mean_below_bytes,
       if(counted.layer = 'mpiio', below.spent_s, null) as spent_below_s,
       if(coalesce(below.last_byte, counted.last_byte) < 9223372036854775807,
          coalesce(below.last_byte, counted.last_byte) + 1, null) as span_bytes,
       posix.alignment, ratio_of(posix.unaligned_calls, posix.calls) as unaligned_share
from counted
join opened using (job, file)
join darshan_job using (job)
join (select file, path from file) file on file.file = counted.file
left join posix using (job, file)
left join counted as below
  on below.job = counted.job and below.file = counted.file and below.kind = counted.kind and below.layer = 'posix'
 and counted.layer = 'mpiio'
where counted.kind <> 'all' and (counted.layer = 'mpiio') = opened.is_mpi and (counted.calls > 0 or counted.spent_s > 0)
