-- Processes by bytes moved
--
-- Which processes make the I/O (parameter top); the last row adds up all others.
--
-- Source: iotrace.
--
-- Columns:
--   pid                int32?   [identifier]  The process (thread group); missing for the row of all others.
--   program            string?  [name]        The program in which it made most requests; (others) in the last row.
--   processes          int64    [processes]   How many processes the row stands for.
--   requests           int64    [requests]    Requests of the population (parameter population).
--   requests_percent   double?  [percent]     Their share of the trace's.
--   metadata_requests  int64    [requests]    Requests for inodes and directories, regardless of parameter population.
--   bytes_read         int64    [bytes]       Bytes that its read calls moved.
--   mapped_bytes       int64    [bytes]       Bytes of programs that mappings and whole reads may have read.
--   bytes_written      int64    [bytes]       Bytes that its writes and updates moved.
--   bytes_percent      double?  [percent]     Its share of the trace's bytes.
--
-- Shown:
--   pid
--   program
--   processes
--   requests
--   requests % = requests_percent
--   metadata requests if metadata_requests
--   bytes read
--   mapped     = mapped_bytes if mapped_bytes
--   bytes written
--   bytes %    = bytes_percent

with ranked as (
    select job, pid, arg_max(program, (requests, -process)) as program,
           sum(requests) as requests, sum(metadata_requests) as metadata_requests,
           sum(bytes_read) as bytes_read, sum(mapped_bytes) as mapped_bytes, sum(bytes_written) as bytes_written,
           row_number() over (order by sum(bytes_read + bytes_written) desc, sum(requests) desc, job, pid)
               > least(parameter_top(), 200) as other
    from process_request
    group by job, pid
)
select case when not other then any_value(pid) end as pid,
       if(other, '(others)', any_value(program)) as program,
       count(*) as processes,
       sum(requests) as requests,
       percent_of(sum(requests), sum(sum(requests)) over ()) as requests_percent,
       sum(metadata_requests) as metadata_requests,
       sum(bytes_read) as bytes_read,
       sum(mapped_bytes) as mapped_bytes,
       sum(bytes_written) as bytes_written,
       percent_of(sum(bytes_read + bytes_written), sum(sum(bytes_read + bytes_written)) over ()) as bytes_percent
from ranked
group by other, case when not other then job end, case when not other then pid end
order by other, sum(bytes_read + bytes_written) desc, requests desc, case when not other then job end, pid
