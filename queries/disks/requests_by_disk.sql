-- Disks
--
-- The requests to each disk of a block trace, in the order of the bytes that it moved (parameter top). A disk's size
-- is not known: its footprint is what the requests touched. Where the trace does not state directions, reads and
-- writes are missing.
--
-- Source: iotrace.
-- Family: disk_io
--
-- Columns:
--   device              string   [name]            The disk.
--   requests            int64    [requests]        Requests to it that move data.
--   requests_percent    double   [percent]         Their share of all.
--   read_percent        double?  [percent]         The share of its requests that read.
--   bytes_read          int64?   [bytes]           What reads moved.
--   bytes_written       int64?   [bytes]           What writes moved.
--   average_bytes       double?  [bytes]           The average request's length.
--   footprint_bytes     int64    [bytes]           Distinct bytes touched, in 512-byte blocks.
--   byte_reuse          double?  [bytes per byte]  Bytes moved for each byte of the footprint.
--   sequential_percent  double?  [percent]         Requests that start where the last one to the disk ended, in either direction.
--
-- Shown:
--   device
--   requests
--   requests %      = requests_percent
--   reads %         = read_percent
--   bytes read
--   bytes written
--   average request = average_bytes
--   footprint       = footprint_bytes
--   byte reuse
--   sequential %    = sequential_percent

select file.path as device, static_object.requests,
       percent_of(static_object.requests, sum(static_object.requests) over ()) as requests_percent,
       if(undirected = 0, percent_of(reads, static_object.requests), null) as read_percent,
       if(undirected = 0, bytes_read, null) as bytes_read,
       if(undirected = 0, bytes_written, null) as bytes_written,
       ratio_of(bytes, static_object.requests - unknown_lengths) as average_bytes,
       size_bytes as footprint_bytes,
       ratio_of(bytes, size_bytes) as byte_reuse,
       percent_of(sequential, disk_footprint.requests) as sequential_percent
from static_object
join file on file.file = static_object.file
join disk_footprint on disk_footprint.file = static_object.file
cross join undirected
where type = 'disk'
order by bytes desc, static_object.requests desc, device
limit least(parameter_top(), 200)
