//! Logs of formats 1.21 to 2.06: one compressed stream of the job's record and one kind of file records.

use super::bytes::{text_of, Bytes};
use super::container;
use super::log::{Log, ModuleState, Parts};
use super::modules::{Catalogue, Code, Module};
use crate::columns::Word;
use crate::error::Error;

/// The formats, and how long the job's record and its metadata are.
const FORMATS: [(&str, usize, usize); 11] = [
    ("1.21", 1024, 0),
    ("1.22", 1024, 0),
    ("1.23", 1024, 0),
    ("1.24", 1024, 0),
    ("2.00", 1024, 0),
    ("2.01", 1024, 64),
    ("2.02", 1024, 64),
    ("2.03", 1024, 64),
    ("2.04", 4096, 1024),
    ("2.05", 4096, 1024),
    ("2.06", 4096, 1024),
];
/// Counters that came with formats 1.22, 1.23 and 2.00: whole numbers and real ones.
const SINCE_1_22: (&[&str], &[&str]) = (
    &[
        "CP_INDEP_NC_OPENS",
        "CP_COLL_NC_OPENS",
        "CP_HDF5_OPENS",
        "CP_MAX_READ_TIME_SIZE",
        "CP_MAX_WRITE_TIME_SIZE",
    ],
    &["CP_F_MAX_READ_TIME", "CP_F_MAX_WRITE_TIME"],
);
const SINCE_1_23: &[&str] = &["CP_DEVICE", "CP_SIZE_AT_OPEN"];
const SINCE_2_00: (&[&str], &[&str]) = (
    &["CP_FASTEST_RANK", "CP_FASTEST_RANK_BYTES", "CP_SLOWEST_RANK", "CP_SLOWEST_RANK_BYTES"],
    &[
        "CP_F_FASTEST_RANK_TIME",
        "CP_F_SLOWEST_RANK_TIME",
        "CP_F_VARIANCE_RANK_TIME",
        "CP_F_VARIANCE_RANK_BYTES",
    ],
);

/// Read a log, decompressed; None if its format is not one of these.
pub(super) fn read(file: &[u8], version: &str, parts: Parts) -> Option<Result<Log, Error>> {
    let &(_, job_bytes, metadata_bytes) = FORMATS.iter().find(|(known, ..)| *known == version)?;
    Some(read_log(file, version, (job_bytes, metadata_bytes), parts))
}

fn read_log(
    file: &[u8],
    version: &str,
    (job_bytes, metadata_bytes): (usize, usize),
    parts: Parts,
) -> Result<Log, Error> {
    let is_first = version.starts_with('1');
    let is_big = match is_first {
        true => true,
        false => container::is_big_endian(file)
            .ok_or_else(|| Error::of("its header is damaged: it lacks the magic number"))?,
    };
    let mut log = Log::default();
    log.job.format = version.to_owned();
    log.job.byte_order = if is_big { "big" } else { "little" };
    let mut at = Bytes::new(file, is_big);
    let job = at.part(job_bytes).ok_or_else(|| Error::of("its job record is cut short"))?;
    read_job(&mut log, job, is_first, metadata_bytes)
        .ok_or_else(|| Error::of("its job record is cut short"))?;
    if parts == Parts::Job {
        return Ok(log);
    }
    let records = Records::of(version);
    while records.record(&mut log, &mut at).is_some() {}
    if at.len() > 0 {
        log.note("its file records", format!("{} bytes after the last whole record", at.len()));
    }
    log.modules.push(ModuleState {
        name: Module::Cp.word().to_owned(),
        version: None,
        is_partial: false,
        region_bytes: (file.len() - job_bytes) as u64,
        records: log.records.len() as u64,
    });
    Ok(log)
}

fn read_job(log: &mut Log, mut at: Bytes<'_>, is_first: bool, metadata_bytes: usize) -> Option<()> {
    let job = &mut log.job;
    if is_first {
        at.take(12)?;
        job.uid = i64::from(at.u32()?);
        let mut number = || at.u32().map(|number| i64::from(number as i32));
        let (start, end) = (number()?, number()?);
        job.set_times((start, 0), (end, 0), true);
        job.processes = number()?;
    } else {
        at.take(16)?;
        job.uid = at.i64()?;
        let (start, end) = (at.i64()?, at.i64()?);
        job.set_times((start, 0), (end, 0), true);
        job.processes = at.i64()?;
        job.job_id = Some(at.i64()?);
        let metadata = at.text(metadata_bytes)?;
        job.set_metadata(&metadata);
    }
    let rest = at.take(at.len())?;
    job.set_program(&text_of(rest));
    Some(())
}

/// File records of one format.
struct Records {
    /// Whether the rank has 32 bits, and the name is after the numbers.
    is_first: bool,
    whole: Vec<Code>,
    real: Vec<Code>,
}

impl Records {
    fn of(version: &str) -> Records {
        let mut missing: Vec<&str> = Vec::new();
        if version < "1.22" {
            missing.extend(SINCE_1_22.0.iter().chain(SINCE_1_22.1));
        }
        if version < "1.23" {
            missing.extend(SINCE_1_23);
        }
        if version < "2.00" {
            missing.extend(SINCE_2_00.0.iter().chain(SINCE_2_00.1));
        }
        let catalogue = Catalogue::get();
        let is_there = |code: &Code| !missing.contains(&catalogue.name(*code));
        Records {
            is_first: version.starts_with('1'),
            whole: catalogue.whole(Module::Cp).filter(is_there).collect(),
            real: catalogue.real(Module::Cp).filter(is_there).collect(),
        }
    }

    fn record(&self, log: &mut Log, at: &mut Bytes<'_>) -> Option<()> {
        let mut at = at.part(32 + 8 * (self.whole.len() + self.real.len()))?;
        let id = at.u64()?;
        let (rank, mut name) = if self.is_first {
            let rank = i64::from(at.u32()? as i32);
            at.take(4)?;
            (rank, String::new())
        } else {
            (at.i64()?, at.text(16)?)
        };
        for code in &self.whole {
            let value = at.i64()?;
            log.whole(*code, value);
        }
        for code in &self.real {
            let value = at.f64()?;
            log.real(*code, value);
        }
        if self.is_first {
            name = at.text(12)?;
        }
        if !name.is_empty() {
            // only the end of the path is kept, which several files may share
            log.add_name(id, format!("file_id {id} (…{name})").as_bytes());
        }
        log.push(Module::Cp, None, id, rank);
        Some(())
    }
}
