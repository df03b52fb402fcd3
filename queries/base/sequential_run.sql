-- Sequential runs of files
--
-- One row per run of a datafile, executable or disk: a maximal sequence of requests of one use, all in the
-- same direction, each starting where the last one ended. With parameter runs = 'mixed' the direction may
-- change within a run. Requests that belong to no use follow each other within a process and file. A request
-- whose offset or length is unknown ends a run.
--
-- Source: Richardson 1994, section 3.3.2.
-- Materialize: yes
--
-- Columns:
--   process           int32?  [identifier]  The process, for runs that belong to no use.
--   use               int32?  [identifier]  The use that the run belongs to, if any.
--   file              int32   [identifier]  The file.
--   type              string  [name]        datafile, executable or disk.
--   direction         string  [name]        read, write or, if runs may mix, read_write.
--   requests          int64   [requests]    How many requests it has.
--   length_bytes      int64?  [bytes]       How many bytes it moves; missing if no request's length is known.
--   offset_bytes      int64?  [bytes]       Where in the file it starts; missing if unknown.
--   file_size_bytes   int64?  [bytes]       The file's size just after its last request, if known.
--   first_seq         int64   [position]    The place of its first request.
--   whole_executable  bool    [truth]       Whether it is the one read of a whole program or library that the model makes.

with followed as (
    select seq, use, file, type, writes, "offset", length, file_size, whole_executable,
           coalesce("offset" <> lag("offset" + length) over each_use, true)
               or (parameter_runs() <> 'mixed' and writes <> lag(writes) over each_use) as starts,
           case when use is null then process end as lone_process
    from request
    where type not in ('inode', 'directory')
    window each_use as (partition by use, file, type, case when use is null then process end order by seq)
),
numbered as (
    select *, sum(starts::integer) over (
        partition by use, file, type, lone_process order by seq rows between unbounded preceding and current row) as run
    from followed
)
select lone_process as process, use, file, type,
       case when bool_and(writes) then 'write' when bool_or(writes) then 'read_write' else 'read' end as direction,
       count(*) as requests,
       sum(length) as length_bytes,
       arg_min("offset", seq) filter ("offset" is not null) as offset_bytes,
       arg_max(file_size, seq) as file_size_bytes,
       min(seq) as first_seq,
       bool_and(whole_executable) as whole_executable
from numbered
group by use, file, type, lone_process, run
