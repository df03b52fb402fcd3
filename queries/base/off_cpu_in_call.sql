-- Times without a processor within calls
--
-- One row per time within a call in which its thread had no processor: it was blocked from off_ns until ready_ns, and
-- from there until on_ns it could go on and waited for a processor. Calls have rows only where the recording shows when
-- threads have no processor.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   seq       int64  [position]  The call: seq of table syscall.
--   off_ns    int64  [ns]        When its thread lost the processor.
--   ready_ns  int64  [ns]        When it could go on, at most the call's end.
--   on_ns     int64  [ns]        When it had a processor again, at most the call's end.

with call as (
    select seq, thread, time_ns as start_ns, time_ns + duration_ns as end_ns
    from syscall
    where duration_ns is not null and not is_no_call(call) and scheduler_recorded()
)
select call.seq, off_cpu.time_ns as off_ns, least(off_cpu.time_ns + blocked_ns, end_ns) as ready_ns,
       least(off_cpu.time_ns + off_cpu.duration_ns, end_ns) as on_ns
from off_cpu
asof join call on off_cpu.thread = call.thread and off_cpu.time_ns >= call.start_ns
where off_cpu.time_ns <= call.end_ns
