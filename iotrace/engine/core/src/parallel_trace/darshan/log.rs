//! What a log holds, as it is read.

use super::modules::{Catalogue, Code, Module};
use crate::columns::Word;
use crate::fields::NS_PER_S;
use crate::parallel_trace::calls::Calls;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::BTreeMap;

/// Which parts of a log are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    Job,
    Counters,
    All,
}

/// What a log says of the job that wrote it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Job {
    pub format: String,
    pub byte_order: &'static str,
    pub compression: &'static str,
    /// None in formats before 2.00.
    pub job_id: Option<i64>,
    pub uid: i64,
    pub start_s: i64,
    /// The part of a second after it.
    pub start_part_ns: i64,
    /// None where the log has an end before its start.
    pub run_ns: Option<i64>,
    pub processes: i64,
    pub program: String,
    /// Lines of metadata, in their order.
    pub metadata: Vec<(String, String)>,
    /// The path and the type of each mounted file system.
    pub mounts: Vec<(String, String)>,
}

impl Job {
    /// Take the start and the end, each with its part of a second in ns; formats without these end after a whole
    /// second.
    pub(super) fn set_times(&mut self, start: (i64, i64), end: (i64, i64), is_whole: bool) {
        (self.start_s, self.start_part_ns) = start;
        let run_ns = (i128::from(end.0) - i128::from(start.0) + i128::from(is_whole)) * i128::from(NS_PER_S)
            + i128::from(end.1)
            - i128::from(start.1);
        self.run_ns = i64::try_from(run_ns).ok().filter(|&run_ns| run_ns >= 0);
    }

    /// Take the text after the job's numbers: the command line, and a line for each mount.
    pub(super) fn set_program(&mut self, text: &str) {
        let mut lines = text.split('\n');
        lines.next().unwrap_or("").clone_into(&mut self.program);
        let mounts = lines.filter_map(|line| line.split_once('\t'));
        self.mounts = mounts.map(|(kind, path)| (path.to_owned(), kind.to_owned())).collect();
    }

    /// Take lines of names and values.
    pub(super) fn set_metadata(&mut self, text: &str) {
        let pairs = text.split('\n').filter_map(|line| line.split_once('='));
        self.metadata = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    }
}

/// A module of a log.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModuleState {
    pub name: String,
    pub version: Option<u32>,
    pub is_partial: bool,
    /// How long its region is in the file.
    pub region_bytes: u64,
    pub records: u64,
}

/// A record of a module: the values are those from the end of the record before on.
#[derive(Clone, Debug)]
pub struct Record {
    pub module: Module,
    pub version: Option<u32>,
    /// The places among the files of the log: its own, unless it is of no file, and that of a data set's or variable's
    /// file.
    pub file: Option<u32>,
    pub of_file: Option<u32>,
    pub rank: i64,
    pub text: Option<String>,
    pub values_end: usize,
}

/// Reads and writes of a layer, and the bytes that they moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    pub operations: i64,
    pub bytes: i64,
}

/// A log that was read.
#[derive(Debug, Default)]
pub struct Log {
    pub job: Job,
    pub modules: Vec<ModuleState>,
    /// What is damaged, in words.
    pub damage: Vec<String>,
    pub records: Vec<Record>,
    /// The counters of all records: their codes, and the bits of their values.
    pub(super) codes: Vec<Code>,
    pub(super) bits: Vec<u64>,
    /// Names of counters that no list has, which are whole numbers: their codes follow those of the catalogue.
    further: Vec<String>,
    further_codes: FxHashMap<String, Code>,
    names: FxHashMap<u64, String>,
    files: Vec<String>,
    file_numbers: FxHashMap<u64, u32>,
    pub(super) hosts: FxHashSet<String>,
    /// Reads and writes that extended tracing holds.
    pub(super) calls: Calls,
    /// Those of its layers, and of those of valid length the counts.
    pub(super) traced: BTreeMap<&'static str, Moved>,
    pub(super) has_accesses: bool,
    pub(super) too_large: u64,
}

