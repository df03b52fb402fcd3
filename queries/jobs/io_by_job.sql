-- Jobs by their time in I/O
--
-- One row per job, those with most time in I/O first. Time is that at the layer that the program called, added up over ranks:
-- at MPI-IO for files that were opened through it, else at STDIO and POSIX; layers below are a part of it. The share is of
-- ranks times run time, of a job with several logs added up over these.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: darshan_job, parallel_io
--
-- Columns:
--   run                int32    [identifier]  The first log of the job.
--   log                string   [name]        Its file.
--   logs               int64    [logs]        How many logs the job has.
--   job_id             int64?   [identifier]  The scheduler's number, or the process's without one.
--   uid                int64?   [identifier]  The user's number.
--   program            string?  [name]        The command line.
--   hints              string?  [name]        The hints of MPI-IO that were set.
--   start_ns           int64?   [ns]          When it began, since 1970.
--   nodes              int64?   [machines]    The machines that the log names; null if it names none.
--   ranks              int64?   [processes]   The processes.
--   run_s              double?  [s]           How long it ran.
--   reads              int64    [calls]       Reads.
--   writes             int64    [calls]       Writes.
--   bytes_read         int64?   [bytes]       What reads moved.
--   bytes_written      int64?   [bytes]       What writes moved.
--   io_s               double?  [s]           Time in I/O, added up over ranks.
--   read_s             double?  [s]           Of it, reads.
--   write_s            double?  [s]           Of it, writes.
--   meta_s             double?  [s]           Of it, other calls.
--   mpi_s              double?  [s]           Of it, files of MPI-IO.
--   above_s            double?  [s]           Of mpi_s, files of which POSIX is counted for all ranks.
--   below_s            double?  [s]           Time in POSIX in these files.
--   available_s        double?  [s]           Ranks times run time.
--   io_share           double?  [fraction]    The share of that in I/O.
--   mpi_reads          int64    [calls]       Reads of MPI-IO.
--   mpi_writes         int64    [calls]       Writes of MPI-IO.
--   collective_reads   int64    [calls]       Those that are collective.
--   collective_writes  int64    [calls]       Those that are collective.
--   sieved_bytes       int64    [bytes]       What POSIX read below MPI-IO beyond what MPI-IO read, of files that were written.
--   layer              string?  [name]        The layer whose bandwidth is given.
--   bandwidth          double?  [bytes/s]     Bytes of that layer by the time of the slowest rank; null for a job of several logs.
--   wall_bandwidth     double?  [bytes/s]     Bytes by the run time.
--   partial_modules    string?  [name]        Modules whose memory ran out in some log.
--   status             string   [name]        whole, partial, damaged or refused; of several logs the worst.
--   damage             string?  [name]        Why the log could not be read, or not in full.
--
-- Shown:
--   log
--   job       = job_id
--   program
--   ranks
--   run       = run_s
--   I/O       = io_s
--   I/O share = io_share * 100 as percent
--   read      = bytes_read
--   written   = bytes_written
--   status

select run, arg_min(log, job) as log, count(*) as logs, any_value(job_id) as job_id, any_value(uid) as uid,
       arg_min(program, job) as program, arg_min(hints, job) as hints, min(start_ns) as start_ns,
       max(nodes) as nodes, if(count(*) = 1, any_value(ranks), count(*)) as ranks,
       (max(start_ns + run_ns) - min(start_ns)) / 1e9 as run_s,
       whole_sum(reads) as reads, whole_sum(writes) as writes, whole_sum(bytes_read) as bytes_read, whole_sum(bytes_written) as bytes_written,
       sum(io_s) as io_s, sum(read_s) as read_s, sum(write_s) as write_s, sum(meta_s) as meta_s, sum(mpi_s) as mpi_s,
       sum(above_s) as above_s, sum(below_s) as below_s, sum(available_s) as available_s, ratio_of(sum(io_s), sum(available_s)) as io_share,
       whole_sum(mpi_reads) as mpi_reads, whole_sum(mpi_writes) as mpi_writes, whole_sum(collective_reads) as collective_reads,
       whole_sum(collective_writes) as collective_writes, whole_sum(sieved_bytes) as sieved_bytes,
       if(count(*) = 1, any_value(layer), null) as layer, if(count(*) = 1, any_value(bandwidth), null) as bandwidth,
       ratio_of(sum(bytes_read::double + bytes_written), (max(start_ns + run_ns) - min(start_ns)) / 1e9) as wall_bandwidth,
       string_agg(distinct partial_modules, ', ' order by partial_modules) as partial_modules,
       ['whole', 'partial', 'damaged', 'refused'][
           max(list_position(['whole', 'partial', 'damaged', 'refused'], status))
       ] as status,
       string_agg(damage, '; ' order by job) as damage
from job_run
join darshan_job using (job)
join job_io using (job)
group by run
order by io_s desc nulls last, run
