-- Time in I/O by rank, over time
--
-- How much of each window each rank of a parallel program spends in I/O, in windows of equal length (a call is divided over
-- the windows that it lies in): a rank that others wait for, a phase of I/O that all begin at once. Of many ranks,
-- neighbours share a row (at most 64 rows, 48 windows). Which calls count is as in rank_time.
--
-- Source: iotrace; DXT Explorer draws ranks over time, too.
-- Family: parallel_io
--
-- Columns:
--   row         int64   [position]  The row, from 0: ranks in the order of table process.
--   first_rank  string  [name]      The row's first rank.
--   last_rank   string  [name]      Its last one.
--   window      int64   [position]  The window's number, from 0.
--   start_ns    int64   [ns]        When it starts.
--   end_ns      int64   [ns]        When the next one starts.
--   busy        double  [ratio]     The mean share of the window that its ranks spend in I/O, at most 1.
--
-- Shown:
--   row
--   first rank
--   last rank
--   window
--   start = start_ns
--   end   = end_ns
--   busy

with called as (
    select process, time_ns, duration_ns, coalesce(layer = 'mpiio', false) as is_mpiio
    from parallel_io
    where operation not in ('barrier', 'compute', 'list_io') and process is not null and time_ns is not null
      and duration_ns > 0
),
counting as (
    select is_mpiio
    from called
    group by is_mpiio
    order by sum(duration_ns) desc, is_mpiio
    limit 1
),
counted as (
    select process, time_ns, time_ns + duration_ns as end_ns from called join counting using (is_mpiio)
),
span as (
    select min(time_ns) as first_ns, greatest((max(end_ns) - min(time_ns) + 47) // 48, 1) as width_ns from counted
),
rank as (
    select process, (row_number() over (order by process) - 1) * least(count(*) over (), 64) // count(*) over () as "row"
    from (select distinct process from counted)
),
named as (
    select "row", count(*) as ranks, arg_min(name, process) as first_rank, arg_max(name, process) as last_rank
    from rank
    left join process_name using (process)
    group by "row"
),
piece as (
    select "row", unnest(range((time_ns - first_ns) // width_ns, (end_ns - 1 - first_ns) // width_ns + 1)) as "window",
           time_ns, end_ns, first_ns, width_ns
    from counted
    join rank using (process)
    cross join span
)
select "row", coalesce(first_rank, '(unknown)') as first_rank, coalesce(last_rank, '(unknown)') as last_rank, "window",
       any_value(first_ns + "window" * width_ns) as start_ns,
       any_value(first_ns + ("window" + 1) * width_ns) as end_ns,
       least(sum(least(end_ns, first_ns + ("window" + 1) * width_ns) - greatest(time_ns, first_ns + "window" * width_ns))
             / any_value(width_ns)::double / any_value(ranks), 1.0) as busy
from piece
join named using ("row")
group by "row", first_rank, last_rank, "window"
order by "row", "window"
