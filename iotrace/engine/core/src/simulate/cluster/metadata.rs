//! Opens and closes: they always go to the metadata server (section 3.1).

use super::clock::Clock;
use super::event::Event;
use super::job::{MetadataRequest, MetadataStage};

impl Clock {
    /// Begin an open or a close: a message, then the server.
    pub(super) fn ask_metadata(&mut self, process: u32, cell: u32, compute_ns: i64) {
        let begin_ns = self.now_ns();
        self.metadata_requests[process as usize] = MetadataRequest { begin_ns, compute_ns, cell };
        self.machine.tally(cell).metadata_requests += 1;
        let node = self.processes[process as usize].node;
        let asked_ns = self.costs.before_ns(false, 1);
        let ends_ns = self.nodes[node as usize].serve(begin_ns, asked_ns);
        self.schedule_at(ends_ns, Event::Metadata(process, MetadataStage::Node));
    }

    /// Continue with the next stage.
    pub(super) fn ask_on(&mut self, process: u32, passed: MetadataStage) {
        let now_ns = self.now_ns();
        match passed {
            MetadataStage::Node => {
                let service_ns = self.costs.metadata_ns();
                let ends_ns = self.metadata_server.serve(now_ns, service_ns);
                self.schedule_at(ends_ns, Event::Metadata(process, MetadataStage::Server));
            }
            MetadataStage::Server => {
                let request = self.metadata_requests[process as usize];
                self.machine.tally(request.cell).metadata_ns += (now_ns - request.begin_ns) as u64;
                self.events.schedule(request.compute_ns, Event::Process(process));
            }
        }
    }
}
