-- System calls with what they take
--
-- One row per system call: view timed_call with the number of the file in place of its names.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: syscall
--
-- Columns:
--   seq          int64    [position]    As in table syscall.
--   time_ns      int64?   [ns]          As in table syscall.
--   duration_ns  int64?   [ns]          As in table syscall.
--   returned     bool     [truth]       Whether the call returned before the trace, or its process, ended.
--   process      int32    [identifier]  As in table syscall.
--   thread       int32    [identifier]  As in table syscall.
--   call         string   [name]        The system call's name.
--   class        string   [name]        storage, waiting, other or unknown.
--   file         int32?   [identifier]  The row of table file of what it worked on; missing where that has none.
--   no_file      string?  [name]        The word in parentheses that says what it worked on instead (see timed_call).
--   bytes        int64?   [bytes]       What a call that moves data moved, if it succeeded; missing for other calls.
--   net_ns       int64?   [ns]          How much of duration_ns is not the tracer's; missing where that is not known.
--   cost_ns      int64?   [ns]          net_ns where it is known, else duration_ns.
--   at_stake_ns  int64?   [ns]          cost_ns without the time in which the thread waited for a processor, where the recording shows it: fewer calls do not make that shorter.

with runnable as (
    select seq, sum(on_ns - ready_ns) as runnable_ns from off_cpu_in_call group by seq
),
measured as (
    select classed_call.*, usual_ns + share * greatest(duration_ns - usual_ns - inside_p99_ns, 0) as untraced_ns,
           coalesce(runnable_ns, 0) as runnable_ns
    from classed_call
    left join runnable on runnable.seq = classed_call.seq
    left join untraced_call on untraced_call.call = classed_call.call and untraced_call.class = classed_call.class
              and untraced_call.size = if(bytes is null, -1, coalesce(size_class_bound(bytes), 0))
)
select seq, time_ns, duration_ns, returned, process, thread, call, class, file, no_file, bytes,
       round(if(untraced_ns < duration_ns, untraced_ns, if(untraced_ns is null, null, duration_ns))) as net_ns,
       round(if(untraced_ns < duration_ns, untraced_ns, duration_ns)) as cost_ns,
       greatest(cost_ns - runnable_ns, 0) as at_stake_ns
from measured
