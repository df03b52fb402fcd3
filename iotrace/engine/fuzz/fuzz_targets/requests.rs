#![no_main]
//! Lines and records of block traces in their usual form. The first byte chooses among some forms.
use iotrace_core::block_trace::{read_lines, read_records, Form, Kind};
use std::sync::OnceLock;

const FORMS: [&str; 3] = [
    r#"{"is_blank_separated": false, "fields": ["filetime", "host", "name", "operation", "offset_bytes", "length_bytes",
        "latency_100ns"], "device": "{}.{}", "operations": [["Read", "read"], ["Write", "write"]]}"#,
    r#"{"is_blank_separated": true, "fields": ["decimal_ms", "name", "lbn", "blocks", "flags_hex"], "device": "{}",
        "operations": []}"#,
    r#"{"is_blank_separated": false, "fields": ["time_us", "name", "operation", "offset_bytes", "length_bytes",
        "latency_decimal_s"], "device": "{}", "operations": [["R", "read"], ["F", "flush"]]}"#,
];
const KINDS: [Kind; 4] = [Kind::Vscsi1, Kind::Vscsi2, Kind::OracleGeneral, Kind::OracleGeneralOps];
static READ: OnceLock<Vec<Form>> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let forms = READ.get_or_init(|| FORMS.map(|form| serde_json::from_str(form).expect("a form")).to_vec());
    let Some((&chosen, block)) = data.split_first() else {
        return;
    };
    let chosen = chosen as usize % (forms.len() + KINDS.len());
    let (rows, records, others) = if let Some(form) = forms.get(chosen) {
        let half = block.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let found = read_lines(&[&block[..half]], form);
        (found.rows, found.lines, found.others)
    } else {
        let found = read_records(block, KINDS[chosen - forms.len()]);
        (found.rows, found.records, found.others)
    };
    let requests = rows.requests(0).expect("columns of one length");
    assert_eq!(requests.num_rows() as u64 + others.len() as u64, records);
    rows.summary();
    rows.unsorted(0);
});
