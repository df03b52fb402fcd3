-- What calls moved, and what the model adds
--
-- The bytes of the requests by where they come from. What calls moved are the reads and writes of datafiles and
-- disks, and the loader's reads of pieces of executables. The model of the file system adds what no call moves: a
-- whole read of each executable that is run and each library that is mapped, the directories and inodes of
-- look-ups, and the inode writes that note an access. Mappings may read what they map, at most once each time:
-- program text under model exec=demand, data too under mmap=range.
--
-- Source: iotrace; the model is that of Richardson 1994, section 2.3.
-- Family: syscall
--
-- Columns:
--   origin         string   [name]      calls, mappings or model.
--   part           string   [name]      data, pieces of executables, mapped programs, whole executables, directories, inodes or access times.
--   requests       int64    [requests]  The requests.
--   bytes_read     int64    [bytes]     What its reads move.
--   bytes_written  int64    [bytes]     What its writes and updates move.
--   bytes_percent  double?  [percent]   Its share of all bytes.
--
-- Shown:
--   origin
--   part
--   requests
--   bytes read
--   bytes written
--   bytes % = bytes_percent

with parted as (
    select case when mapped then 3
                when type in ('datafile', 'disk') then 1
                when type = 'executable' and not whole_executable then 2
                when type = 'executable' then 4
                when type = 'directory' then 5
                when operation <> 'update' then 6
                else 7 end as place,
           count(*) as requests,
           coalesce(sum(length) filter (not writes), 0) as bytes_read,
           coalesce(sum(length) filter (writes), 0) as bytes_written
    from request
    group by place
)
select case when place <= 2 then 'calls' when place = 3 then 'mappings' else 'model' end as origin,
       ['data', 'pieces of executables', 'mapped programs', 'whole executables', 'directories', 'inodes', 'access times'][place] as part,
       requests, bytes_read, bytes_written,
       percent_of(bytes_read + bytes_written, sum(bytes_read + bytes_written) over ()) as bytes_percent
from parted
order by place
