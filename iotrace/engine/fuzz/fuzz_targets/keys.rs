#![no_main]
//! Records of traces of caches. The first byte chooses their kind.
use iotrace_core::keys::{KeyRows, Keys, RecordKind};
use std::collections::BTreeMap;

const KINDS: [(RecordKind, usize); 2] = [(RecordKind::OracleGeneral, 24), (RecordKind::OracleGeneralOps, 27)];

/// A number for each code.
fn numbered(codes: Vec<u16>) -> BTreeMap<u16, i32> {
    codes.into_iter().zip(0..).collect()
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&chosen, block)) = data.split_first() else {
        return;
    };
    let (kind, width) = KINDS[chosen as usize % KINDS.len()];
    let mut rows = KeyRows::read(block, kind);
    let records = block.len() / width;
    assert_eq!(rows.is_cut, block.len() % width != 0);
    assert_eq!(rows.requests(0).expect("columns of one length").num_rows(), records);
    assert!(rows.summary().zero_sizes <= records as u64);
    rows.unsorted(0);
    let (operations, tenants) = (numbered(rows.operations()), numbered(rows.tenants()));
    let mut keys = Keys::default();
    let table = rows.table(&mut keys, 0, 0, &operations, &tenants).expect("few keys");
    assert_eq!(table.num_rows(), records);
    let mut known = 0;
    while let Some(batch) = keys.next_rows(64).expect("few keys") {
        known += batch.num_rows();
    }
    assert_eq!(known, keys.len());
});
