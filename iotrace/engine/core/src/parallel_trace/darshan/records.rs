//! The records of modules.

use super::bytes::{count, Bytes};
use super::log::Log;
use super::modules::{Catalogue, Code, Module};
use super::segments;

const ID_AND_RANK: usize = 16;
/// In the header of module APMPI: its name in ASCII.
const APMPI_MAGIC: i64 = 0x41_504D_5049;
/// Whole and real numbers of the records of APMPI and APXC that follow their header.
const APMPI_COUNTS: (usize, usize) = (396, 240);
const APXC_COUNTS: usize = 392;
/// The length of a machine's name in module APMPI.
const NODE_BYTES: usize = 128;
const POOL_BYTES: usize = 16;

/// Records of a fixed length: what each of their numbers is, and what is around these.
struct Layout {
    /// Bytes before the numbers: the file of a data set or variable, or nothing of meaning.
    before: Before,
    whole: Vec<Stored>,
    real: Vec<Code>,
    after: After,
}

#[derive(Clone, Copy, PartialEq)]
enum Before {
    Nothing,
    Unused,
    File,
}

#[derive(Clone, Copy, PartialEq)]
enum After {
    Nothing,
    Pool,
    Object,
}

/// A whole number of a record.
enum Stored {
    Counter(Code),
    /// One that newer versions have not.
    Dropped(&'static str),
    /// One of several that a newer version has as their sum.
    Added(Code),
}

/// Read the records of a module.
///
/// With `is_cut` its end is known to be missing. What is left in the bytes is no whole record.
///
/// # Errors
/// Why its records cannot be read.
pub fn read(
    log: &mut Log,
    module: Module,
    version: u32,
    at: &mut Bytes<'_>,
    is_cut: bool,
) -> Result<(), String> {
    let newest = match module {
        Module::Posix => 4,
        Module::MpiIo | Module::H5f | Module::PnetcdfFile | Module::DxtMpiio => 3,
        Module::Stdio | Module::H5d | Module::Bgq | Module::Lustre | Module::DxtPosix => 2,
        _ => 1,
    };
    if !(1..=newest).contains(&version) {
        return Err(format!(
            "its version {version} is not known (up to {newest} are read), and it is left out"
        ));
    }
    match module {
        Module::Lustre if version == 1 => while lustre_1(log, at).is_some() {},
        Module::Lustre => while lustre_2(log, at).is_some() {},
        Module::DxtPosix | Module::DxtMpiio => segments::read(log, module, version, at, is_cut),
        Module::Heatmap => {
            let mut first = None;
            while heat_map(log, at, &mut first).is_some() {}
        }
        Module::Mdhim => while mdhim(log, at).is_some() {},
        Module::Apmpi => return apmpi(log, at),
        Module::Apxc => return apxc(log, at),
        _ => {
            let layout = Layout::of(module, version);
            while layout.record(log, module, Some(version), at).is_some() {}
        }
    }
    Ok(())
}

impl Layout {
    fn of(module: Module, version: u32) -> Layout {
        let catalogue = Catalogue::get();
        let (whole, real) = (catalogue.whole(module), catalogue.real(module));
        let (lacks_whole, lacks_real): (&[u32], &[u32]) = match (module, version) {
            (Module::Posix, 1 | 2) => (&[1, 2, 10, 11, 12], &[3, 4]),
            (Module::Posix, 3) => (&[1, 2, 10, 11, 12], &[]),
            (Module::MpiIo, 1 | 2) => (&[], &[3, 4]),
            (Module::Stdio, 1) => (&[1], &[]),
            (Module::H5f, 1) => (&[1, 2], &[1, 2, 4]),
            (Module::H5f, 2) => (&[1, 2], &[4]),
            (Module::PnetcdfFile, 1) => (&[0, 1, 2, 3, 4, 5, 6, 7, 8], &[1, 2, 3, 5, 6, 7]),
            (Module::PnetcdfFile, 2) => (&[0, 1, 2, 3, 4, 5, 6, 7, 8], &[2, 5, 6, 7]),
            _ => (&[], &[]),
        };
        let (first, first_real) = (whole.start, real.start);
        let mut stored: Vec<Stored> =
            whole.filter(|code| !lacks_whole.contains(&(code - first))).map(Stored::Counter).collect();
        match (module, version) {
            (Module::Posix, 1) => {
                let dropped = ["POSIX_FOPENS", "POSIX_FREADS", "POSIX_FWRITES", "POSIX_FSEEKS"];
                stored.splice(6..6, dropped.map(Stored::Dropped));
            }
            // independent and collective opens
            (Module::PnetcdfFile, 1 | 2) => stored = vec![Stored::Added(first + 1), Stored::Added(first + 1)],
            _ => {}
        }
        Layout {
            before: match (module, version) {
                (Module::H5d, 2) | (Module::PnetcdfVar, _) => Before::File,
                (Module::Bgq, 1) => Before::Unused,
                _ => Before::Nothing,
            },
            whole: stored,
            real: real.filter(|code| !lacks_real.contains(&(code - first_real))).collect(),
            after: match module {
                Module::Dfs => After::Pool,
                Module::Daos => After::Object,
                _ => After::Nothing,
            },
        }
    }

