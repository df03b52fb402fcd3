//! Logs of formats 3.00 to 3.41: a header, and a compressed region for the job, the names and each module.

use super::bytes::{text_of, Bytes};
use super::compression::Compression;
use super::log::{Log, ModuleState, Parts};
use super::modules::Module;
use super::records;
use crate::columns::Word;
use crate::error::Error;

/// In the header, in the byte order of the log.
pub const MAGIC: i64 = 6_567_223;
/// Where it is.
pub const MAGIC_AT: usize = 8;
/// Minor versions of format 3.
const MINORS: [u32; 5] = [0, 10, 20, 21, 41];
/// The slot of modules H5D and PNETCDF_VAR, which came with formats 3.20 and 3.41.
const LATER_SLOTS: [(usize, u32); 2] = [(4, 20), (6, 41)];
/// How long the text of a job's metadata is.
const METADATA_BYTES: usize = 1024;

/// Whether the magic number is there, and then whether the log is big-endian.
pub fn is_big_endian(bytes: &[u8]) -> Option<bool> {
    let magic = bytes.get(MAGIC_AT..MAGIC_AT + 8)?;
    [false, true].into_iter().find(|&is_big| Bytes::new(magic, is_big).i64() == Some(MAGIC))
}

/// The minor version of a format 3 that is known.
pub fn minor_of(version: &str) -> Option<u32> {
    let minor = version.strip_prefix("3.").filter(|minor| minor.len() == 2)?.parse().ok()?;
    MINORS.contains(&minor).then_some(minor)
}

/// A region of the file.
#[derive(Clone, Copy, Debug, Default)]
struct Region {
    offset: u64,
    length: u64,
}

struct Slot {
    place: Region,
    version: u32,
    is_partial: bool,
}

struct Header {
    minor: u32,
    is_big_endian: bool,
    compression: Compression,
    names: Region,
    slots: Vec<Slot>,
    /// Where it ends and the job's region begins.
    end: usize,
}

impl Header {
    fn read(bytes: &[u8], minor: u32, is_big_endian: bool) -> Option<Result<Header, Error>> {
        let is_new = minor >= 41;
        let count = if is_new { 64 } else { 16 };
        let mut at = Bytes::new(bytes, is_big_endian);
        at.take(16)?;
        let compression = match at.take(1)?[0] {
            0 => Compression::Zlib,
            1 => Compression::Bzip2,
            2 => Compression::Uncompressed,
            other => return Some(Err(Error::of(format!("its kind of compression, {other}, is not known")))),
        };
        let partial = if is_new {
            at.take(7)?;
            at.u64()?
        } else {
            at.take(3)?;
            u64::from(at.u32()?)
        };
        let place = |at: &mut Bytes<'_>| Some(Region { offset: at.u64()?, length: at.u64()? });
        let names = place(&mut at)?;
        let places = (0..count).map(|_| place(&mut at)).collect::<Option<Vec<_>>>()?;
        let versions = (0..count).map(|_| at.u32()).collect::<Option<Vec<_>>>()?;
        let slots = places.into_iter().zip(versions).enumerate();
        let mut slots: Vec<Slot> = slots
            .map(|(slot, (place, version))| Slot { place, version, is_partial: partial >> slot & 1 == 1 })
            .collect();
        for (slot, since) in LATER_SLOTS {
            if minor < since {
                slots.insert(slot, Slot { place: Region::default(), version: 0, is_partial: false });
            }
        }
        let end = bytes.len() - at.len();
        Some(Ok(Header { minor, is_big_endian, compression, names, slots, end }))
    }

    /// A region decompressed, with what is wrong with it.
    fn region(&self, file: &[u8], place: Region) -> (Vec<u8>, Option<String>) {
        let length = file.len() as u64;
        let start = place.offset.min(length);
        let end = place.offset.saturating_add(place.length);
        let is_cut = end > length;
        let (bytes, damage) = self.compression.decompressed(&file[start as usize..end.min(length) as usize]);
        let missing = is_cut.then(|| {
            let there = length - start;
            format!(
                "the file ends before it: {} of its {} bytes are missing",
                place.length - there,
                place.length
            )
        });
        (bytes, missing.or(damage))
    }
}

