//! Descriptors from before the recording, which calls name until they are closed.

use crate::syscalls::under_calls::Inode;
use std::collections::HashMap;
use std::sync::Arc;

/// What a descriptor refers to.
#[derive(Debug, Clone)]
struct Known {
    /// The kernel's name of it.
    name: Arc<[u8]>,
    /// Its file, until a call on it was emitted.
    inode: Option<Inode>,
}

/// The descriptors that each process has had since before the recording, by number.
#[derive(Debug, Default)]
pub(super) struct Inherited(HashMap<i32, HashMap<i32, Known>>);

impl Inherited {
    pub fn insert(&mut self, process: i32, descriptor: i32, name: &[u8], inode: Option<Inode>) {
        self.0.entry(process).or_default().insert(descriptor, Known { name: name.into(), inode });
    }

    /// The file of a descriptor, the first time that it is asked for.
    pub fn take_inode(&mut self, process: i32, descriptor: i32) -> Option<Inode> {
        self.0.get_mut(&process)?.get_mut(&descriptor)?.inode.take()
    }

    /// A process made another, which has the same descriptors.
    pub fn fork(&mut self, process: i32, child: i32) {
        if process == child {
            return;
        }
        match self.0.get(&process).cloned() {
            Some(names) => self.0.insert(child, names),
            None => self.0.remove(&child),
        };
    }

    /// The kernel's name of a descriptor from before the recording.
    pub fn name(&self, process: i32, descriptor: i32) -> Option<Arc<[u8]>> {
        self.0.get(&process)?.get(&descriptor).map(|known| Arc::clone(&known.name))
    }

    /// The descriptor is closed, or refers to something else.
    pub fn remove(&mut self, process: i32, descriptor: i32) {
        if let Some(names) = self.0.get_mut(&process) {
            names.remove(&descriptor);
        }
    }

    /// These descriptors are closed.
    pub fn remove_range(&mut self, process: i32, first: i32, last: i32) {
        if let Some(names) = self.0.get_mut(&process) {
            names.retain(|descriptor, _| !(first..=last).contains(descriptor));
        }
    }

    /// The process has ended.
    pub fn end(&mut self, process: i32) {
        self.0.remove(&process);
    }
}