    fn size(&self) -> usize {
        let before = if self.before == Before::Nothing { 0 } else { 8 };
        let after = match self.after {
            After::Nothing => 0,
            After::Pool => 32,
            After::Object => 48,
        };
        ID_AND_RANK + before + 8 * (self.whole.len() + self.real.len()) + after
    }

    fn record(&self, log: &mut Log, module: Module, version: Option<u32>, at: &mut Bytes<'_>) -> Option<()> {
        let mut at = at.part(self.size())?;
        let (id, rank) = (at.u64()?, at.i64()?);
        let before = if self.before == Before::Nothing { 0 } else { at.u64()? };
        let mut sum: Option<(Code, i64)> = None;
        for stored in &self.whole {
            let value = at.i64()?;
            match stored {
                Stored::Counter(code) => log.whole(*code, value),
                Stored::Dropped(name) => log.further((*name).to_owned(), value),
                Stored::Added(code) => {
                    sum = Some((*code, sum.map_or(0, |(_, sum)| sum).wrapping_add(value)));
                }
            }
        }
        if let Some((code, sum)) = sum {
            log.whole(code, sum);
        }
        for code in &self.real {
            let value = at.f64()?;
            log.real(*code, value);
        }
        let of_file = (self.before == Before::File && before != 0).then(|| log.file(before));
        let text = match self.after {
            After::Nothing => None,
            After::Pool => Some(pool(&mut at)?),
            After::Object => {
                let pool = pool(&mut at)?;
                Some(format!("{pool} object {}.{}", at.u64()?, at.u64()?))
            }
        };
        let record = log.push(module, version, id, rank);
        record.of_file = of_file;
        record.text = text.or(record.text.take());
        Some(())
    }
}

/// A pool and a container of DAOS.
fn pool(at: &mut Bytes<'_>) -> Option<String> {
    let (pool, container) = (at.take(16)?, at.take(16)?);
    Some(format!("pool {} container {}", uuid(pool), uuid(container)))
}

fn uuid(bytes: &[u8]) -> String {
    let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [0..4, 4..6, 6..8, 8..10, 10..16].map(|part| hex[part].concat()).join("-")
}

const STRIPES: [&str; 7] =
    ["STRIPE_SIZE", "STRIPE_COUNT", "STRIPE_PATTERN", "FLAGS", "EXT_START", "EXT_END", "MIRROR_ID"];

fn component(log: &mut Log, number: usize, values: [Option<i64>; 7], targets: &[i64]) {
    for (name, value) in STRIPES.iter().zip(values) {
        if let Some(value) = value {
            log.further(format!("LUSTRE_COMP{number}_{name}"), value);
        }
    }
    for (place, &target) in targets.iter().enumerate() {
        log.further(format!("LUSTRE_COMP{number}_OST_ID_{place}"), target);
    }
}

fn lustre_1(log: &mut Log, at: &mut Bytes<'_>) -> Option<()> {
    let mut ahead = *at;
    let (id, rank) = (ahead.u64()?, ahead.i64()?);
    let totals = [ahead.i64()?, ahead.i64()?, ahead.i64()?];
    let (size, stripes) = (ahead.i64()?, ahead.i64()?);
    let targets = integers(&mut ahead, stripes)?;
    let first = Catalogue::get().whole(Module::Lustre).start;
    for (code, value) in (first..).zip(totals.into_iter().chain([1, stripes])) {
        log.whole(code, value);
    }
    let values = [Some(size), Some(stripes), None, None, Some(0), Some(-1), None];
    component(log, 1, values, &targets);
    log.push(Module::Lustre, Some(1), id, rank);
    *at = ahead;
    Some(())
}

fn integers(at: &mut Bytes<'_>, stored: i64) -> Option<Vec<i64>> {
    let count = count(stored, 8, at.len())?;
    (0..count).map(|_| at.i64()).collect()
}

fn lustre_2(log: &mut Log, at: &mut Bytes<'_>) -> Option<()> {
    let mut ahead = *at;
    let (id, rank) = (ahead.u64()?, ahead.i64()?);
    let (components, stripes) = (ahead.i64()?, ahead.i64()?);
    let first = Catalogue::get().whole(Module::Lustre).start + 3;
    let mut pools = Vec::new();
    if components > 0 {
        let size = 56 + POOL_BYTES;
        let count = count(components, size, ahead.len())?;
        let mut all = ahead.part(count * size)?;
        let targets = integers(&mut ahead, stripes)?;
        let mut dealt = 0;
        for number in 1..=count {
            let mut values = [None; 7];
            for value in &mut values {
                *value = Some(all.i64()?);
            }
            let pool = all.text(POOL_BYTES)?;
            if values[0] == Some(-1) {
                break;
            }
            let wanted = usize::try_from(values[1].unwrap_or(0)).unwrap_or(0);
            // the same rule as for counts: what does not fit was never there
            let own = targets
                .get(dealt..)
                .filter(|left| wanted <= left.len())
                .map_or(&[][..], |left| &left[..wanted]);
            dealt += own.len();
            component(log, number, values, own);
            pools.push(pool);
        }
    }
    log.whole(first, pools.len() as i64);
    log.whole(first + 1, if components > 0 { stripes } else { 0 });
    let text = pools.iter().any(|pool| !pool.is_empty()).then(|| format!("pools {}", pools.join(", ")));
    log.push(Module::Lustre, Some(2), id, rank).text = text;
    *at = ahead;
    Some(())
}

/// A record of module HEATMAP; `first` has the width and number of bins of the first one.
///
/// Darshan 3.4.0 to 3.4.3 wrote one bin more or fewer on some ranks.
fn heat_map(log: &mut Log, at: &mut Bytes<'_>, first: &mut Option<(u64, usize)>) -> Option<()> {
    let mut ahead = *at;
    let (id, rank, width) = (ahead.u64()?, ahead.i64()?, ahead.f64()?);
    let stored = ahead.i64()?;
    ahead.take(16)?;
    let bins = count(stored, 16, ahead.len())?;
    let (width_of_first, usual) = *first.get_or_insert((width.to_bits(), bins));
    let is_off_by_one = width_of_first == width.to_bits() && usual.abs_diff(bins) == 1;
    let kept = if is_off_by_one { usual } else { bins };
    log.whole(Catalogue::get().whole(Module::Heatmap).start, kept as i64);
    for direction in ["WRITE", "READ"] {
        for bin in 0..bins {
            let moved = ahead.i64()?;
            if moved != 0 && bin < kept {
                log.further(format!("HEATMAP_{direction}_BIN_{bin}"), moved);
            }
        }
    }
    log.real(Catalogue::get().real(Module::Heatmap).start, width);
    log.push(Module::Heatmap, Some(1), id, rank);
    *at = ahead;
    Some(())
}

fn mdhim(log: &mut Log, at: &mut Bytes<'_>) -> Option<()> {
    let mut ahead = *at;
    let (id, rank) = (ahead.u64()?, ahead.i64()?);
    let whole = Catalogue::get().whole(Module::Mdhim);
    let values = integers(&mut ahead, whole.len() as i64)?;
    let real = Catalogue::get().real(Module::Mdhim);
    let times = real.clone().map(|_| ahead.f64()).collect::<Option<Vec<_>>>()?;
    let servers = integers(&mut ahead, values.last().map_or(1, |&servers| servers.max(1)))?;
    whole.zip(values).for_each(|(code, value)| log.whole(code, value));
    real.zip(times).for_each(|(code, time)| log.real(code, time));
    for (server, accesses) in servers.into_iter().enumerate() {
        log.further(format!("MDHIM_SERVER_{server}"), accesses);
    }
    log.push(Module::Mdhim, Some(1), id, rank);
    *at = ahead;
    Some(())
}

fn apmpi(log: &mut Log, at: &mut Bytes<'_>) -> Result<(), String> {
    let (whole, real) = (Catalogue::get().whole(Module::Apmpi), Catalogue::get().real(Module::Apmpi));
    let Some(mut header) = at.part(48) else { return Ok(()) };
    let mut read = || {
        let (id, rank, magic) = (header.u64()?, header.i64()?, header.i64()?);
        let flag = header.u32()?;
        header.take(4)?;
        Some((id, rank, magic, flag, header.f64()?, header.f64()?))
    };
    let Some((id, rank, magic, flag, variance, sync_variance)) = read() else { return Ok(()) };
    if magic != APMPI_MAGIC {
        return Err("its header is damaged, and it is left out".to_owned());
    }
    log.whole(whole.end - 1, i64::from(flag));
    log.real(real.end - 2, variance);
    log.real(real.end - 1, sync_variance);
    log.push(Module::Apmpi, Some(1), id, rank);
    let size = ID_AND_RANK + 8 * (APMPI_COUNTS.0 + APMPI_COUNTS.1) + NODE_BYTES;
    while let Some(mut record) = at.part(size) {
        let mut read = || {
            let (id, rank) = (record.u64()?, record.i64()?);
            for code in whole.clone().take(APMPI_COUNTS.0) {
                let value = record.u64()?;
                log.unsigned(code, value);
            }
            for code in real.clone().take(APMPI_COUNTS.1) {
                let value = record.f64()?;
                log.real(code, value);
            }
            let node = record.text(NODE_BYTES)?;
            if !node.is_empty() {
                log.hosts.insert(node.clone());
            }
            log.push(Module::Apmpi, Some(1), id, rank).text = Some(node);
            Some(())
        };
        read();
    }
    Ok(())
}

fn apxc(log: &mut Log, at: &mut Bytes<'_>) -> Result<(), String> {
    let whole = Catalogue::get().whole(Module::Apxc);
    let (of_router, of_header) = (whole.start + APXC_COUNTS as Code, whole.end - 6);
    let Some(mut header) = at.part(72) else { return Ok(()) };
    let mut read = || {
        let (id, rank, _magic) = (header.u64()?, header.i64()?, header.i64()?);
        for code in of_header..whole.end {
            let value = header.i64()?;
            log.whole(code, value);
        }
        log.push(Module::Apxc, Some(1), id, rank);
        Some(())
    };
    read();
    while let Some(mut record) = at.part(ID_AND_RANK + 32 + 8 * APXC_COUNTS) {
        let mut read = || {
            let (id, rank) = (record.u64()?, record.i64()?);
            for code in of_router..of_header {
                let value = record.i64()?;
                log.whole(code, value);
            }
            for code in whole.clone().take(APXC_COUNTS) {
                let value = record.u64()?;
                log.unsigned(code, value);
            }
            log.push(Module::Apxc, Some(1), id, rank);
            Some(())
        };
        read();
    }
    Ok(())
}
