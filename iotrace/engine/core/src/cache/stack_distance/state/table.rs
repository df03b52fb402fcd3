//! A state as a table, and back, batch by batch: as a whole it would take more memory than the state.

use super::add::add;
use super::block_numbers::BlockNumbers;
use super::file_ends::FileEnd;
use super::parts::{self, Count, Part};
use super::{FirstUse, Key, LastUse, State, Step, NONE};
use crate::cache::stack_distance::component::Component;
use crate::cache::stack_distance::span::file_key;
use crate::columns::{column, table};
use crate::error::Error;
use crate::lists::make_room;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, BooleanArray, DictionaryArray, Int32Array, Int64Array, RecordBatch, RecordBatchIterator,
    RecordBatchReader,
};
use arrow_schema::ArrowError;

/// The most rows of a batch.
const BATCH_ROWS: usize = if cfg!(test) { 7 } else { 1 << 14 };

/// How many blocks are looked up at once.
const CHUNK_BLOCKS: usize = 1 << 10;

/// The largest count that a table may have.
const MOST: u64 = 1 << 53;

/// A row; what its part has no use for is None.
#[derive(Debug, Clone, Copy)]
struct StateRow {
    part: Part,
    component: Option<i32>,
    size_blocks: Option<i64>,
    count: Option<i64>,
    key: Option<Key>,
    request: Option<i64>,
    is_write: Option<bool>,
    is_first_piece: Option<bool>,
    reread_blocks: Option<i64>,
    shortfall_bytes: Option<i64>,
}

const EMPTY: StateRow = StateRow {
    part: parts::FIRST_USE,
    component: None,
    size_blocks: None,
    count: None,
    key: None,
    request: None,
    is_write: None,
    is_first_piece: None,
    reread_blocks: None,
    shortfall_bytes: None,
};

impl StateRow {
    fn first_use(first: &FirstUse, request: u32) -> StateRow {
        StateRow {
            component: Some(first.component as i32),
            size_blocks: Some(i64::from(first.largest)),
            key: Some(first.key),
            request: Some(i64::from(request)),
            is_write: Some(first.is_write),
            is_first_piece: Some(first.is_first_piece),
            reread_blocks: Some(i64::from(first.reread)),
            shortfall_bytes: Some(i64::from(first.shortfall)),
            ..EMPTY
        }
    }

    fn step(place: u32, step: Step) -> StateRow {
        StateRow {
            part: parts::REREAD,
            count: Some(i64::from(place)),
            reread_blocks: Some(i64::from(step.distance)),
            shortfall_bytes: Some(i64::from(step.shortfall)),
            ..EMPTY
        }
    }

    fn last_use(last: &LastUse) -> StateRow {
        StateRow {
            part: parts::LAST_USE,
            component: Some(last.writer as i32),
            size_blocks: Some(i64::from(last.level)),
            key: Some(last.key),
            is_write: Some(last.is_written()),
            shortfall_bytes: Some(i64::from(last.shortfall)),
            ..EMPTY
        }
    }

    fn of_file(part: Part, file: u32, extent: i64) -> StateRow {
        StateRow { part, count: Some(extent), key: Some(Key { file, block: 0 }), ..EMPTY }
    }

    fn count(part: Part, component: usize, size_blocks: Option<u32>, count: i64) -> StateRow {
        let size_blocks = size_blocks.map(i64::from);
        StateRow { part, component: Some(component as i32), size_blocks, count: Some(count), ..EMPTY }
    }
}