impl Log {
    /// Note what is wrong with a part of the log.
    pub(super) fn note(&mut self, part: &str, what: impl AsRef<str>) {
        self.damage.push(format!("{part}: {}", what.as_ref()));
    }

    /// Take a name; the first of an identifier that is not empty counts.
    pub(super) fn add_name(&mut self, id: u64, name: &[u8]) {
        let known = self.names.entry(id).or_default();
        if known.is_empty() {
            *known = String::from_utf8_lossy(name).into_owned();
        }
    }

    /// The number of a file among those of the log.
    pub(super) fn file(&mut self, id: u64) -> u32 {
        let (names, files) = (&self.names, &mut self.files);
        *self.file_numbers.entry(id).or_insert_with(|| {
            let name = names.get(&id).filter(|name| !name.is_empty());
            files.push(name.cloned().unwrap_or_else(|| format!("file_id {id}")));
            files.len() as u32 - 1
        })
    }

    pub(super) fn file_name(&self, number: u32) -> &str {
        &self.files[number as usize]
    }

    /// The files of its records, in the order of first sight.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// End a record, of the values since the last one.
    pub(super) fn push(&mut self, module: Module, version: Option<u32>, id: u64, rank: i64) -> &mut Record {
        let file = module.is_of_files().then(|| self.file(id));
        let name = self.names.get(&id).filter(|name| file.is_none() && !name.is_empty());
        let text = name.cloned();
        let values_end = self.codes.len();
        self.records.push(Record { module, version, file, of_file: None, rank, text, values_end });
        let last = self.records.len() - 1;
        &mut self.records[last]
    }

    pub(super) fn whole(&mut self, code: Code, value: i64) {
        self.codes.push(code);
        self.bits.push(value as u64);
    }

    /// A number without a sign; what fits no 63 bits is counted and left out.
    pub(super) fn unsigned(&mut self, code: Code, value: u64) {
        match i64::try_from(value) {
            Ok(value) => self.whole(code, value),
            Err(_) => self.too_large += 1,
        }
    }

    pub(super) fn real(&mut self, code: Code, value: f64) {
        self.codes.push(code);
        self.bits.push(value.to_bits());
    }

    /// A whole number whose name is in no list.
    pub(super) fn further(&mut self, name: String, value: i64) {
        let (further, first) = (&mut self.further, Catalogue::get().count() as Code);
        let code = *self.further_codes.entry(name).or_insert_with_key(|name| {
            further.push(name.clone());
            first + further.len() as Code - 1
        });
        self.whole(code, value);
    }

    /// The name of a counter, and whether it is a real number.
    pub fn counter(&self, code: Code) -> (&str, bool) {
        let catalogue = Catalogue::get();
        match (code as usize).checked_sub(catalogue.count()) {
            None => (catalogue.name(code), catalogue.is_real(code)),
            Some(place) => (&self.further[place], false),
        }
    }

    /// How many codes of counters there are.
    pub(super) fn code_count(&self) -> usize {
        Catalogue::get().count() + self.further.len()
    }

    /// The values of a record, as places among all.
    pub(super) fn values_of(&self, record: usize) -> std::ops::Range<usize> {
        let start = record.checked_sub(1).map_or(0, |before| self.records[before].values_end);
        start..self.records[record].values_end
    }

    /// Whether it has modules of extended tracing.
    pub fn has_accesses(&self) -> bool {
        self.has_accesses
    }

    /// The reads and writes of extended tracing, which are taken away.
    pub fn take_calls(&mut self) -> Calls {
        std::mem::take(&mut self.calls)
    }

