//! Opens and closes: they go to the metadata server, whatever is cached (section 3.1).

use super::clock::{Clock, Event};

/// What a process waits for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asking {
    begin_ns: i64,
    /// How long it computes after the answer.
    compute_ns: i64,
    cell: u32,
}

/// How far its question has come.
#[derive(Clone, Copy, Debug)]
pub(super) enum Passed {
    Node,
    MediumThere,
    Server,
    MediumBack,
}

impl Clock {
    /// Begin an open or a close: the call, then a message, the server, its reply.
    pub(super) fn ask_metadata(&mut self, process: u32, cell: u32, compute_ns: i64) {
        let begin_ns = self.now_ns();
        self.asking[process as usize] = Asking { begin_ns, compute_ns, cell };
        self.machine.tally(cell).metadata_requests += 1;
        let node = self.processes[process as usize].node;
        let call_ns = self.costs.before_ns(false);
        let ends_ns = self.nodes[node as usize].serve(begin_ns, call_ns);
        self.schedule_at(ends_ns, Event::Metadata(process, Passed::Node));
    }

    /// Go on with it.
    pub(super) fn ask_on(&mut self, process: u32, passed: Passed) {
        let node = self.processes[process as usize].node;
        let now_ns = self.now_ns();
        let (ends_ns, next) = match passed {
            Passed::Node => {
                let sent_ns = self.over_node_link(node, self.costs.messages_ns(1));
                (sent_ns, Passed::MediumThere)
            }
            Passed::MediumThere => {
                let service_ns = self.costs.metadata_ns();
                let ends_ns = self.metadata_server.serve(now_ns, service_ns);
                (ends_ns, Passed::Server)
            }
            Passed::Server => {
                let came_ns = self.over_node_link(node, self.costs.messages_ns(1));
                (came_ns, Passed::MediumBack)
            }
            Passed::MediumBack => {
                let asking = self.asking[process as usize];
                self.machine.tally(asking.cell).metadata_ns += (now_ns - asking.begin_ns) as u64;
                self.events.schedule(asking.compute_ns, Event::Process(process));
                return;
            }
        };
        self.schedule_at(ends_ns, Event::Metadata(process, next));
    }
}
