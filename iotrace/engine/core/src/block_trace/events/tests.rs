#![allow(clippy::unwrap_used)]

use super::EventText;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};

/// The requests of a text: arrival, sector, blocks, and the times of Q, G, I, D and C; and what was said.
fn requests(text: &str) -> (Vec<Vec<Option<i64>>>, super::ReadSummary) {
    requests_of(EventText::new(None), text)
}

fn requests_of(mut events: EventText, text: &str) -> (Vec<Vec<Option<i64>>>, super::ReadSummary) {
    events.take(text.as_bytes(), 1);
    let batch = events.requests(true).unwrap().unwrap();
    let names =
        ["time_ns", "lbn", "blocks", "queued_ns", "allocated_ns", "inserted_ns", "issued_ns", "completed_ns"];
    let rows = (0..batch.num_rows()).map(|row| names.iter().map(|name| number(&batch, name, row)).collect());
    (rows.collect(), events.found())
}

fn number(batch: &RecordBatch, name: &str, row: usize) -> Option<i64> {
    let column = batch.column_by_name(name).unwrap().as_primitive::<Int64Type>();
    column.is_valid(row).then(|| column.value(row))
}

const S: i64 = 1_000_000_000;

#[test]
fn the_same_request_in_each_text() {
    let perf = "
             app   911 [001]   100.000000:     block:block_bio_queue: 8,0 R 1000 + 8 [app]
             app   911 [001]   100.000002:         block:block_getrq: 8,0 R 1000 + 8 [app]
             app   911 [001]   100.000005:     block:block_rq_insert: 8,0 R 4096 () 1000 + 8 0x2,0,4 [app]
             app   911 [001]   100.000009:      block:block_rq_issue: 8,0 R 4096 () 1000 + 8 0x2,0,4 [app]
         swapper     0 [001]   100.000209:   block:block_rq_complete: 8,0 R () 1000 + 8 0x2,0,4 [0]
";
    let tracer = "# tracer: blk
             app-911     [001] d..1.   100.000000:   8,0    Q   R 1000 + 8 [app]
             app-911     [001] d..1.   100.000002:   8,0    G   R 1000 + 8 [app]
             app-911     [001] d..1.   100.000005:   8,0    I   R 1000 + 8 [app]
             app-911     [001] d..1.   100.000009:   8,0    D   R 1000 + 8 [app]
          <idle>-0       [001] d.s1.   100.000209:   8,0    C   R 1000 + 8 [0]
";
    let expected = [0, 0, 2, 5, 9, 209].map(|us| Some(100 * S + us * 1000));
    for text in [perf, tracer] {
        let (rows, found) = requests(text);
        assert_eq!(rows, [[&expected[..1], &[Some(1000), Some(8)], &expected[1..]].concat()]);
        assert!(found.skipped.is_empty());
    }
}

#[test]
fn a_flush_has_no_sector() {
    let (rows, found) = requests(
        " app-1 [000] ..... 1.000000: block_bio_queue: 7,0 FWS 0 + 0 [app]
 kworker/1:1H-44 [001] ..... 1.000036: block_rq_issue: 7,0 FF 0 () 0 + 0 none,0,0 [kworker/1:1H]
 ksoftirqd/0-14 [000] ..s.. 1.000059: block_rq_complete: 7,0 FF () 18446744073709551615 + 0 none,0,0 [0]
 ksoftirqd/0-14 [000] d.s1. 1.000062: block_rq_complete: 7,0 WS () 0 + 0 be,0,4 [0]
",
    );
    let [at, issued, done] = [0, 36, 59].map(|us| Some(S + us * 1000));
    assert_eq!(rows, [[at, Some(0), Some(0), at, None, None, issued, done]]);
    assert_eq!(found.remarks, [("events of no request", 1)]);
}

