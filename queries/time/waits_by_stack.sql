-- Time blocked, by stack
--
-- How long threads were blocked, by the functions in which they were and the system call, of recordings with --stacks:
-- the program's outermost function first, parted by semicolons, as flame graphs are made from. A function that its file
-- does not name has the file's name in brackets. Callers that are built without frame pointers are missing. The 200 longest.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   functions  string   [name]   The functions.
--   call       string?  [name]   The system call; missing outside calls, as for a page of a mapped file.
--   waits      int64    [waits]  How many times.
--   blocked_s  double   [s]      How long together, over all threads.
--   max_ms     double   [ms]     The longest.
--
-- Shown:
--   functions
--   call
--   waits
--   blocked   = blocked_s
--   longest   = max_ms

with folded as (
    select stack, string_agg(name, ';' order by depth desc) as functions from frame_name group by stack
)
select functions, call, count(*) as waits, sum(blocked_ns) / 1e9 as blocked_s, max(blocked_ns) / 1e6 as max_ms
from off_cpu
join folded using (stack)
group by functions, call
order by blocked_s desc, waits desc, functions, call
limit 200
