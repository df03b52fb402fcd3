-- Metadata of files
--
-- One row per file with time in opens, closes, stats, seeks and the like, those with most of it first: at the layer that the
-- program called, added up over ranks. Calls are those of all layers that count them.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   path    string   [name]     The file's path.
--   meta_s  double   [s]        Time in such calls.
--   percent double?  [percent]  Its share of the file's time in I/O.
--   opens   int64    [calls]    Opens, of the layer that has most.
--   stats   int64    [calls]    Stats of POSIX.
--   seeks   int64    [calls]    Seeks of POSIX and STDIO.
--   syncs   int64    [calls]    Syncs and flushes of all layers.
--
-- Shown:
--   path
--   time = meta_s
--   %    = percent
--   opens
--   stats
--   seeks
--   syncs

with opened as (
    select job, file, max(opens) as opens
    from (select job, file, layer, sum(opens) as opens from layer_record group by job, file, layer)
    group by job, file
), other as (
    select job, file, whole_sum(if(counter in ('POSIX_STATS', 'CP_POSIX_STATS'), value, 0)) as stats,
           whole_sum(if(counter in ('POSIX_SEEKS', 'STDIO_SEEKS', 'CP_POSIX_SEEKS', 'CP_POSIX_FSEEKS'), value, 0)) as seeks,
           whole_sum(if(counter in ('POSIX_FSYNCS', 'POSIX_FDSYNCS', 'STDIO_FLUSHES', 'MPIIO_SYNCS', 'CP_SYNCS', 'CP_POSIX_FSYNCS', 'CP_POSIX_FDSYNCS'), value, 0)) as syncs
    from darshan_counter
    where value > 0 and file is not null
    group by job, file
)
select path, meta_s, percent_of(meta_s, read_s + write_s + meta_s) as percent, coalesce(opens, 0) as opens, coalesce(stats, 0) as stats,
       coalesce(seeks, 0) as seeks, coalesce(syncs, 0) as syncs
from job_file
join (select file, path from file) using (file)
left join opened using (job, file)
left join other using (job, file)
where meta_s > 0
order by meta_s desc, job, file
limit 1000
