-- Storage calls by window
--
-- What the storage calls of each window of time (parameter windows) are made of, three times over: by program, by kind of
-- call (view call_kind) and by directory. A call counts in the window in which it begins, and one from before the first
-- event, where a clock was set back, in the first. The twelve programs and directories with most time in the whole trace,
-- and the twelve with most calls, have their names; the rest count as (others).
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   window   int64    [position]  The window's number, from 0.
--   by       string   [name]      program, kind or directory.
--   name     string   [name]      Which one.
--   calls    int64    [calls]     Storage calls of it that begin in the window.
--   timed    int64    [calls]     How many of them have a time.
--   total_s  double?  [s]         How long they take together; missing if none has a time.
--
-- Shown:
--   window
--   by
--   name
--   calls
--   timed
--   total = total_s

with called as (
    select greatest(time_ns, 0) // width_ns as "window", program, coalesce(kind, 'metadata') as kind, directory, count(*) as calls,
           count(duration_ns) as timed, sum(cost_ns) as total_ns
    from timed_call
    join process_name using (process)
    left join call_kind using (call)
    cross join call_window
    where class = 'storage' and time_ns is not null
    group by all
),
named as (
    select "window", 'program' as "by", program as name, calls, timed, total_ns from called
    union all
    select "window", 'kind', kind, calls, timed, total_ns from called
    union all
    select "window", 'directory', directory, calls, timed, total_ns from called
),
ranked as (
    select "by", name,
           row_number() over (partition by "by" order by sum(total_ns) desc nulls last, name) <= 12
           or row_number() over (partition by "by" order by sum(calls) desc, name) <= 12 as is_large
    from named
    group by "by", name
)
select "window", "by", if(is_large, name, '(others)') as name, sum(calls) as calls, sum(timed) as timed,
       sum(total_ns) / 1e9 as total_s
from named
join ranked using ("by", name)
group by "window", "by", if(is_large, name, '(others)')
order by "window", list_position(['program', 'kind', 'directory'], "by"), total_s desc nulls last, calls desc, name