impl State {
    /// The state as batches of table curve_state, at least one; lists are freed once their rows were taken.
    ///
    /// # Errors
    /// If Arrow rejects the first one.
    pub fn into_batches(self) -> Result<impl RecordBatchReader + Send, Error> {
        let mut steps: Vec<(u32, Step)> = Vec::new();
        for (place, of_place) in self.steps {
            steps.extend(of_place.into_iter().map(|step| (place, step)));
        }
        steps.sort_by_key(|&(place, step)| (place, step.distance));
        let firsts = self.firsts.into_iter().scan(0, |requests, first| {
            *requests += u32::from(first.begins);
            Some(StateRow::first_use(&first, *requests - 1))
        });
        let mut rows = firsts
            .chain(steps.into_iter().map(|(place, step)| StateRow::step(place, step)))
            .chain(self.lasts.into_iter().map(|last| StateRow::last_use(&last)))
            .chain(self.files.files.into_iter().flat_map(file_rows))
            .chain(count_rows(self.components));
        let mut next = move || rows.by_ref().take(BATCH_ROWS).collect::<Vec<_>>();
        let first = batch(&next())?;
        let schema = first.schema();
        let further = std::iter::from_fn(move || Some(next()).filter(|rows| !rows.is_empty()));
        let further = further.map(|rows| batch(&rows));
        Ok(RecordBatchIterator::new(std::iter::once(Ok(first)).chain(further), schema))
    }

    /// The state that batches of a table hold. `is_short`: blocks were left out; `looks_back`: see
    /// `FileEnds::look_back`.
    ///
    /// # Errors
    /// Where the table is none of a state, with the row, or a batch cannot be read.
    pub fn read(
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>>,
        is_short: bool,
        looks_back: bool,
    ) -> Result<State, Error> {
        let mut state = State { is_short, ..State::default() };
        state.files.look_back = looks_back;
        let (mut rows, mut requests) = (0, 0);
        for batch in batches {
            let batch = batch?;
            let columns = Columns::of(&batch)?;
            let (firsts, lasts) = (state.firsts.len(), state.lasts.len());
            make_room(&mut state.firsts, firsts + batch.num_rows());
            make_room(&mut state.lasts, lasts + batch.num_rows());
            for row in 0..batch.num_rows() {
                let read = columns.row(row).and_then(|(part, cells)| state.take(part, cells, &mut requests));
                read.ok_or_else(|| Error::of(format!("row {} of the state is damaged", rows + row)))?;
            }
            rows += batch.num_rows();
        }
        let makers = state.firsts.iter().map(|first| first.component);
        let most = makers.chain(state.lasts.iter().map(|last| last.writer)).max();
        if most.is_some_and(|component| component as usize >= state.components.len()) {
            return Err(Error::of("a component of the state has no counts"));
        }
        state.find_first_uses()?;
        Ok(state)
    }

    /// Find the first uses of the blocks that the slice did not write.
    fn find_first_uses(&mut self) -> Result<(), Error> {
        let mut numbers = BlockNumbers::with_room(self.firsts.len());
        let mut found = Vec::new();
        for firsts in self.firsts.chunks(CHUNK_BLOCKS) {
            numbers.number(firsts.iter().map(|first| first.key), &mut found)?;
        }
        if numbers.len() != self.firsts.len() {
            return Err(Error::of("a block has two first uses"));
        }
        for lasts in self.lasts.chunks_mut(CHUNK_BLOCKS) {
            numbers.number(lasts.iter().map(|last| last.key), &mut found)?;
            for (last, &first) in lasts.iter_mut().zip(&found).filter(|(last, _)| !last.is_written()) {
                if first as usize >= self.firsts.len() {
                    return Err(Error::of("a block has a last use and no first one"));
                }
                last.first = first;
            }
        }
        Ok(())
    }

