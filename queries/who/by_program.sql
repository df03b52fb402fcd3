-- Programs by bytes moved
--
-- Which programs make the I/O (parameter top), all processes that ran them taken together; the last row adds
-- up all others.
--
-- Source: iotrace.
--
-- Columns:
--   program            string?  [name]       The path given to exec; missing for what ran before the trace; (others).
--   processes          int64    [processes]  Processes that ran it; in the last row, those of each program added up.
--   requests           int64    [requests]   Requests of the population (parameter population).
--   requests_percent   double?  [percent]    Their share of the trace's.
--   metadata_requests  int64    [requests]   Requests for inodes and directories, regardless of parameter population.
--   bytes_read         int64    [bytes]      Bytes that its read calls moved.
--   mapped_bytes       int64    [bytes]      Bytes of programs that mappings and whole reads may have read.
--   bytes_written      int64    [bytes]      Bytes that its writes and updates moved.
--   bytes_percent      double?  [percent]    Its share of the trace's bytes.
--
-- Shown:
--   program
--   processes
--   requests
--   requests %         = requests_percent
--   metadata requests                     if metadata_requests
--   bytes read
--   mapped             = mapped_bytes     if mapped_bytes
--   bytes written
--   bytes %            = bytes_percent

with ranked as (
    select program, count(distinct (job, pid)) as processes,
           sum(requests) as requests, sum(metadata_requests) as metadata_requests,
           sum(bytes_read) as bytes_read, sum(mapped_bytes) as mapped_bytes, sum(bytes_written) as bytes_written,
           row_number() over (order by sum(bytes_read + bytes_written) desc, sum(requests) desc, program)
               > least(parameter_top(), 200) as other
    from process_request
    group by program
)
select if(other, '(others)', any_value(program)) as program,
       sum(processes) as processes,
       sum(requests) as requests,
       percent_of(sum(requests), sum(sum(requests)) over ()) as requests_percent,
       sum(metadata_requests) as metadata_requests,
       sum(bytes_read) as bytes_read,
       sum(mapped_bytes) as mapped_bytes,
       sum(bytes_written) as bytes_written,
       percent_of(sum(bytes_read + bytes_written), sum(sum(bytes_read + bytes_written)) over ()) as bytes_percent
from ranked
group by other, case when not other then program end
order by other, sum(bytes_read + bytes_written) desc, requests desc, program
