-- What storage calls wait for
--
-- One row per storage call with a time, of recordings that have the requests to disks: how its duration divides. Device
-- is the time in which a request that the call needs is between issue and completion, and no more than the call's own
-- time; queued the time in which one is queued and none is at the device; memory all of a read that moved data, of which
-- nothing had to be read from a disk, and that never waited (but of /proc and /sys, which are no pages); other the rest.
-- Other divides by what the thread did when no request that the call needs was under way: it was blocked (on a lock, for
-- memory, for room for dirty pages), it could go on and waited for a processor, or it was running, as to copy data.
--
-- A call needs the requests that its thread queues within it, read-ahead apart; a read or write of a file needs the
-- requests that read its pages, whoever queued them; and calls that make writes last (fsync and the like) need the writes
-- and flushes to the disk of their file within them, sync those to all disks. What a request moves is known from the
-- first of its pages; of direct I/O it is not, and its requests are those of the thread. So one fsync may be given the
-- time of another's requests to the same disk. Requests of over an hour have no part, nor have those that calls need after
-- their first hour.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: syscall
--
-- Columns:
--   seq        int64  [position]  As in table syscall.
--   device_ns  int64  [ns]        A request that the call needs is at the device.
--   queued_ns  int64  [ns]        One is queued, and none is at the device.
--   memory_ns  int64  [ns]        All of a read that found its pages in memory.
--   other_ns   int64  [ns]        The rest.
--   other_blocked_ns   int64?  [ns]  Of the rest, the thread was blocked; missing, like the next two, where the recording does not show when threads have no processor.
--   other_runnable_ns  int64?  [ns]  It waited for a processor.
--   other_running_ns   int64?  [ns]  It was running.