/// Read a log.
///
/// # Errors
/// Why nothing of it can be read.
pub(super) fn read(file: &[u8], version: &str, minor: u32, parts: Parts) -> Result<Log, Error> {
    let is_big =
        is_big_endian(file).ok_or_else(|| Error::of("its header is damaged: it lacks the magic number"))?;
    let header = Header::read(file, minor, is_big).ok_or_else(|| Error::of("its header is cut short"))??;
    let mut log = Log::default();
    log.job.format = version.to_owned();
    log.job.byte_order = if is_big { "big" } else { "little" };
    log.job.compression = header.compression.word();
    read_job(&mut log, &header, file)?;
    if parts != Parts::Job {
        read_names(&mut log, &header, file);
    }
    for (number, slot) in header.slots.iter().enumerate().filter(|(_, slot)| slot.place.length > 0) {
        read_module(&mut log, &header, file, number, slot, parts);
    }
    Ok(log)
}

fn read_job(log: &mut Log, header: &Header, file: &[u8]) -> Result<(), Error> {
    let regions = header.slots.iter().map(|slot| slot.place.offset).filter(|&offset| offset > 0);
    let end = match header.names.offset {
        0 => regions.min().unwrap_or(file.len() as u64),
        offset => offset,
    };
    let place = Region { offset: header.end as u64, length: end.saturating_sub(header.end as u64) };
    let place = Region { length: place.length.min((file.len() - header.end) as u64), ..place };
    let (bytes, damage) = header.region(file, place);
    if let Some(damage) = damage {
        log.note("the job's record", damage);
    }
    let mut at = Bytes::new(&bytes, header.is_big_endian);
    let mut numbers = |at: &mut Bytes<'_>| {
        let job = &mut log.job;
        job.uid = at.i64()?;
        let is_whole = header.minor < 41;
        let time = |at: &mut Bytes<'_>| Some((at.i64()?, if is_whole { 0 } else { at.i64()? }));
        let (start, end) = (time(at)?, time(at)?);
        job.set_times(start, end, is_whole);
        job.processes = at.i64()?;
        job.job_id = Some(at.i64()?);
        let metadata = at.text(METADATA_BYTES)?;
        job.set_metadata(&metadata);
        Some(())
    };
    numbers(&mut at).ok_or_else(|| Error::of("its job record is cut short"))?;
    let rest = at.take(at.len()).unwrap_or(&[]);
    log.job.set_program(&text_of(rest));
    Ok(())
}

fn read_names(log: &mut Log, header: &Header, file: &[u8]) {
    if header.names.length == 0 {
        return;
    }
    let (bytes, damage) = header.region(file, header.names);
    if let Some(damage) = damage {
        log.note("the names of files", damage);
    }
    let mut at = Bytes::new(&bytes, header.is_big_endian);
    let mut read = |at: &mut Bytes<'_>| {
        let mut ahead = *at;
        let id = ahead.u64()?;
        let name = match header.minor {
            0 => {
                let length = ahead.u32()? as usize;
                ahead.take(length)?
            }
            _ => ahead.until_zero()?,
        };
        log.add_name(id, name);
        *at = ahead;
        Some(())
    };
    while read(&mut at).is_some() {}
    if at.len() > 0 {
        log.note("the names of files", format!("{} bytes after the last name are none", at.len()));
    }
}

fn read_module(log: &mut Log, header: &Header, file: &[u8], number: usize, slot: &Slot, parts: Parts) {
    let module = Module::of_slot(number);
    let name = module.map_or_else(|| format!("module {number}"), |module| module.word().to_owned());
    let part = match module {
        Some(module) => format!("module {}", module.word()),
        None => name.clone(),
    };
    let before = log.records.len();
    let is_traced = matches!(module, Some(Module::DxtPosix | Module::DxtMpiio));
    log.has_accesses |= is_traced;
    match module {
        _ if parts == Parts::Job || (parts == Parts::Counters && is_traced) => {}
        None => log.note(&part, format!("it is not known; its {} bytes are left out", slot.place.length)),
        Some(Module::Null) => log.note(&part, "it is an example, whose records are left out"),
        Some(module) => {
            let (bytes, damage) = header.region(file, slot.place);
            let is_cut = damage.is_some();
            if let Some(damage) = damage {
                log.note(&part, damage);
            }
            let mut at = Bytes::new(&bytes, header.is_big_endian);
            match records::read(log, module, slot.version, &mut at, is_cut) {
                Err(why) => log.note(&part, why),
                Ok(()) if at.len() > 0 => {
                    log.note(&part, format!("{} bytes after its last whole record", at.len()));
                }
                Ok(()) => {}
            }
        }
    }
    let records = if is_traced { log.calls.lines } else { (log.records.len() - before) as u64 };
    log.modules.push(ModuleState {
        name,
        version: Some(slot.version),
        is_partial: slot.is_partial,
        region_bytes: slot.place.length,
        records,
    });
}