    /// Take a row of a part, with how many requests have first uses before; None where it is invalid.
    fn take(&mut self, part: Part, row: Cells<'_>, requests: &mut u32) -> Option<()> {
        match part {
            parts::FIRST_USE => {
                let request = row.word(row.columns.request)?;
                let begins = request == *requests;
                *requests += u32::from(begins);
                let first = FirstUse {
                    key: row.key()?,
                    begins,
                    component: row.component()?,
                    is_write: row.flag(row.columns.is_write)?,
                    largest: row.word(row.columns.size_blocks)?,
                    is_first_piece: row.flag(row.columns.is_first_piece)?,
                    shortfall: row.word(row.columns.shortfall_bytes)?,
                    reread: row.word(row.columns.reread_blocks)?,
                };
                (requests.checked_sub(1) == Some(request)).then(|| self.firsts.push(first))
            }
            parts::REREAD => {
                let place = row.word(row.columns.count)?;
                let step = Step {
                    distance: row.word(row.columns.reread_blocks)?,
                    shortfall: row.word(row.columns.shortfall_bytes)?,
                };
                let is_there = (place as usize) < self.firsts.len();
                is_there.then(|| self.steps.entry(place).or_default().push(step))
            }
            parts::LAST_USE => {
                let is_written = row.flag(row.columns.is_write)?;
                let last = LastUse {
                    key: row.key()?,
                    level: row.word(row.columns.size_blocks)?,
                    writer: row.component()?,
                    shortfall: row.word(row.columns.shortfall_bytes)?,
                    first: if is_written { NONE } else { 0 }, // found once all first uses are there
                };
                self.lasts.push(last);
                Some(())
            }
            parts::FILE_END | parts::FILE_SIZE | parts::ASSUMED_UNSIZED | parts::ASSUMED_UNTOUCHED => {
                let count = row.number(row.columns.count)?;
                note(part, self.files.files.entry(row.key()?.file).or_default(), count);
                Some(())
            }
            _ => self.take_count(part, row),
        }
    }

    fn take_count(&mut self, part: Part, row: Cells<'_>) -> Option<()> {
        let number = row.component()? as usize;
        if number == self.components.len() {
            self.components.push(Component::default()); // they follow each other
        }
        let component = self.components.get_mut(number)?;
        let count = row.signed(row.columns.count).filter(|count| count.unsigned_abs() <= MOST)?;
        match part.count()? {
            Count::Total(total) => *total(component) = u64::try_from(count).ok()?,
            Count::Sizes(sizes) => {
                sizes(component).insert(row.word(row.columns.size_blocks)?, u64::try_from(count).ok()?);
            }
            Count::Histogram(histogram) => {
                let size = row.word(row.columns.size_blocks).filter(|&size| size != 0)?;
                add(histogram(component), size, count);
            }
        }
        Some(())
    }
}

fn file_rows((file, end): (u32, FileEnd)) -> impl Iterator<Item = StateRow> {
    let part = if end.is_size_known { parts::FILE_SIZE } else { parts::FILE_END };
    let assumed = [
        (parts::ASSUMED_UNSIZED, end.assumes_unknown_size),
        (parts::ASSUMED_UNTOUCHED, end.assumes_untouched),
    ];
    let assumed = assumed.into_iter().filter(|&(_, is)| is);
    let assumed = assumed.map(move |(part, _)| StateRow::of_file(part, file, 0));
    std::iter::once(StateRow::of_file(part, file, end.extent)).chain(assumed)
}

/// Rows of one count after the other: there may be millions.
fn count_rows(mut components: Vec<Component>) -> impl Iterator<Item = StateRow> {
    let counts = (0..components.len()).flat_map(|number| Part::counts().map(move |part| (number, part)));
    counts.flat_map(move |(number, part)| {
        let sizes = entries(part, &mut components[number]);
        sizes.into_iter().map(move |(size, count)| StateRow::count(part, number, size, count))
    })
}

/// The counts of a part, by size where they have one.
fn entries(part: Part, component: &mut Component) -> Vec<(Option<u32>, i64)> {
    match part.count() {
        Some(Count::Total(total)) => {
            let count = *total(component) as i64;
            Vec::from_iter((count != 0 || !part.is_of_end()).then_some((None, count)))
        }
        Some(Count::Sizes(sizes)) => {
            let sizes = sizes(component).iter().map(|(&size, &count)| (Some(size), count as i64));
            let mut sizes: Vec<_> = sizes.collect();
            sizes.sort_unstable();
            sizes
        }
        Some(Count::Histogram(histogram)) => {
            histogram(component).entries().map(|(size, count)| (Some(size), count)).collect()
        }
        None => Vec::new(),
    }
}

fn note(part: Part, end: &mut FileEnd, extent: i64) {
    match part {
        parts::ASSUMED_UNSIZED => end.assumes_unknown_size = true,
        parts::ASSUMED_UNTOUCHED => end.assumes_untouched = true,
        _ => {
            end.extent = extent;
            end.is_size_known = part == parts::FILE_SIZE;
        }
    }
}

