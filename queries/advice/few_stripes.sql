-- {path} is on few of Lustre's targets{others}
--
-- A shared file that many ranks write or read at the same time is as fast as the targets that hold it. With fewer
-- stripes than ranks and targets most of these have nothing to do.
--
-- Source: iotrace; Lustre's manual on striping.
-- Family: darshan_job
-- Change: Use more Lustre stripes
-- Do: Spread large shared files over more targets, about as many as ranks (or aggregators) write at the same time. Files of one rank each are best on one target.
-- Check: Record again: the time of the file's calls falls; lfs getstripe FILE shows the stripes.
-- Confidence: low. Stripes are counted; that the targets limit the time is taken, and other jobs' load on them is not in the log.
-- With Lustre: lfs setstripe -c -1 DIRECTORY  # before the file is created; or -c NUMBER
-- With MPI-IO: MPI_Info_set(info, "striping_factor", "64");  /* before the file is created */
-- With HDF5: H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info);  /* with striping_factor in info */
--
-- Thresholds:
--   least_ranks   8          Ranks that use the file.
--   least_factor  4          How many times more targets it could use.
--   stripe_bytes  268435456  Bytes that make a further target worth it.

with striped as (
    select job, file, max(value) filter (counter = 'LUSTRE_NUM_STRIPES') as stripes,
           max(value) filter (counter = 'LUSTRE_OSTS' and value > 0) as targets
    from darshan_counter
    where module = 'LUSTRE'
    group by job, file
), useful as (
    select *, least(ranks, coalesce(targets, ranks), bytes // $stripe_bytes) as wanted
    from job_request
    join striped using (job, file)
)
select path, log as process, stripes as number, if(stripes = 1, 'target', 'targets') as unit, 
       -- where calls are collective, about as many ranks as targets make the requests, and all others wait for them
       least(spent_s - overhead_s, if(layer = 'mpiio', coalesce(spent_below_s, 0) * (ranks::double / least(stripes, ranks)), spent_s))
       * (1 - stripes / wanted) as at_stake_s,
       bytes as at_stake_bytes, concat_ws('/', job, file, layer, kind) as time_of, spent_s as time_s,
       format('{:,} could hold it, {:,} ranks {} {:,} bytes', wanted, ranks, kind, bytes) as detail
from useful
where is_shared and layer <> 'stdio' and ranks >= $least_ranks and stripes > 0 and wanted / stripes >= $least_factor
