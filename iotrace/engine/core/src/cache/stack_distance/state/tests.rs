//! Slices of random streams, merged in any tree, against one pass.

use super::super::component::Direction;
use super::super::{Curve, Engine, Options, Pricing};
use super::State;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    cast::AsArray, ArrayRef, BooleanArray, DictionaryArray, Int32Array, Int64Array, RecordBatch,
};
use proptest::prelude::*;
use std::sync::Arc;

const BLOCK: i64 = 4;
const COMPONENTS: i32 = 3;

#[derive(Debug, Clone)]
struct ReferenceRow {
    operation: &'static str,
    file: i32,
    offset: i64,
    length: i64,
    file_size: Option<i64>,
    component: i32,
    synchronous: bool,
}

fn batch(rows: &[ReferenceRow]) -> RecordBatch {
    let operation: DictionaryArray<Int32Type> = rows.iter().map(|row| row.operation).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("operation", Arc::new(operation) as ArrayRef, false),
        ("file", Arc::new(rows.iter().map(|row| row.file).collect::<Int32Array>()), false),
        ("offset", Arc::new(rows.iter().map(|row| row.offset).collect::<Int64Array>()), false),
        ("length", Arc::new(rows.iter().map(|row| row.length).collect::<Int64Array>()), false),
        ("file_size", Arc::new(rows.iter().map(|row| row.file_size).collect::<Int64Array>()), true),
        ("component", Arc::new(rows.iter().map(|row| row.component).collect::<Int32Array>()), false),
        (
            "synchronous",
            Arc::new(rows.iter().map(|row| Some(row.synchronous)).collect::<BooleanArray>()),
            false,
        ),
    ])
    .unwrap()
}

fn options() -> Options {
    let (block_bytes, syncs) = (BLOCK as u32, super::super::Syncs::Honour);
    Options { block_bytes, syncs, ..Options::default() }
}

fn one_pass(rows: &[ReferenceRow]) -> Curve {
    let mut engine = Engine::new(options()).unwrap();
    engine.push(&batch(rows)).unwrap();
    engine.finish(Pricing::default())
}

fn slice(rows: &[ReferenceRow], largest: Option<u32>) -> State {
    let mut engine = Engine::of_slice(options()).unwrap();
    rows.chunks(17).for_each(|rows| engine.push(&batch(rows)).unwrap());
    let mut state = engine.finish_slice();
    if let Some(largest) = largest {
        state.cut(largest);
    }
    written_and_read(state)
}

fn written_and_read(state: State) -> State {
    let (is_short, looks_back) = (state.is_short, state.looks_back());
    State::read(state.into_batches().unwrap(), is_short, looks_back).unwrap()
}

/// Merge neighbours in an order that `choices` say, until there is one state.
fn merged(mut states: Vec<State>, choices: &[usize], largest: Option<u32>) -> State {
    for choice in choices.iter().cycle() {
        if states.len() == 1 {
            break;
        }
        let place = choice % (states.len() - 1);
        let right = states.remove(place + 1);
        let left = std::mem::take(&mut states[place]);
        states[place] = written_and_read(left.merge(right, largest).unwrap());
    }
    states.remove(0)
}

fn split<'a>(rows: &'a [ReferenceRow], cuts: &[usize]) -> Vec<&'a [ReferenceRow]> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (rows.len() + 1)).collect();
    cuts.extend([0, rows.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|cut| &rows[cut[0]..cut[1]]).collect()
}

/// Few blocks, so that everything meets everything; a row states its file's size, unless `sizes` is false.
fn rows(sizes: bool) -> impl Strategy<Value = Vec<ReferenceRow>> {
    let operation = prop_oneof![3 => Just("read"), 2 => Just("write")];
    let length = prop_oneof![4 => 1..9_i64, 2 => 1..60_i64];
    let row = (operation, 0..2_i32, 0..40_i64, length, 0..50_i64, 0..COMPONENTS, prop::bool::weighted(0.1));
    let row =
        row.prop_map(move |(operation, file, offset, length, size, component, synchronous)| ReferenceRow {
            operation,
            file,
            offset,
            length,
            file_size: sizes.then_some(size),
            component,
            synchronous,
        });
    prop::collection::vec(row, 1..70)
}

fn column(table: &RecordBatch, name: &str) -> Vec<i64> {
    table.column_by_name(name).unwrap().as_primitive::<Int64Type>().values().to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn any_tree_of_merges_is_one_pass(
        rows in prop_oneof![rows(false), rows(true)],
        cuts in prop::collection::vec(any::<usize>(), 0..6),
        choices in prop::collection::vec(any::<usize>(), 1..6),
        is_ended in any::<bool>(),
    ) {
        let states = split(&rows, &cuts).into_iter().map(|rows| slice(rows, None)).collect();
        let mut state = merged(states, &choices, None);
        if is_ended {
            state.end();
            state = written_and_read(state);
        }
        let (whole, parts) = (one_pass(&rows), Arc::new(state.finish(BLOCK as u32, Pricing::default())));
        prop_assert_eq!(whole.components(), parts.components());
        for component in 0..whole.components() {
            let whole = whole.table(component, None).unwrap();
            prop_assert_eq!(&whole, &parts.table(component, None).unwrap());
            let mut rows = 0;
            for piece in Arc::clone(&parts).rows(component).unwrap() {
                let piece = piece.unwrap();
                prop_assert_eq!(&whole.slice(rows, piece.num_rows()), &piece);
                rows += piece.num_rows();
            }
            prop_assert_eq!(rows, whole.num_rows());
        }
    }

    #[test]
    fn states_cut_at_a_size_hold_no_more_blocks_and_are_exact_up_to_it(
        rows in rows(false),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
        choices in prop::collection::vec(any::<usize>(), 1..6),
        largest in 1..25_u32,
    ) {
        let states = split(&rows, &cuts).into_iter().map(|rows| slice(rows, Some(largest))).collect();
        let state = merged(states, &choices, Some(largest));
        prop_assert!(state.firsts.len() <= largest as usize && state.lasts.len() <= largest as usize);
        for component in &state.components {
            let Direction { largest: distances, others, first_pieces, sizes, .. } = &component.reads;
            prop_assert!(sizes.len() <= largest as usize);
            for counts in [distances, others, first_pieces, &component.expulsions, &component.syncs] {
                prop_assert!(counts.entries().count() <= largest as usize);
            }
        }
        let sizes: Vec<u32> = (1..=largest).collect();
        let (whole, parts) = (one_pass(&rows), state.finish(BLOCK as u32, Pricing::default()));
        for component in 0..whole.components() {
            let whole = whole.table(component, Some(&sizes)).unwrap();
            let parts = parts.table(component, Some(&sizes)).unwrap();
            for field in whole.schema().fields() {
                let name = field.name();
                if name != "component" && !name.starts_with("cold") && !name.ends_with("exact") {
                    prop_assert_eq!(column(&whole, name), column(&parts, name), "{}", name);
                }
            }
        }
    }
}
