-- Alignment and stripes of files
--
-- One row per file of which the log has the alignment or Lustre's stripes, those with most time first.
--
-- Source: darshan-util.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   path               string   [name]       The file's path.
--   ranks              int64    [processes]  Ranks that use it.
--   alignment          int64?   [bytes]      The alignment: the file system's block, or Lustre's stripe.
--   unaligned_percent  double?  [percent]    The share of POSIX's reads and writes that do not begin at a multiple of it.
--   stripe_bytes       int64?   [bytes]      The size of a stripe, of the first component.
--   stripes            int64?   [targets]    Over how many targets of Lustre the file is spread.
--   targets            int64?   [targets]    How many targets the file system has.
--   io_s               double   [s]          Time in the file's reads and writes, added up over ranks.
--
-- Shown:
--   path
--   ranks
--   alignment
--   not aligned = unaligned_percent
--   stripe      = stripe_bytes
--   stripes
--   targets
--   time        = io_s

with striped as (
    select job, file, max(value) filter (counter = 'LUSTRE_COMP1_STRIPE_SIZE') as stripe_bytes,
           max(value) filter (counter = 'LUSTRE_NUM_STRIPES') as stripes,
           max(value) filter (counter = 'LUSTRE_OSTS' and value > 0) as targets
    from darshan_counter
    where module = 'LUSTRE'
    group by job, file
), used as (
    select job, file, any_value(path) as path, max(ranks) as ranks, max(alignment) as alignment,
           100 * max(unaligned_share) as unaligned_percent, sum(spent_s) as io_s
    from job_request
    where layer <> 'stdio'
    group by job, file
)
select path, ranks, alignment, unaligned_percent, stripe_bytes, stripes, targets, io_s
from used
left join striped using (job, file)
where alignment is not null or stripes is not null
order by io_s desc, job, file
limit 1000
