-- One thread alone waits for storage for part of the time
--
-- In these times one thread waits for a device to read, and no other computes or waits so: the processors idle, and
-- the device has one request at a time. The times in the trace show whether reads wait. Judged are reads past the page
-- cache (O_DIRECT) and the first reads of bytes; those of one file by one process together, and those of the process's
-- files with fewer reads together. They wait if at least half of them take longer than they would from memory: several
-- times the median of the calls that need no device (lseek, mmap and the like, which tracing and a busy machine slow
-- down as well), and the time to copy what is read, at least a page. Where the recording has the requests to disks
-- (view storage_time), a read waits if it needed one, and no other. With too few reads, or too few such calls to
-- compare with, it is not known, and the rule says nothing. Not judged, and so not counted, are repeated reads, mapped
-- files, block devices, metadata, and writes; rules sync_storm and synchronous_writes are about syncs.
--
-- Source: iotrace; view wall_time says how a moment is judged.
-- Family: syscall
-- Change: Overlap requests: read ahead or use threads
-- Do: Overlap: read ahead (readahead, posix_fadvise), several threads or processes (make -j, xargs -P), asynchronous requests (io_uring).
-- Check: Record again: the share of storage in the wall clock's division falls (iotrace time).
-- Confidence: low. At stake is half of the time, which two requests at a time would save; what overlaps cannot be seen from calls alone: what one request computes may be needed by the next.
--
-- Thresholds:
--   least_percent        10   Part of the wall clock's time that is such.
--   least_ms             50   Length of all such times together.
--   least_calls          20   Reads that are judged together, and calls that need no device.
--   least_times          3    A read that waits takes at least this many times the median of calls that need no device, and its copy.
--   copied_bytes_per_us  250  How fast the page cache copies at least, page faults of the buffer included.

with undelayed as ( -- calls that need no device
    select count(duration_ns) as calls, median(duration_ns) as median_ns
    from timed_call
    where call in ('lseek', 'fstat', 'mmap', 'munmap', 'mprotect', 'brk', 'madvise', 'dup', 'dup2', 'dup3', 'fcntl')
),
access as (
    select *, seq = min(seq) over (partition by file, "offset" // 4096) as is_first
    from data_call
    where length > 0
),
candidate as (
    select process_row as process, time_ns, duration_ns,
           if(disks_recorded(), coalesce(device_ns + queued_ns, 0) > 0,
              duration_ns >= $least_times * median_ns + 1e3 * greatest(length, 4096) / $copied_bytes_per_us) as is_long,
           if(count(*) over (partition by process_row, file) >= $least_calls, file, null) as file
    from access
    cross join undelayed
    left join storage_time on storage_time.seq = access.seq
    where not writes and duration_ns is not null and (calls >= $least_calls or disks_recorded())
      and (coalesce(contains(flags, 'direct'), false) or "offset" is not null and is_first)
      and not coalesce(regexp_matches(path, '^/(proc|sys)/'), false)
),
waiting_group as (
    select process, file
    from candidate
    group by process, file
    having count(*) >= $least_calls and 2 * count(*) filter (is_long) >= count(*)
),
first_row as (
    select process, min(process) over (partition by job, pid) as first from process
),
wait as (
    select distinct first_row.first as process, candidate.time_ns as start_ns
    from candidate
    join waiting_group on waiting_group.process = candidate.process
                      and waiting_group.file is not distinct from candidate.file
    join first_row on first_row.process = candidate.process
    where is_long
),
most as ( -- they take no longer one at a time than they take
    select coalesce(sum(end_ns - start_ns), 0) as wall_ns
    from thread_interval
    semi join wait using (process, start_ns)
    where class = 'storage'
),
span as (
    select max(end_ns) - min(start_ns) as wall_ns from thread_interval where process is not null
),
judged as (
    select thread_interval.process, thread_interval.start_ns, end_ns,
           if(class = 'storage' and wait.process is null, 'other', class) as class
    from thread_interval
    left join wait on wait.process = thread_interval.process and wait.start_ns = thread_interval.start_ns
    where thread_interval.process is not null
      and (select most.wall_ns >= 1e6 * $least_ms and 100 * most.wall_ns >= $least_percent * span.wall_ns from most, span)
),
edge as (
    select process, class, start_ns as at_ns, 1 as change from judged
    union all
    select process, class, end_ns, -1 from judged
),
stretch as ( -- at a moment of several changes the last row has all of them, and the others last no time
    select lead(at_ns) over later - at_ns as wall_ns,
           sum(if(class = 'thread', change, -change)) over later as computing,
           sum(if(class = 'storage', change, 0)) over later as storage,
           sum(if(class = 'storage', change * process, 0)) over later as process -- of one thread that stores, its process
    from edge
    window later as (order by at_ns rows between unbounded preceding and current row)
),
alone as (
    select process, sum(wall_ns) as wall_ns from stretch where storage = 1 and computing = 0 group by process
)
select null as path, name as process, wall_ns / 1e9 as number, 's' as unit, wall_ns / 2e9 as at_stake_s,
       null as at_stake_bytes
from alone
join process_name using (process)
where wall_ns > 0
  and (select sum(alone.wall_ns) >= 1e6 * $least_ms
              and 100 * sum(alone.wall_ns) >= $least_percent * (select wall_ns from span) from alone)
