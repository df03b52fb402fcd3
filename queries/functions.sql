-- The extension of a path: what follows the last point of its last element. Null without one.
-- Example: extension('/src/main.tar.gz') is 'gz'
-- Example: extension('/home/.profile') is null
create or replace macro extension(path) as nullif(regexp_extract(path, '[^/][^/]*[.]([^/.]+)$', 1), '');
-- The first elements of an absolute path; null for other paths.
-- Example: directory('/usr/lib/x86/libc.so', 2) is '/usr/lib'
create or replace macro directory(path, elements) as case when starts_with(path, '/') then
    coalesce(nullif(array_to_string(string_split(path, '/')[:elements + 1], '/'), ''), '/') end;
-- The directory that holds a file or directory of this absolute path; null for other paths.
-- Example: parent_directory('/usr/lib/libc.so') is '/usr/lib'
create or replace macro parent_directory(path) as case
    when not starts_with(path, '/') then null
    when regexp_full_match(path, '/[^/]*') then '/'
    else regexp_replace(path, '/[^/]*$', '') end;
-- The last element of a path, as of a program's.
-- Example: program('/usr/bin/cc1') is 'cc1'
create or replace macro program(path) as string_split(path, '/')[-1];
-- Bytes as people write them, in powers of 1024.
-- Example: human_bytes(1536) is '1.5 KiB'
create or replace macro human_bytes(bytes) as format_bytes(bytes::bigint);
-- A time in ns as people write it.
-- Example: human_time(1500000) is '1.5 ms'
create or replace macro human_time(ns) as case
    when abs(ns) < 1000 then ns || ' ns'
    when abs(ns) < 1000000 then round(ns / 1e3, 2) || ' µs'
    when abs(ns) < 1000000000 then round(ns / 1e6, 2) || ' ms'
    else round(ns / 1e9, 2) || ' s' end;
-- The wall-clock time (UTC) of a time in ns since the first event of the trace; null if the trace has none.
-- Example: wall_clock(null) is null
create or replace macro wall_clock(ns) as make_timestamp(((trace_started_ns()::hugeint + ns) // 1000)::bigint);
-- The start of the bin that a number is in, of bins of equal width.
-- Example: bin_of(1234, 100) is 1200
create or replace macro bin_of(n, width) as n - ((n % width) + width) % width;
-- The smallest power of two that is not below a number: the upper bound of its bin. Exact up to 2^40.
-- Example: power_of_two(1000) is 1024
create or replace macro power_of_two(n) as case
    when n <= 0 then 0
    when n > 4611686018427387904 then 9223372036854775807
    else 1::bigint << ceil(log2(n))::integer end;
-- A part in percent of a whole; null of nothing.
-- Example: percent_of(1, 4) is 25
create or replace macro percent_of(part, whole) as 100.0 * part / nullif(whole, 0);
-- How many rows of a table or view are under way at each moment at which that changes, by their time_ns and duration_ns.
-- Example: (select max(in_flight) from in_flight('interval_rows')) is 2
create or replace macro in_flight(relation) as table
    select time_ns, (sum(sum(change)) over (order by time_ns))::bigint as in_flight
    from (
        select time_ns, 1 as change from query_table(relation) where duration_ns > 0
        union all
        select time_ns + duration_ns, -1 from query_table(relation) where duration_ns > 0
    )
    group by time_ns;
-- The sessions of a table or view: spans of rows whose time_ns are at most a gap apart, each with its start, end and rows.
-- Example: (select count(*) from sessions('interval_rows', 100)) is 2
create or replace macro sessions(relation, gap_ns) as table
    select min(time_ns) as start_ns, max(time_ns) as end_ns, count(*) as rows
    from (
        select time_ns, sum(is_first) over (order by time_ns rows unbounded preceding) as number
        from (
            select time_ns, coalesce(time_ns - lag(time_ns) over (order by time_ns) > gap_ns, true)::integer as is_first
            from query_table(relation) where time_ns is not null
        )
    )
    group by number;
-- The overlaps of two tables or views: a row for each pair of their rows that are under way at the same time, with when
-- that begins, how long it lasts, and both rows. Two relations may be the same one.
-- Example: (select count(*) from overlap('interval_rows', 'interval_rows')) is 5
-- Example: (select max(duration_ns) from overlap('interval_rows', 'interval_rows') where one <> other) is 5
create or replace macro overlap(one, other) as table
    select greatest(a.time_ns, b.time_ns) as time_ns,
           least(a.time_ns + a.duration_ns, b.time_ns + b.duration_ns) - greatest(a.time_ns, b.time_ns) as duration_ns,
           a as one, b as other
    from (from query_table(one)) as a
    join (from query_table(other)) as b
        on a.time_ns < b.time_ns + b.duration_ns and b.time_ns < a.time_ns + a.duration_ns;
-- The rows of a table or view with the largest values of a measure, at most this number of each kind. Both are columns
-- or other expressions of the relation.
-- Example: (select sum(duration_ns) from top_rows('interval_rows', true, duration_ns, 1)) is 10
create or replace macro top_rows(relation, kind, measure, n) as table
    from query_table(relation)
    qualify row_number() over (partition by kind order by measure desc nulls last) <= n;
-- The percentiles of a measure, which is a column or another expression of a table or view.
-- Example: (select value from percentiles('interval_rows', duration_ns) where percentile = 100) is 10
create or replace macro percentiles(relation, measure) as table
    select unnest([1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100]) as percentile,
           unnest(quantile_cont(measure, [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1])) as value
    from query_table(relation);
-- The rows of a table or view in each bin of time and of each kind, a column or another expression of it. With
-- pivot rows_over_time('call_wide', 1000000000, call) on kind using sum(rows), each kind is a column.
-- Example: (select count(*) from rows_over_time('interval_rows', 100, true)) is 2
create or replace macro rows_over_time(relation, width_ns, kind) as table
    select bin_of(time_ns, width_ns) as start_ns, kind as kind, count(*) as rows
    from query_table(relation)
    where time_ns is not null
    group by all;
