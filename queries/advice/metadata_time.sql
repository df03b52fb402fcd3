-- {path} takes much of the I/O time with opens, closes, stats and the like{others}
--
-- A metadata server serves the opens and closes of all ranks of all jobs; they do not get faster with more disks. Small
-- files of jobs that have many have a rule for themselves.
--
-- Source: WisIO (metadata time over time); iotrace.
-- Family: darshan_job
-- Change: Open files once and keep them open
-- Do: Open files once and keep them open; let one rank look (stat) and tell the others (MPI_Bcast); write one shared file, or one for each node, instead of one for each rank and step.
-- Check: Record again: opens and stats are fewer, and META_TIME less.
-- Confidence: high. The time is counted; some of it remains.
-- With MPI-IO: if (rank == 0) exists = !access(path, F_OK);  MPI_Bcast(&exists, 1, MPI_INT, 0, MPI_COMM_WORLD);
-- With HDF5: H5Pset_all_coll_metadata_ops(fapl, true);  H5Pset_coll_metadata_write(fapl, true);
-- With PnetCDF: ncmpi_def_dim(file, "time", NC_UNLIMITED, &time);  /* steps in one file, not a file for each */
-- With Lustre: lfs mkdir -c 4 DIRECTORY  # spread a large directory over metadata servers
--
-- Thresholds:
--   least_percent  30   The part of such calls in the I/O time of the job.
--   most_open_s    100  Mean seconds of an open of a file: what takes longer waits, as for the other end of a pipe.

with spent as (
    select job, file, meta_s, opens, sum(read_s + write_s + meta_s) over (partition by job) as io_s,
           (job, file) in (select (job, file) from small_file) as is_small
    from job_file
    join (select job, file, max(opens) as opens from (
        select job, file, layer, sum(opens) as opens from layer_record group by job, file, layer
    ) group by job, file) using (job, file)
), waits as (
    select *, meta_s > $most_open_s * greatest(opens, 1) as is_waiting from spent
), judged as (
    select *, sum(if(is_small or is_waiting, 0, meta_s)) over (partition by job) as all_meta_s from waits
)
select path, if((select count(*) from darshan_job) > 1, log, null) as process, meta_s as number, 's' as unit,
       meta_s as at_stake_s, null as at_stake_bytes, concat_ws('/', job, file, 'meta') as time_of, meta_s as time_s,
       format('{:,} opens', opens) as detail
from judged
join (select file, path from file) using (file)
join darshan_job using (job)
where not is_small and not is_waiting and meta_s > 0 and all_meta_s >= $least_percent / 100 * io_s
