-- Jobs: what ran
--
-- One row per log: the command, when and how long it ran, on how many ranks and machines, and what the log may lack. A partial
-- module's memory ran out: whole files are missing in what it counts.
--
-- Source: darshan-util.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   log              string   [name]        The log's file.
--   program          string?  [name]        The command line.
--   job_id           int64?   [identifier]  The scheduler's number, or the process's without one.
--   uid              int64?   [identifier]  The user's number.
--   start_ns         int64?   [ns]          When it began, since 1970.
--   run_s            double?  [s]           How long it ran.
--   ranks            int64?   [processes]   The number of processes.
--   nodes            int64?   [machines]    How many machines the log names; null if none.
--   library          string?  [name]        Darshan's version.
--   hints            string?  [name]        The hints of MPI-IO that were set.
--   modules          string?  [name]        The modules that the log has.
--   partial_modules  string?  [name]        Those whose memory ran out.
--   file_systems     string?  [name]        Where files are, of the mounts that the log lists: types and paths.
--   status           string   [name]        whole, partial, damaged or refused.
--
-- Shown:
--   log
--   program
--   job     = job_id
--   user    = uid
--   ran     = run_s
--   ranks
--   nodes
--   Darshan = library
--   hints if hints
--   modules
--   modules not of all files = partial_modules if partial_modules
--   file systems
--   status

with used as (
    select job, mount, any_value(type) as type
    from job_file_place
    where mount is not null
    group by job, mount
), named as (
    select job, string_agg(type || ' ' || mount, ', ' order by mount) as file_systems from used group by job
)
select log, program, job_id, uid, start_ns, run_ns / 1e9 as run_s, ranks, nodes, library, hints, modules, partial_modules,
       file_systems, status
from darshan_job
left join named using (job)
order by job
