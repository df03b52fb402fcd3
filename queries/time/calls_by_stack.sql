-- Calls by stack
--
-- How long calls took, by the functions that made them, of logs of strace -k: the program's outermost function first,
-- parted by semicolons, as flame graphs are made from. A function that its file does not name has the file's name in
-- brackets. The 200 that took longest.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   functions  string   [name]   The functions.
--   call       string   [name]   The system call.
--   calls      int64    [calls]  How many calls.
--   total_s    double?  [s]      How long they took together, without what the tracer adds where that is known (view timed_call); missing without times.
--   bytes      int64?   [bytes]  What they moved; missing where they move nothing.
--
-- Shown:
--   functions
--   call
--   calls
--   total     = total_s
--   bytes

with folded as (
    select stack, string_agg(name, ';' order by depth desc) as functions from frame_name group by stack
)
select functions, call, count(*) as calls, sum(cost_ns) / 1e9 as total_s, sum(bytes)::bigint as bytes
from call_stack
join folded using (stack)
join timed_call on timed_call.seq = call_seq
group by functions, call
order by total_s desc nulls last, calls desc, functions, call
limit 200