    /// The log without its rows.
    pub fn about(&self) -> About<'_> {
        About {
            job: &self.job,
            modules: &self.modules,
            damage: &self.damage,
            has_accesses: self.has_accesses,
            nodes: (!self.hosts.is_empty()).then_some(self.hosts.len()),
            traced: &self.traced,
            counted: self.counted(),
            mpi_calls: self.mpi_calls(),
        }
    }

    /// The sums of counters with these endings, over all records of a module.
    fn sum(&self, module: Module, is_among: impl Fn(&str) -> bool) -> i64 {
        let catalogue = Catalogue::get();
        let first = catalogue.whole(module).start;
        let chosen: Vec<bool> = catalogue.whole(module).map(|code| is_among(catalogue.name(code))).collect();
        let of_module = (0..self.records.len()).filter(|&record| self.records[record].module == module);
        of_module.flat_map(|record| self.values_of(record)).fold(0, |sum: i64, place| {
            let is_chosen = (self.codes[place].checked_sub(first))
                .is_some_and(|place| chosen.get(place as usize).copied().unwrap_or(false));
            let value = if is_chosen { self.bits[place] as i64 } else { 0 };
            sum.saturating_add(value.max(0))
        })
    }

    /// What the counters of each layer say of its reads and writes.
    fn counted(&self) -> BTreeMap<&'static str, Counted> {
        let layers = [(Module::Posix, "posix"), (Module::Stdio, "stdio"), (Module::MpiIo, "mpiio")];
        let layers = layers.into_iter().filter_map(|(module, layer)| {
            let state = self.modules.iter().find(|state| state.name == module.word())?;
            let operations = self.sum(module, |name| match module {
                Module::MpiIo => is_mpi_call(name, &["INDEP", "COLL", "SPLIT", "NB"]),
                _ => ["POSIX_READS", "POSIX_WRITES", "STDIO_READS", "STDIO_WRITES"].contains(&name),
            });
            let bytes = self.sum(module, |name| {
                let name = name.split_once('_').map_or("", |(_, name)| name);
                name == "BYTES_READ" || name == "BYTES_WRITTEN"
            });
            Some((layer, Counted { moved: Moved { operations, bytes }, is_partial: state.is_partial }))
        });
        layers.collect()
    }

    /// Collective and other reads and writes of the files of MPI-IO.
    fn mpi_calls(&self) -> BTreeMap<&str, MpiCalls> {
        let catalogue = Catalogue::get();
        let mut calls: BTreeMap<&str, MpiCalls> = BTreeMap::new();
        for (number, record) in self.records.iter().enumerate() {
            let Some(file) = record.file.filter(|_| record.module == Module::MpiIo) else {
                continue;
            };
            let of_file = calls.entry(self.file_name(file)).or_default();
            for place in self.values_of(number) {
                let name = catalogue.name(self.codes[place]);
                let sum = match (is_mpi_call(name, &["COLL", "SPLIT"]), is_mpi_call(name, &["INDEP", "NB"])) {
                    (true, _) if name.ends_with("READS") => &mut of_file.collective_reads,
                    (true, _) => &mut of_file.collective_writes,
                    (_, true) if name.ends_with("READS") => &mut of_file.other_reads,
                    (_, true) => &mut of_file.other_writes,
                    _ => continue,
                };
                *sum = sum.saturating_add((self.bits[place] as i64).max(0));
            }
        }
        calls
    }
}

/// Whether a counter counts reads or writes of MPI-IO of one of these kinds.
fn is_mpi_call(name: &str, kinds: &[&str]) -> bool {
    name.strip_prefix("MPIIO_").and_then(|name| name.split_once('_')).is_some_and(|(kind, operation)| {
        kinds.contains(&kind) && (operation == "READS" || operation == "WRITES")
    })
}

/// What the counters of a layer say of its reads and writes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Counted {
    #[serde(flatten)]
    pub moved: Moved,
    /// Whether the counters are not of all files.
    pub is_partial: bool,
}

/// Calls of MPI-IO to one file.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct MpiCalls {
    pub collective_reads: i64,
    pub collective_writes: i64,
    pub other_reads: i64,
    pub other_writes: i64,
}

/// A log without its rows.
#[derive(Debug, Serialize)]
pub struct About<'l> {
    #[serde(flatten)]
    pub job: &'l Job,
    pub modules: &'l [ModuleState],
    pub damage: &'l [String],
    pub has_accesses: bool,
    /// How many machines it names; None where it names none.
    pub nodes: Option<usize>,
    pub traced: &'l BTreeMap<&'static str, Moved>,
    pub counted: BTreeMap<&'static str, Counted>,
    pub mpi_calls: BTreeMap<&'l str, MpiCalls>,
}
