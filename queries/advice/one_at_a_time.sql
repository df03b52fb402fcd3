-- One thread alone waits for storage for part of the time
--
-- In these phases one thread is in a storage call too long to come from memory, and no other computes or has a call of
-- its own to storage: the processors idle, and the device sees one request at a time.
--
-- Source: iotrace; view wall_time says how a moment is judged.
-- Family: syscall
-- Do: Overlap: read ahead (readahead, posix_fadvise), several threads or processes (make -j, xargs -P), asynchronous requests (io_uring).
-- Check: Record again: the share of storage in the wall clock's division falls (iotrace time).
-- Confidence: low. At stake is half of the time, which two requests at a time would save; what overlaps cannot be seen from calls alone: what one request computes may be needed by the next.
--
-- Thresholds:
--   least_percent  10   Part of the wall clock's time that is such.
--   least_ms       50   Length of all such times together.
--   least_us       100  A call that takes less is taken to be served from memory.

with judged as (
    select process, start_ns, end_ns,
           if(class = 'storage' and end_ns - start_ns < 1e3 * $least_us, 'other', class) as class
    from thread_interval
    where process is not null
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
              and 100 * sum(alone.wall_ns) >= $least_percent * (select sum(stretch.wall_ns) from stretch) from alone)
