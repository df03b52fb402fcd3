-- Storage calls by program, directory and file
--
-- Where storage calls go, their time and their bytes: a row for each program, directory and file. What has less than 0.2 %
-- of the calls, and of the time, and of the bytes is added up as (other files) of its directory; such directories are
-- (other directories) of their program, such programs (other programs). A call's bytes count for the file of its first
-- descriptor.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   program    string   [name]   The path given to exec.
--   directory  string   [name]   The directory that holds the file (view timed_call).
--   file       string   [name]   The file's first path (view timed_call).
--   calls      int64    [calls]  Storage calls.
--   total_s    double?  [s]      How long they took together, added up over all threads; missing if none has a time.
--   bytes      int64    [bytes]  What they read and wrote.
--
-- Shown:
--   program
--   directory
--   file
--   calls
--   total = total_s
--   bytes

with leaf as (
    select program, directory, file, count(*) as calls, sum(cost_ns) as total_ns,
           coalesce(sum(bytes), 0) as bytes
    from timed_call
    join process_name using (process)
    where class = 'storage'
    group by program, directory, file
),
shared as (
    select *,
           greatest(ratio_of(sum(calls) over own, sum(calls) over ()),
                    ratio_of(sum(total_ns) over own, sum(total_ns) over ()),
                    ratio_of(sum(bytes) over own, sum(bytes) over ())) as program_share,
           greatest(ratio_of(sum(calls) over there, sum(calls) over ()),
                    ratio_of(sum(total_ns) over there, sum(total_ns) over ()),
                    ratio_of(sum(bytes) over there, sum(bytes) over ())) as directory_share,
           greatest(ratio_of(calls, sum(calls) over ()), ratio_of(total_ns, sum(total_ns) over ()),
                    ratio_of(bytes, sum(bytes) over ())) as file_share
    from leaf
    window own as (partition by program), there as (partition by program, directory)
)
select if(program_share < 0.002, '(other programs)', program) as program,
       if(directory_share < 0.002, '(other directories)', directory) as directory,
       if(file_share < 0.002, '(other files)', file) as file,
       sum(calls) as calls, sum(total_ns) / 1e9 as total_s, least(sum(bytes), 9223372036854775807) as bytes
from shared
group by all
order by total_s desc nulls last, calls desc, program, directory, file
