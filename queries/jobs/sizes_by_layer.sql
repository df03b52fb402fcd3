-- Sizes of reads and writes by layer
--
-- One row per layer, kind and bin of Darshan's: how many requests of MPI-IO and of POSIX there are. Bounds are inclusive. STDIO
-- has no such counters.
--
-- Source: darshan-util.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   layer         string  [name]      mpiio or posix.
--   kind          string  [name]      read or write.
--   bin           int64   [position]  The bin, from 0.
--   size          string  [name]      Its bounds.
--   calls         int64   [calls]     Requests.
--   percent       double  [percent]   Their share of the layer's requests of the kind.
--
-- Shown:
--   layer
--   kind
--   size
--   calls
--   % = percent

with bins(bin, name, size) as (
    values (0, '0_100', 'up to 100 bytes'), (1, '100_1K', 'up to 1 KB'), (2, '1K_10K', 'up to 10 KB'),
           (3, '10K_100K', 'up to 100 KB'), (4, '100K_1M', 'up to 1 MB'), (5, '1M_4M', 'up to 4 MB'),
           (6, '4M_10M', 'up to 10 MB'), (7, '10M_100M', 'up to 100 MB'), (8, '100M_1G', 'up to 1 GB'), (9, '1G_PLUS', 'over 1 GB')
), counters as (
    select prefix || upper(kind) || '_' || name as counter, layer, kind, bin, size
    from bins
    cross join (values ('read'), ('write')) kinds(kind)
    cross join (values ('POSIX_SIZE_', 'posix'), ('CP_SIZE_', 'posix')) prefixes(prefix, layer)
    union all
    select prefix || upper(kind) || '_AGG_' || name, 'mpiio', kind, bin, size
    from bins
    cross join (values ('read'), ('write')) kinds(kind)
    cross join (values ('MPIIO_SIZE_'), ('CP_SIZE_')) prefixes(prefix)
), counted as (
    select layer, kind, bin, any_value(size) as size, whole_sum(value) as calls
    from darshan_counter
    join counters using (counter)
    where value > 0
    group by layer, kind, bin
)
select layer, kind, bin, size, calls, percent_of(calls, sum(calls) over (partition by layer, kind)) as percent
from counted
where calls is not null
order by layer, kind, bin