#[test]
fn what_is_no_request_is_counted_and_what_is_no_event_is_skipped() {
    let (rows, found) = requests(
        "cpus=2
CPU 1 is empty

 a-1 [000] 1.0: sched_switch: prev_comm=a
 a-1 [000] 1.1: block_plug: [a]
 a-1 [000] 1.2: block_rq_issue: 8,0 N 36 (12 00 00) 0 + 0 [a]
 => submit_bio
CPU:1 [LOST 7 EVENTS]
 a-1 [000] 1.3: block_rq_issue: dev=8388608 sector=1000
 a-1 [000] 1.4: block_rq_issue: 8,0 R 4096 () 1000 + 8 be,0
nonsense
",
    );
    assert!(rows.is_empty());
    let skipped: Vec<(u64, &str)> = found.skipped.iter().map(|(line, _, why)| (*line, *why)).collect();
    let form = "fields of the event are not in a known form";
    assert_eq!(skipped, [(9, form), (10, form), (11, "not a line of an event")]);
    assert_eq!((found.lost_events, found.lines), (7, 11));
    let remarks = [
        ("lines of trace-cmd on its file", 2),
        ("blank lines", 1),
        ("events of other kinds", 1),
        ("events of no request", 1),
        ("events of passed-through commands", 1),
        ("lines of call stacks", 1),
        ("records of losses", 1),
    ];
    assert_eq!(found.remarks, remarks);
}

/// The rows of commands, in logical blocks of 4096 bytes, and the remarks.
fn commands(text: &str) -> (Vec<Vec<Option<i64>>>, super::ReadSummary) {
    requests_of(EventText::new(Some(4096)), text)
}

#[test]
fn commands_of_nvme_are_paired_by_queue_and_number() {
    let (rows, found) = commands(
        " fio-21 [003] ..... 8.000001: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=12, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=2048, len=7, ctrl=0x0, dsmgmt=0, reftag=0)
 fio-21 [003] ..... 8.000002: nvme_setup_cmd: nvme1: disk=nvme1n1, qid=4, cmdid=12, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=1, len=0, ctrl=0x4000, dsmgmt=0, reftag=0)
 fio-21 [003] ..... 8.000003: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=13, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_flush cdw10=00 00)
 fio-21 [003] ..... 8.000004: nvme_setup_cmd: nvme0: disk=nvme0n1, qid=4, cmdid=14, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_dsm nr=0, attributes=4)
 fio-21 [003] ..... 8.000004: nvme_setup_cmd: nvme0: qid=0, cmdid=12, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_admin_identify cns=1, ctrlid=0)
 <idle>-0 [003] d.h.. 8.000011: nvme_complete_rq: nvme1: disk=nvme1n1, qid=4, cmdid=12, res=0x0, retries=0, flags=0x0, status=0x0
 <idle>-0 [003] d.h.. 8.000021: nvme_complete_rq: nvme0: disk=nvme0n1, qid=4, cmdid=12, res=0x0, retries=0, flags=0x0, status=0x0
 <idle>-0 [003] d.h.. 8.000031: nvme_complete_rq: nvme0: disk=nvme0n1, qid=4, cmdid=99, res=0x0, retries=0, flags=0x0, status=0x0
 perf 1 [000] 8.5: nvme:nvme_setup_cmd: [FAILED TO PARSE] ctrl_id=0 qid=4 opcode=2 cid=12
",
    );
    let us = |us: i64| Some(8 * S + us * 1000);
    let row = |lbn, blocks, start, end: Option<i64>| {
        vec![us(start), Some(lbn), Some(blocks), None, None, None, us(start), end]
    };
    let expected = [row(16384, 64, 1, us(21)), row(8, 8, 2, us(11)), row(0, 0, 3, None)];
    assert_eq!(rows, expected);
    assert_eq!(found.skipped.iter().map(|(line, _, _)| *line).collect::<Vec<_>>(), [9]);
    let remarks = [
        ("discards, of which the events do not show the place", 1),
        ("administrative commands", 1),
        ("completions of no request that was seen", 1),
        ("requests without completion", 1),
    ];
    assert_eq!(found.remarks, remarks);
}
