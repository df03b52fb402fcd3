#![no_main]
//! Lines and records of block traces. The first byte chooses among some forms.
use iotrace_core::block_trace::{read_lines, read_records, Form, Kind};
use std::sync::OnceLock;

const FORMS: [&str; 3] = [
    r#"{"is_blank_separated": false, "is_unspaced": false, "fields": ["filetime", "host", "name", "operation",
        "offset_bytes", "length_bytes", "latency_100ns"], "at_least": 6, "device": "{}.{}",
        "operations": [["Read", "read"], ["Write", "write"]]}"#,
    r#"{"is_blank_separated": true, "is_unspaced": false, "fields": ["decimal_ms", "name", "lbn", "blocks",
        "flags_hex"], "at_least": 5, "device": "{}", "operations": []}"#,
    r#"{"is_blank_separated": false, "is_unspaced": true, "fields": ["time_us", "name", "operation", "offset_bytes",
        "length_bytes", "latency_decimal_s"], "at_least": 6, "device": "{}",
        "operations": [["R", "read"], ["F", "flush"]]}"#,
];
const KINDS: [Kind; 4] = [Kind::Vscsi1, Kind::Vscsi2, Kind::OracleGeneral, Kind::OracleGeneralOps];
static READ: OnceLock<Vec<Form>> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let forms = READ.get_or_init(|| FORMS.map(|form| serde_json::from_str(form).expect("a form")).to_vec());
    let Some((&chosen, block)) = data.split_first() else {
        return;
    };
    let chosen = chosen as usize % (forms.len() + KINDS.len());
    let (rows, records) = if let Some(form) = forms.get(chosen) {
        let half = block.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let found = read_lines(&[&block[..half]], form);
        (found.rows, found.lines - found.blank)
    } else {
        let rows = read_records(block, KINDS[chosen - forms.len()]);
        let records = rows.records();
        (rows, records)
    };
    let requests = rows.requests(0).expect("columns of one length");
    let skipped = rows.skipped(0).expect("columns of one length");
    assert_eq!((requests.num_rows() + skipped.num_rows()) as u64, records);
    rows.summary();
    rows.unsorted(0);
});
