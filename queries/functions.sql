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
