-- References and bytes by type
--
-- What the workload asked of the I/O system: requests and the bytes that they moved, by type. Without a
-- cache, this is the I/O performed.
--
-- Source: Richardson 1994, figures 3.2 and 3.4, sections 3.1.2 and 3.1.4.
--
-- Columns:
--   type              string   [name]      inode, directory, executable, datafile or disk; only types that occur.
--   requests          int64    [requests]  Requests (figure 3.2).
--   requests_percent  double   [percent]   Their share of all requests.
--   bytes             int64    [bytes]     Bytes moved (figure 3.4).
--   bytes_percent     double?  [percent]   Their share of all bytes.
--   average_bytes     double?  [bytes]     The average request's length.
--   unknown_lengths   int64    [requests]  Requests whose length is not in the trace; they count no bytes.
--
-- Shown:
--   type
--   requests
--   requests %      = requests_percent
--   bytes
--   bytes %         = bytes_percent
--   average request = average_bytes
--   unknown lengths

select type,
       sum(requests) as requests,
       percent_of(sum(requests), sum(sum(requests)) over ()) as requests_percent,
       sum(bytes) as bytes,
       percent_of(sum(bytes), sum(sum(bytes)) over ()) as bytes_percent,
       ratio_of(sum(bytes), sum(requests - unknown_lengths)) as average_bytes,
       sum(unknown_lengths) as unknown_lengths
from static_object
group by type
order by type_order(type)