with call as (
    select timed_call.seq, syscall.call, syscall.thread, timed_call.time_ns as start_ns,
           timed_call.time_ns + timed_call.duration_ns as end_ns,
           syscall.call in ('read', 'pread64', 'readv', 'preadv', 'preadv2') and bytes > 0
               and not regexp_matches(file, '^/(proc|sys)/') as reads_pages
    from timed_call
    join syscall using (seq)
    where class = 'storage' and timed_call.duration_ns is not null and disks_recorded()
),
called_file as (
    select call.seq, device_number, inode
    from call
    join call_file on call_file.call_seq = call.seq
    join opened_file using (file)
),
moved as ( -- the pages that calls read or write
    select call_seq as seq, operation, "offset" // 4096 as first, ("offset" + length - 1) // 4096 as last
    from reference
    where type = 'datafile' and operation in ('read', 'write') and length > 0 and "offset" >= 0 and call_seq is not null
          and disks_recorded()
),
request as (
    select seq as request, device, operation, thread, device_number, inode, page, page + greatest(blocks // 8, 1) - 1 as last,
           queued_ns, coalesce(issued_ns, completed_ns) as issued_ns, completed_ns,
           contains(coalesce(flags, ''), 'read_ahead') as is_ahead
    from disk_io
    join disk_io_file using (seq)
    where completed_ns - queued_ns <= 3600000000000
),
within as ( -- the call in which its thread queued each request
    select request.*, call.seq, call.end_ns
    from request
    asof join call on request.thread = call.thread and request.queued_ns >= call.start_ns
),
of_thread as (
    select within.seq, request
    from within
    left join called_file on called_file.seq = within.seq
    left join moved on moved.seq = within.seq
    where queued_ns <= end_ns and not is_ahead
          and (moved.seq is null or within.inode is null
               or (within.device_number, within.inode) is distinct from (called_file.device_number, called_file.inode))
),
asked as ( -- by files, megabytes and tenths of a second, so that few are compared
    select call.seq, device_number, inode, first, moved.last, start_ns, end_ns,
           unnest(range(first // 256, moved.last // 256 + 1)) as place
    from call
    join moved using (seq)
    join called_file using (seq)
),
asked_when as (
    select *, unnest(range(start_ns // 100000000, least(end_ns, start_ns + 3600000000000) // 100000000 + 1)) as period
    from asked
),
read as (
    select *, unnest(range(page // 256, last // 256 + 1)) as place from request where operation = 'read' and page is not null
),
read_when as (
    select *, unnest(range(queued_ns // 100000000, completed_ns // 100000000 + 1)) as period from read
),
of_pages as (
    select distinct asked_when.seq, request
    from asked_when
    join read_when using (device_number, inode, place, period)
    where read_when.page <= asked_when.last and read_when.last >= first and queued_ns <= end_ns and completed_ns >= start_ns
),
flushing as (
    select call.seq, start_ns, end_ns, device,
           unnest(range(start_ns // 100000000, least(end_ns, start_ns + 3600000000000) // 100000000 + 1)) as period
    from call
    left join called_file using (seq)
    left join disk on disk.device_number = called_file.device_number
    where call in ('fsync', 'fdatasync', 'sync', 'syncfs', 'sync_file_range', 'msync')
),
written as (
    select request, device, queued_ns, completed_ns,
           unnest(range(queued_ns // 100000000, completed_ns // 100000000 + 1)) as period
    from request
    where operation in ('write', 'flush')
),
of_flush as (
    select distinct flushing.seq, request
    from flushing
    join written on written.period = flushing.period and (flushing.device is null or written.device = flushing.device)
    where queued_ns <= end_ns and completed_ns >= start_ns
),
needed as (
    from of_thread union from of_pages union from of_flush
),
piece as (
    select needed.seq, greatest(queued_ns, start_ns) as queued_ns, least(greatest(issued_ns, start_ns), end_ns) as issued_ns,
           least(completed_ns, end_ns) as completed_ns
    from needed
    join request using (request)
    join call on call.seq = needed.seq
),
placed as ( -- each after those that began before it
    select seq, completed_ns,
           greatest(issued_ns, coalesce(max(completed_ns) over (partition by seq order by issued_ns, completed_ns
               rows between unbounded preceding and 1 preceding), issued_ns)) as device_from_ns,
           greatest(queued_ns, coalesce(max(completed_ns) over (partition by seq order by queued_ns, completed_ns
               rows between unbounded preceding and 1 preceding), queued_ns)) as from_ns
    from piece
),
waited as (
    select seq, sum(greatest(completed_ns - device_from_ns, 0))::bigint as device_ns,
           sum(greatest(completed_ns - from_ns, 0))::bigint as both_ns
    from placed
    group by seq
),
off as (
    select off_cpu_in_call.* from off_cpu_in_call join call using (seq)
),
off_by_call as (
    select seq, sum(ready_ns - off_ns)::bigint as blocked_ns, sum(on_ns - ready_ns)::bigint as runnable_ns
    from off
    group by seq
),
off_in_requests as ( -- the same while a request that the call needs was under way
    select seq,
           sum(greatest(least(ready_ns, completed_ns) - greatest(off_ns, from_ns), 0))::bigint as blocked_ns,
           sum(greatest(least(on_ns, completed_ns) - greatest(ready_ns, from_ns), 0))::bigint as runnable_ns
    from off
    join placed using (seq)
    where completed_ns > from_ns
    group by seq
),
divided as (
    select call.seq, end_ns - start_ns as duration_ns, coalesce(device_ns, 0) as device_ns,
           coalesce(both_ns - device_ns, 0) as queued_ns,
           coalesce(off_by_call.blocked_ns, 0) - coalesce(off_in_requests.blocked_ns, 0) as blocked_ns,
           coalesce(off_by_call.runnable_ns, 0) - coalesce(off_in_requests.runnable_ns, 0) as runnable_ns,
           reads_pages and waited.seq is null and coalesce(off_by_call.blocked_ns, 0) = 0 and scheduler_recorded()
               as is_memory
    from call
    left join waited on waited.seq = call.seq
    left join off_by_call on off_by_call.seq = call.seq
    left join off_in_requests on off_in_requests.seq = call.seq
),
rest as (
    select *, if(is_memory, 0, duration_ns - device_ns - queued_ns) as other_ns from divided
)
select seq, device_ns, queued_ns, if(is_memory, duration_ns, 0) as memory_ns, other_ns,
       case when scheduler_recorded() then if(is_memory, 0, blocked_ns) end as other_blocked_ns,
       case when scheduler_recorded() then if(is_memory, 0, runnable_ns) end as other_runnable_ns,
       other_ns - other_blocked_ns - other_runnable_ns as other_running_ns
from rest
