//! Opens and closes: they always go to the metadata server (section 3.1).

use super::clock::{Clock, Event};
use super::job::{MetadataRequest, MetadataStage};

impl Clock {
    /// Begin an open or a close: the call, then a message, the server, its reply.
    pub(super) fn ask_metadata(&mut self, process: u32, cell: u32, compute_ns: i64) {
        let begin_ns = self.now_ns();
        self.metadata_requests[process as usize] = MetadataRequest { begin_ns, compute_ns, cell };
        self.machine.tally(cell).metadata_requests += 1;
        let node = self.processes[process as usize].node;
        let call_ns = self.costs.before_ns(false);
        let ends_ns = self.nodes[node as usize].serve(begin_ns, call_ns);
        self.schedule_at(ends_ns, Event::Metadata(process, MetadataStage::Node));
    }

    /// Continue with the next stage.
    pub(super) fn ask_on(&mut self, process: u32, passed: MetadataStage) {
        let node = self.processes[process as usize].node;
        let now_ns = self.now_ns();
        let (ends_ns, next) = match passed {
            MetadataStage::Node => {
                let sent_ns = self.over_node_link(node, self.costs.messages_ns(1));
                (sent_ns, MetadataStage::MediumThere)
            }
            MetadataStage::MediumThere => {
                let service_ns = self.costs.metadata_ns();
                let ends_ns = self.metadata_server.serve(now_ns, service_ns);
                (ends_ns, MetadataStage::Server)
            }
            MetadataStage::Server => {
                let came_ns = self.over_node_link(node, self.costs.messages_ns(1));
                (came_ns, MetadataStage::MediumBack)
            }
            MetadataStage::MediumBack => {
                let request = self.metadata_requests[process as usize];
                self.machine.tally(request.cell).metadata_ns += (now_ns - request.begin_ns) as u64;
                self.events.schedule(request.compute_ns, Event::Process(process));
                return;
            }
        };
        self.schedule_at(ends_ns, Event::Metadata(process, next));
    }
}
