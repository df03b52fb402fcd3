-- I/O that the trace cannot show
--
-- Files that are mapped into memory, and asynchronous calls (such as io_uring), move data without a call that
-- shows it. What a recording with --kernel has is not among them: requests of io_uring (table ring_request), and
-- mapped files whose pages and requests to disks are known (statistic mapped_io). The bytes are those of the distinct
-- files mapped (parameter file_size), if known, no measure of the I/O.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   kind   string  [name]   mapped for writing (shared), mapped for reading, or asynchronous.
--   calls  int64   [calls]  The mappings or calls.
--   bytes  int64?  [bytes]  The size of the distinct files; missing for asynchronous calls.
--
-- Shown:
--   kind
--   calls
--   size of files = bytes

with mapped as (
    select if(coalesce(contains(protection, 'PROT_WRITE') and contains(protection, 'MAP_SHARED'), false),
              'mapped for writing', 'mapped for reading') as kind,
           file, count(*) as mappings, max(coalesce("offset", 0) + coalesce(length, 0)) as reached_bytes
    from mapping
    where not (page_cache_recorded() and disks_recorded()) or file not in (select file from opened_file)
    group by all
),
sized as (
    select mapped.kind, mappings,
           coalesce(case parameter_file_size()
                        when 'first' then size_first_bytes
                        when 'last' then size_last_bytes
                        else size_largest_bytes
                    end, reached_bytes) as size_bytes
    from mapped
    left join file on file.file = mapped.file
),
found as (
    select kind, sum(mappings) as calls, sum(size_bytes) as bytes from sized group by kind
    union all
    select 'asynchronous', count(*), null from system_call 
    where call = 'io_submit' or call = 'io_uring_enter' and not io_uring_recorded()
)
select kind, calls, bytes
from found
where calls > 0
order by kind
