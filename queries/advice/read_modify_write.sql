-- {first} of {path} are read below MPI-IO only to be written again{others}
--
-- MPI-IO asked to write, and the layer below it reads the same file: data sieving reads a block, changes pieces of it
-- and writes it back.
--
-- Source: Thakur, Gropp and Lusk 1999, on data sieving.
-- Family: parallel_io
-- Change: Write whole blocks
-- Do: Write whole blocks, let collective buffering make them of the ranks' pieces (collective writes with hint romio_cb_write=enable; where the writes are collective already, the hint), or turn data sieving off for writes (romio_ds_write=disable).
-- Check: Record again: the lowest layer does not read the file.
-- Confidence: medium. What MPI-IO itself was asked to read is taken off; the rest may be library headers.
--
-- Thresholds:
--   least_bytes  1048576  Bytes that the lower layer reads beyond what MPI-IO was asked to read.

with moved as (
    select file.path, sum(length) filter (layer = 'mpiio' and operation = 'read') as asked_bytes,
           sum(length) filter (layer = 'mpiio' and operation = 'write') as written_bytes,
           sum(length) filter (layer = 'posix' and operation = 'read') as read_bytes,
           sum(duration_ns) filter (layer = 'posix' and operation = 'read') as read_ns
    from parallel_io
    join file on file.file = parallel_io.file
    group by file.path
)
select path, null as process, read_bytes - coalesce(asked_bytes, 0) as number, 'bytes' as unit,
       read_ns / 1e9 * (1 - coalesce(asked_bytes, 0) / read_bytes) as at_stake_s,
       read_bytes - coalesce(asked_bytes, 0) as at_stake_bytes
from moved
where written_bytes > 0 and read_bytes - coalesce(asked_bytes, 0) >= $least_bytes
