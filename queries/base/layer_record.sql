-- What records of counters say of one layer
--
-- One row per record of a log of Darshan and layer of which it counts reads and writes: MPI-IO, POSIX, STDIO, and DAOS's file
-- system and objects. A record of formats before 3.00 counts MPI-IO and POSIX; its bytes are those of POSIX. A layer's calls
-- are made of those of the layers below: what layers count is never added up.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: darshan_job, parallel_io
--
-- Columns:
--   record             int64    [identifier]  As in table darshan_record.
--   job                int32    [identifier]  The log.
--   file               int32    [identifier]  The file.
--   rank               int64    [identifier]  The rank; -1 for all of them together.
--   layer              string   [name]        mpiio, posix, stdio, dfs or daos.
--   opens              int64    [calls]       Opens.
--   reads              int64    [calls]       Reads.
--   writes             int64    [calls]       Writes.
--   collective_reads   int64    [calls]       Reads of MPI-IO that are collective, split ones among them.
--   collective_writes  int64    [calls]       Writes of MPI-IO that are collective, split ones among them.
--   bytes_read         int64?   [bytes]       What reads moved; null for MPI-IO in formats before 3.00.
--   bytes_written      int64?   [bytes]       What writes moved, likewise.
--   read_s             double   [s]           Time in reads, over all ranks of the record.
--   write_s            double   [s]           Time in writes, likewise.
--   meta_s             double   [s]           Time in opens, closes, seeks, stats and the like, likewise.
--   slowest_s          double?  [s]           Time of the rank that took longest, where the record is of several; null where it is not counted.

