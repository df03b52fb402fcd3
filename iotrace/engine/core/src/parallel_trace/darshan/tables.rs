//! The records and counters of logs as rows of tables darshan_record and darshan_counter.

use super::log::Log;
use super::modules::Module;
use crate::columns::{batch, name_array, optional_codes, word_array};
use crate::error::Error;
use arrow_array::{Array, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use std::sync::Arc;

/// How many counters are given out at once.
const BATCH_ROWS: usize = 1 << 20;
const NONE: i32 = -1;

/// Rows of logs that have not been taken yet.
#[derive(Debug, Default)]
pub struct CounterTables {
    /// How many records were taken before these.
    first: i64,
    records: Records,
    counters: Counters,
}

#[derive(Debug, Default)]
struct Records {
    job: Vec<i32>,
    module: Vec<i32>,
    version: Vec<i32>,
    file: Vec<i32>,
    of_file: Vec<i32>,
    rank: Vec<i64>,
    text: Vec<Option<String>>,
}

#[derive(Debug, Default)]
struct Counters {
    record: Vec<i64>,
    job: Vec<i32>,
    module: Vec<i32>,
    file: Vec<i32>,
    rank: Vec<i64>,
    counter: Vec<i32>,
    bits: Vec<u64>,
    is_real: Vec<bool>,
    /// The names of these counters, and their places by the names.
    names: Vec<String>,
    places: rustc_hash::FxHashMap<String, i32>,
}

impl CounterTables {
    /// How many counters wait.
    pub fn rows(&self) -> usize {
        self.counters.bits.len()
    }

    /// Add the records of a log from the one with this number on, until there are many rows; return the number of the
    /// next record. `files` are the numbers of its files.
    ///
    /// # Errors
    /// If a file has no number.
    pub fn add(&mut self, log: &Log, job: i32, files: &[i32], from: usize) -> Result<usize, Error> {
        let number_of = |file: u32| {
            files.get(file as usize).copied().ok_or_else(|| Error::of("a file of a log has no number"))
        };
        let mut places = vec![NONE; log.code_count()];
        for number in from..log.records.len() {
            if self.rows() >= BATCH_ROWS {
                return Ok(number);
            }
            let record = &log.records[number];
            let module = record.module as i32;
            let file = record.file.map_or(Ok(NONE), number_of)?;
            let seq = self.first + self.records.job.len() as i64;
            let records = &mut self.records;
            records.job.push(job);
            records.module.push(module);
            records.version.push(record.version.map_or(NONE, |version| version as i32));
            records.file.push(file);
            records.of_file.push(record.of_file.map_or(Ok(NONE), number_of)?);
            records.rank.push(record.rank);
            records.text.push(record.text.clone());
            let counters = &mut self.counters;
            for value in log.values_of(number) {
                let code = log.codes[value];
                let (name, is_real) = log.counter(code);
                let place = &mut places[code as usize];
                if *place == NONE {
                    *place = counters.place(name);
                }
                counters.record.push(seq);
                counters.job.push(job);
                counters.module.push(module);
                counters.file.push(file);
                counters.rank.push(record.rank);
                counters.counter.push(*place);
                counters.bits.push(log.bits[value]);
                counters.is_real.push(is_real);
            }
        }
        Ok(log.records.len())
    }

    /// The rows that wait: of table darshan_record, and of table darshan_counter.
    ///
    /// # Errors
    /// If Arrow rejects the columns.
    pub fn take(&mut self) -> Result<(RecordBatch, RecordBatch), Error> {
        let (records, counters) = (std::mem::take(&mut self.records), std::mem::take(&mut self.counters));
        let first = self.first;
        self.first += records.job.len() as i64;
        let records = batch(vec![
            ("record", Arc::new(Int64Array::from_iter_values(first..self.first))),
            ("job", Arc::new(Int32Array::from(records.job))),
            ("module", word_array::<Module>(records.module.into())?),
            ("version", optional_codes(records.version)),
            ("file", optional_codes(records.file)),
            ("of_file", optional_codes(records.of_file)),
            ("rank", Arc::new(Int64Array::from(records.rank))),
            ("text", Arc::new(StringArray::from(records.text))),
        ])?;
        Ok((records, counters.batch()?))
    }
}

impl Counters {
    /// The place of a counter's name among those of the rows that wait.
    fn place(&mut self, name: &str) -> i32 {
        if let Some(&place) = self.places.get(name) {
            return place;
        }
        let place = self.names.len() as i32;
        self.names.push(name.to_owned());
        self.places.insert(name.to_owned(), place);
        place
    }

    fn batch(self) -> Result<RecordBatch, Error> {
        let is_real = BooleanBuffer::from(self.is_real);
        let is_whole = !&is_real;
        let whole = self.bits.iter().map(|&bits| bits as i64).collect::<Vec<_>>();
        let real = self.bits.into_iter().map(f64::from_bits).collect::<Vec<_>>();
        let whole = Int64Array::new(whole.into(), Some(NullBuffer::new(is_whole)));
        let real = Float64Array::new(real.into(), Some(NullBuffer::new(is_real)));
        debug_assert_eq!(whole.null_count() + real.null_count(), real.len());
        batch(vec![
            ("record", Arc::new(Int64Array::from(self.record))),
            ("job", Arc::new(Int32Array::from(self.job))),
            ("module", word_array::<Module>(self.module.into())?),
            ("file", optional_codes(self.file)),
            ("rank", Arc::new(Int64Array::from(self.rank))),
            ("counter", name_array(self.counter, self.names)?),
            ("value", Arc::new(whole)),
            ("seconds", Arc::new(real)),
        ])
    }
}