/// Rows as a batch of the table.
fn batch(rows: &[StateRow]) -> Result<RecordBatch, ArrowError> {
    let table = table!(rows.iter(), |row| {
        part: Part = row.part,
        component: Option<i32> = row.component,
        size_blocks: Option<i64> = row.size_blocks,
        count: Option<i64> = row.count,
        file: Option<i32> = row.key.map(|key| key.file.wrapping_sub(1) as i32),
        block: Option<i64> = row.key.map(|key| key.block as i64),
        request: Option<i64> = row.request,
        is_write: Option<bool> = row.is_write,
        is_first_piece: Option<bool> = row.is_first_piece,
        reread_blocks: Option<i64> = row.reread_blocks,
        shortfall_bytes: Option<i64> = row.shortfall_bytes,
    });
    table.batch()
}

/// The columns of a state's table.
struct Columns<'a> {
    part: &'a Int32Array,
    parts: Vec<Option<Part>>,
    component: &'a Int32Array,
    size_blocks: &'a Int64Array,
    count: &'a Int64Array,
    file: &'a Int32Array,
    block: &'a Int64Array,
    request: &'a Int64Array,
    is_write: &'a BooleanArray,
    is_first_piece: &'a BooleanArray,
    reread_blocks: &'a Int64Array,
    shortfall_bytes: &'a Int64Array,
}

/// The cells of one row; None for nulls and numbers out of range.
#[derive(Clone, Copy)]
struct Cells<'a> {
    columns: &'a Columns<'a>,
    index: usize,
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Self, Error> {
        let dictionary: &DictionaryArray<Int32Type> = column(batch, "part")?;
        let names = dictionary.values().as_string_opt::<i32>();
        let names = names.ok_or_else(|| Error::of("column part has no names"))?;
        Ok(Columns {
            part: dictionary.keys(),
            parts: names.iter().map(|name| name.and_then(Part::of)).collect(),
            component: column(batch, "component")?,
            size_blocks: column(batch, "size_blocks")?,
            count: column(batch, "count")?,
            file: column(batch, "file")?,
            block: column(batch, "block")?,
            request: column(batch, "request")?,
            is_write: column(batch, "is_write")?,
            is_first_piece: column(batch, "is_first_piece")?,
            reread_blocks: column(batch, "reread_blocks")?,
            shortfall_bytes: column(batch, "shortfall_bytes")?,
        })
    }

    fn row(&self, index: usize) -> Option<(Part, Cells<'_>)> {
        let code = self.part.is_valid(index).then(|| self.part.value(index))?;
        let part = *self.parts.get(usize::try_from(code).ok()?)?;
        part.map(|part| (part, Cells { columns: self, index }))
    }
}

impl Cells<'_> {
    fn signed(&self, column: &Int64Array) -> Option<i64> {
        column.is_valid(self.index).then(|| column.value(self.index))
    }

    fn number(&self, column: &Int64Array) -> Option<i64> {
        self.signed(column).filter(|&number| number >= 0)
    }

    fn word(&self, column: &Int64Array) -> Option<u32> {
        self.signed(column).and_then(|number| u32::try_from(number).ok())
    }

    fn component(&self) -> Option<u32> {
        let component = self.columns.component;
        let number = component.is_valid(self.index).then(|| component.value(self.index))?;
        u32::try_from(number).ok()
    }

    fn flag(&self, column: &BooleanArray) -> Option<bool> {
        column.is_valid(self.index).then(|| column.value(self.index))
    }

    fn key(&self) -> Option<Key> {
        let file = self.columns.file;
        let file = file.is_valid(self.index).then(|| file.value(self.index)).filter(|&file| file >= 0)?;
        Some(Key { file: file_key(file), block: self.number(self.columns.block)? as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts::{HISTOGRAMS, SIZES, TOTALS};
    use super::Part;
    use crate::columns::Word;

    #[test]
    fn each_part_has_a_name() {
        assert_eq!(Part::WORDS.len(), 7 + TOTALS.len() + SIZES.len() + HISTOGRAMS.len());
        assert!(Part::counts().all(|part| part.count().is_some()));
    }
}