with meaning(counter, layer, measure) as (
    values ('MPIIO_INDEP_OPENS', 'mpiio', 'opens'), ('MPIIO_COLL_OPENS', 'mpiio', 'opens'),
           ('MPIIO_INDEP_READS', 'mpiio', 'reads'), ('MPIIO_NB_READS', 'mpiio', 'reads'),
           ('MPIIO_COLL_READS', 'mpiio', 'collective_reads'), ('MPIIO_SPLIT_READS', 'mpiio', 'collective_reads'),
           ('MPIIO_INDEP_WRITES', 'mpiio', 'writes'), ('MPIIO_NB_WRITES', 'mpiio', 'writes'),
           ('MPIIO_COLL_WRITES', 'mpiio', 'collective_writes'), ('MPIIO_SPLIT_WRITES', 'mpiio', 'collective_writes'),
           ('MPIIO_BYTES_READ', 'mpiio', 'bytes_read'), ('MPIIO_BYTES_WRITTEN', 'mpiio', 'bytes_written'),
           ('MPIIO_F_READ_TIME', 'mpiio', 'read_s'), ('MPIIO_F_WRITE_TIME', 'mpiio', 'write_s'),
           ('MPIIO_F_META_TIME', 'mpiio', 'meta_s'), ('MPIIO_F_SLOWEST_RANK_TIME', 'mpiio', 'slowest_s'),
           ('POSIX_OPENS', 'posix', 'opens'), ('POSIX_READS', 'posix', 'reads'), ('POSIX_WRITES', 'posix', 'writes'),
           ('POSIX_BYTES_READ', 'posix', 'bytes_read'), ('POSIX_BYTES_WRITTEN', 'posix', 'bytes_written'),
           ('POSIX_F_READ_TIME', 'posix', 'read_s'), ('POSIX_F_WRITE_TIME', 'posix', 'write_s'),
           ('POSIX_F_META_TIME', 'posix', 'meta_s'), ('POSIX_F_SLOWEST_RANK_TIME', 'posix', 'slowest_s'),
           ('STDIO_OPENS', 'stdio', 'opens'), ('STDIO_READS', 'stdio', 'reads'), ('STDIO_WRITES', 'stdio', 'writes'),
           ('STDIO_BYTES_READ', 'stdio', 'bytes_read'), ('STDIO_BYTES_WRITTEN', 'stdio', 'bytes_written'),
           ('STDIO_F_READ_TIME', 'stdio', 'read_s'), ('STDIO_F_WRITE_TIME', 'stdio', 'write_s'),
           ('STDIO_F_META_TIME', 'stdio', 'meta_s'), ('STDIO_F_SLOWEST_RANK_TIME', 'stdio', 'slowest_s'),
           ('DFS_OPENS', 'dfs', 'opens'), ('DFS_READS', 'dfs', 'reads'), ('DFS_READXS', 'dfs', 'reads'),
           ('DFS_WRITES', 'dfs', 'writes'), ('DFS_WRITEXS', 'dfs', 'writes'),
           ('DFS_BYTES_READ', 'dfs', 'bytes_read'), ('DFS_BYTES_WRITTEN', 'dfs', 'bytes_written'),
           ('DFS_F_READ_TIME', 'dfs', 'read_s'), ('DFS_F_WRITE_TIME', 'dfs', 'write_s'),
           ('DFS_F_META_TIME', 'dfs', 'meta_s'), ('DFS_F_SLOWEST_RANK_TIME', 'dfs', 'slowest_s'),
           ('DAOS_OBJ_OPENS', 'daos', 'opens'), ('DAOS_ARRAY_OPENS', 'daos', 'opens'), ('DAOS_KV_OPENS', 'daos', 'opens'),
           ('DAOS_OBJ_FETCHES', 'daos', 'reads'), ('DAOS_ARRAY_READS', 'daos', 'reads'), ('DAOS_KV_GETS', 'daos', 'reads'),
           ('DAOS_OBJ_UPDATES', 'daos', 'writes'), ('DAOS_ARRAY_WRITES', 'daos', 'writes'), ('DAOS_KV_PUTS', 'daos', 'writes'),
           ('DAOS_BYTES_READ', 'daos', 'bytes_read'), ('DAOS_BYTES_WRITTEN', 'daos', 'bytes_written'),
           ('DAOS_F_READ_TIME', 'daos', 'read_s'), ('DAOS_F_WRITE_TIME', 'daos', 'write_s'),
           ('DAOS_F_META_TIME', 'daos', 'meta_s'), ('DAOS_F_SLOWEST_RANK_TIME', 'daos', 'slowest_s'),
           ('CP_INDEP_OPENS', 'mpiio', 'opens'), ('CP_COLL_OPENS', 'mpiio', 'opens'),
           ('CP_INDEP_READS', 'mpiio', 'reads'), ('CP_NB_READS', 'mpiio', 'reads'),
           ('CP_COLL_READS', 'mpiio', 'collective_reads'), ('CP_SPLIT_READS', 'mpiio', 'collective_reads'),
           ('CP_INDEP_WRITES', 'mpiio', 'writes'), ('CP_NB_WRITES', 'mpiio', 'writes'),
           ('CP_COLL_WRITES', 'mpiio', 'collective_writes'), ('CP_SPLIT_WRITES', 'mpiio', 'collective_writes'),
           ('CP_F_MPI_READ_TIME', 'mpiio', 'read_s'), ('CP_F_MPI_WRITE_TIME', 'mpiio', 'write_s'),
           ('CP_F_MPI_META_TIME', 'mpiio', 'meta_s'), ('CP_F_SLOWEST_RANK_TIME', 'mpiio', 'slowest_s'),
           ('CP_POSIX_OPENS', 'posix', 'opens'), ('CP_POSIX_FOPENS', 'posix', 'opens'),
           ('CP_POSIX_READS', 'posix', 'reads'), ('CP_POSIX_FREADS', 'posix', 'reads'),
           ('CP_POSIX_WRITES', 'posix', 'writes'), ('CP_POSIX_FWRITES', 'posix', 'writes'),
           ('CP_BYTES_READ', 'posix', 'bytes_read'), ('CP_BYTES_WRITTEN', 'posix', 'bytes_written'),
           ('CP_F_POSIX_READ_TIME', 'posix', 'read_s'), ('CP_F_POSIX_WRITE_TIME', 'posix', 'write_s'),
           ('CP_F_POSIX_META_TIME', 'posix', 'meta_s'), ('CP_F_SLOWEST_RANK_TIME', 'posix', 'slowest_s')
), counted as (
    -- what was not observed is below 0; times must be finite
    select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank, any_value(module) as module,
           layer,
           coalesce(whole_sum(if(measure = 'opens', value, null)), 0) as opens,
           coalesce(whole_sum(if(measure in ('reads', 'collective_reads'), value, null)), 0) as reads,
           coalesce(whole_sum(if(measure in ('writes', 'collective_writes'), value, null)), 0) as writes,
           coalesce(whole_sum(if(measure = 'collective_reads', value, null)), 0) as collective_reads,
           coalesce(whole_sum(if(measure = 'collective_writes', value, null)), 0) as collective_writes,
           whole_sum(if(measure = 'bytes_read', value, null)) as bytes_read,
           whole_sum(if(measure = 'bytes_written', value, null)) as bytes_written,
           coalesce(sum(seconds) filter (measure = 'read_s'), 0) as read_s,
           coalesce(sum(seconds) filter (measure = 'write_s'), 0) as write_s,
           coalesce(sum(seconds) filter (measure = 'meta_s'), 0) as meta_s,
           sum(seconds) filter (measure = 'slowest_s') as slowest_s
    from darshan_counter
    join meaning using (counter)
    where value >= 0 or (seconds >= 0 and isfinite(seconds))
    group by record, layer
)
select record, job, file, rank, layer, opens, reads, writes, collective_reads, collective_writes, bytes_read,
       bytes_written, read_s, write_s, meta_s, slowest_s
from counted
where file is not null and (module <> 'CP' or layer <> 'mpiio' or opens > 0)
