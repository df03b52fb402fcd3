//! Closed forms, and what must hold for any configuration.

use super::*;

fn read(process: Option<u32>, block: u64) -> (Option<u32>, Record) {
    let record = Record {
        offset: block * 1024,
        length: 1024,
        compute_ns: 0,
        file: 0,
        operation: Operation::Read,
    };
    (process, record)
}

fn run(processes: usize, rows: &[(Option<u32>, Record)], settings: Settings) -> Measures {
    let mut builder = ProgramBuilder::new(vec![0; processes]).unwrap();
    for (process, record) in rows {
        builder.add(0, *process, *record).unwrap();
    }
    let simulator = Simulator::new(builder.finish());
    let mut outcomes = simulator.run(&[settings], 1, &Progress::default()).unwrap();
    outcomes.remove(0).measures
}

#[test]
fn segments_without_cache_take_one_turn_for_each_block_and_queue_once() {
    let rows: Vec<_> = (0..4000)
        .map(|block| read(Some(block as u32 / 200), block))
        .collect();
    let settings = Settings {
        buffers: 0,
        overheads: Overheads::default(),
        ..Settings::base()
    };
    assert_eq!(run(20, &rows, settings).execution_ns, 219 * 30_000_000);
}
