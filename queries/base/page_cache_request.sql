-- Requests to the page cache
--
-- One row per event that a page cache sees, in the order of time: reads and writes of regular files, touches of mapped
-- pages, advice on reads and what they bring in or drop, changes of length, syncs, and how much memory is not the page
-- cache's. Inodes and directories are not here. What sendfile, splice and copy_file_range move goes through a pipe of 16
-- pages: it is read and written in turns, when the pages that are written come in, else spread evenly over the call.
--
-- Where the recording has the kernel's events (`record --kernel`), touches of mapped pages are the faults that it saw,
-- and files of which no page came into the cache are left out: they were cached before, and cost no reads. Elsewhere a
-- mapping touches each page of its range once, when it is made. A write of a page that the kernel read meanwhile is in
-- two parts. Requests that wrote pages are those of the recording; a request's pages are known from its first one, so
-- that pages of further files in the same request are missing. Memory is that of a recording with a limit, or of a
-- whole machine.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   seq        int64   [position]    The order of the events, by time.
--   event      string  [name]        read, read_spliced (into a pipe), write, write_synchronous (its data are on the device when it ends), touch (of each page of a range that is mapped), fault (of a mapped page that was not cached), mapped (a fault mapped those of the pages that are cached), evicted (pages of a file that was mapped left the kernel's cache), dropped (pages left it for others), writes_shown (the recording has requests that write pages of the file), write_begun (such a request was queued), write_ended (it was completed), direct_read (past the page cache), truncate, delete, sync, advise_normal, advise_sequential or advise_random (posix_fadvise), will_need (of posix_fadvise, and readahead), dont_need (posix_fadvise), processor (from now on pages come in on this one), or memory.
--   file       int32?  [identifier]  The file; missing for a sync of everything, for processor and for memory.
--   open       int32?  [identifier]  The use of the file, which has its own read-ahead window.
--   offset     int64?  [bytes]       Where the request starts; a truncate's new length; of event processor its number.
--   length     int64?  [bytes]       How many bytes; of will_need and dont_need 0 for all to the file's end; of event memory, how much memory programs and the kernel's objects have.
--   requested  int64?  [bytes]       How many bytes a read asked for.
--   file_size  int64?  [bytes]       The file's size just after the request, or when it first became known.
--   time_ns    int64?  [ns]          When the request was issued.
--   end_ns     int64?  [ns]          When its call ended; time_ns where that is not known.

with inserted as (select distinct device_number, inode from page_cache_event where event = 'added'),
warm as (
    select file from opened_file
    anti join inserted using (device_number, inode)
    where page_cache_recorded()
),
mapped as (
    select file, process, time_ns, "use" from reference
    where operation = 'read' and flags = 'mapped' and time_ns is not null
),
first_file as (select min(file) as file, device_number, inode from opened_file group by device_number, inode),
mapped_event as (
    select *, event = 'mapped' and lead(event) over later = 'fault'
              and lead(page) over later between page and page + pages - 1 as goes_on
    from page_cache_event
    where event in ('fault', 'mapped')
    window later as (partition by thread, device_number, inode order by time_ns)
),
named_fault as ( -- a fault that maps pages around its own, but not that one, goes on, and maps them again
    select event, file, process, time_ns, page, pages
    from mapped_event
    join first_file using (device_number, inode)
    where page between 0 and 1e12 and pages between 1 and 1e6 and not coalesce(goes_on, false)
),
fault as (
    select event, named_fault.file, mapped."use" as open, page * 4096 as "offset", pages * 4096 as length, named_fault.time_ns
    from named_fault
    asof left join mapped
        on mapped.file = named_fault.file and mapped.process = named_fault.process and mapped.time_ns <= named_fault.time_ns
),
evicted as ( -- of files that are mapped; whoever evicts is no matter
    select removed.file, mapped."use" as open, page * 4096 as "offset", pages * 4096 as length, removed.time_ns
    from (
        select file, time_ns, page, pages
        from page_cache_event
        join first_file using (device_number, inode)
        where event = 'removed' and page between 0 and 1e12 and pages between 1 and 1e6
          and file in (select file from named_fault)
    ) as removed
    asof left join mapped on mapped.file = removed.file and mapped.time_ns <= removed.time_ns
),
dropped as ( -- by threads that are not recorded, as the machine is short of memory
    select file, page * 4096 as "offset", pages * 4096 as length, time_ns
    from page_cache_event
    join first_file using (device_number, inode)
    where event = 'removed' and process is null and page between 0 and 1e12 and pages between 1 and 1e6
),
begun as ( -- calls and faults
    select thread, time_ns from syscall
    union all
    select thread, time_ns from page_cache_event where event in ('fault', 'mapped')
),
inserted_on as ( -- which processor each of them ran on that brought pages in
    select coalesce(begun.time_ns, added.time_ns) as time_ns, processor
    from (select thread, time_ns, processor from page_cache_event where event = 'added' and process is not null) as added
    asof left join begun on begun.thread = added.thread and begun.time_ns <= added.time_ns
    where processor is not null
),
moved_to as ( -- another processor than that of the last
    select time_ns, processor from inserted_on
    qualify processor is distinct from lag(processor) over (order by time_ns, processor)
),
written as ( -- of requests whose beginning and end are known
    select first_file.file, page * 4096 as "offset", blocks * 512 as length, disk_io.time_ns as begun_ns, completed_ns as ended_ns
    from disk_io
    join disk_io_file using (seq)
    join first_file using (device_number, inode)
    where operation = 'write' and page between 0 and 1e12 and blocks between 1 and 2097152 and completed_ns is not null
),
copied as (
    select reference.seq, call_seq, operation, file, "use", reference."offset", length, requested, file_size, syscall.time_ns,
           coalesce(syscall.duration_ns, 0) as lasts_ns
    from reference
    join syscall on syscall.seq = call_seq and call in ('copy_file_range', 'sendfile', 'splice')
    where operation in ('read', 'write') and type = 'datafile' and reference.flags is null
      and length between 1 and 2147483648 and reference."offset" >= 0
),
part as ( -- of what goes through a pipe: 16 pages. The model takes no more than four terabytes in all.
    select * replace ("offset" + first as "offset", least(length - first, 65536) as length,
                      least(greatest(requested, length) - first, 65536) as requested,
                      if(file_size > "offset" + length, file_size, null) as file_size,
                      time_ns + (lasts_ns::double * first / length)::bigint as time_ns)
    from (select *, unnest(range(0, length, 65536)) as first from copied where (select sum(length) from copied) <= 4e12)
),
moved as ( -- where the pages of a part that is written came in, that is its time
    select part.call_seq, part.first, min(page_cache_event.time_ns) as added_ns
    from part
    join copied on copied.seq = part.seq
    join opened_file on opened_file.file = part.file
    join page_cache_event using (device_number, inode)
    where part.operation = 'write' and event = 'added' and page = part."offset" // 4096
      and page_cache_event.time_ns between copied.time_ns and copied.time_ns + copied.lasts_ns
    group by all
),
timed as (
    select part.* replace (greatest(coalesce(max(added_ns) over calls, 0), coalesce(added_ns, part.time_ns)) as time_ns)
    from part
    left join moved using (call_seq, first)
    window calls as (partition by part.call_seq order by first)
),
advice as (
    select any_value(case when call = 'readahead' or syscall.flags = 'POSIX_FADV_WILLNEED' then 'will_need'
                          when syscall.flags = 'POSIX_FADV_DONTNEED' then 'dont_need'
                          else lower(replace(syscall.flags, 'POSIX_FADV_', 'advise_')) end) as event,
           any_value(call_file.file) as file, max("use"."use") as open, any_value(syscall."offset") as "offset",
           any_value(syscall."count") as length, any_value(syscall.time_ns) as time_ns, syscall.seq
    from syscall
    join call_file on call_file.call_seq = syscall.seq
    join "use" on "use".file = call_file.file and "use".process = syscall.process
              and open_ns <= syscall.time_ns and coalesce(close_ns >= syscall.time_ns, true)
    where result = 0
      and (call = 'readahead'
           or call = 'fadvise64' and syscall.flags in ('POSIX_FADV_NORMAL', 'POSIX_FADV_SEQUENTIAL', 'POSIX_FADV_RANDOM',
                                                       'POSIX_FADV_WILLNEED', 'POSIX_FADV_DONTNEED'))
    group by syscall.seq
),
torn as ( -- writes of a page that the kernel read meanwhile: their data, not in memory at first, came in two parts
    select reference.seq, min(page) * 4096 + 1 as torn_at
    from (select thread, time_ns, device_number, inode, page from disk_io join disk_io_file using (seq) where operation = 'read')
        as came
    asof join syscall on syscall.thread = came.thread and syscall.time_ns <= came.time_ns
    join first_file using (device_number, inode)
    join reference on reference.call_seq = syscall.seq and reference.file = first_file.file
    where reference.operation = 'write' and came.time_ns <= syscall.time_ns + syscall.duration_ns
      and page * 4096 >= reference."offset" and page * 4096 + 4096 <= reference."offset" + length
    group by reference.seq
),
whole as (
    select case when operation = 'write' and contains(coalesce(flags, ''), 'synchronous') then 'write_synchronous'
                when operation = 'read' and flags = 'mapped' then 'touch'
                when operation = 'read' and contains(coalesce(flags, ''), 'direct') then 'direct_read'
                else operation end as event,
           reference.file, "use" as open, "offset", length, requested,
           coalesce(reference.file_size, size_first_bytes) as file_size, time_ns, time_ns + coalesce(duration_ns, 0) as end_ns, call_seq, 0 as first, reference.seq,
           torn_at
    from reference
    left join file on file.file = reference.file
    left join torn on torn.seq = reference.seq
    where (reference.file is null and operation = 'sync'
           or kind = 'regular' and operation in ('read', 'write', 'truncate', 'delete', 'sync'))
      and not (operation = 'write' and contains(coalesce(flags, ''), 'direct'))
      and not (coalesce(flags, '') = 'mapped' and page_cache_recorded())
      and reference.seq not in (select seq from part)
      and (reference.file is null or reference.file not in (select file from warm))
),
every as (
    select * exclude (torn_at) replace (coalesce(torn_at - "offset", length) as length) from whole
    union all
    select * exclude (torn_at) replace (torn_at as "offset", "offset" + length - torn_at as length, 1 as first) from whole
    where torn_at is not null
    union all
    select if(operation = 'read', 'read_spliced', operation), part.file, "use", "offset", length, requested,
           if(operation = 'read', coalesce(file_size, size_first_bytes), file_size), time_ns, time_ns, call_seq, first, seq
    from timed as part
    join file on file.file = part.file
    where kind = 'regular' and part.file not in (select file from warm)
    union all
    select event, fault.file, open, "offset", length, length, coalesce(size_last_bytes, "offset" + length), time_ns, time_ns, null, 0, null
    from fault
    join file on file.file = fault.file
    where fault.file not in (select file from warm)
    union all
    select 'evicted', file, open, "offset", length, null, null, time_ns, time_ns, null, 0, null
    from evicted
    union all
    select 'dropped', file, null, "offset", length, null, null, time_ns, time_ns, null, 0, null
    from dropped
    union all
    select 'writes_shown', file, null, null, null, null, null, null, null, null, 0, null
    from (select distinct file from written)
    union all
    select 'write_begun', file, null, "offset", length, null, null, begun_ns, begun_ns, null, 0, null
    from written
    union all
    select 'write_ended', file, null, "offset", length, null, null, ended_ns, ended_ns, null, 0, null
    from written
    union all
    select event, advice.file, open, "offset", length, null, coalesce(size_first_bytes, size_largest_bytes), time_ns, time_ns, seq, 0, null
    from advice
    left join file on file.file = advice.file
    union all
    select 'processor', null, null, processor, null, null, null, time_ns, time_ns, null, 0, null
    from moved_to
    union all
    select 'memory', null, null, null, anonymous_bytes + coalesce(slab_bytes, 0), null, null, time_ns, time_ns, null, 0, null
    from memory_sample
    where limit_bytes is not null
)
select row_number() over (order by time_ns nulls first, call_seq nulls first, first, seq nulls first) - 1 as seq,
       event, file, open, "offset", length, requested, file_size, time_ns, end_ns
from every
