//! Descriptors passed over sockets (SCM_RIGHTS), and taken from other processes (pidfd_getfd).
//!
//! The descriptor that is received refers to the open-file entry of the one that was sent. Which that is is known for
//! the two ends of a socketpair call: messages arrive in the order in which they were sent. Over other sockets it is
//! not, so the received descriptor has an unknown file, unless the log names it (strace -y).

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::descriptors::{OpenId, Slot, SocketEnd};
use super::FileTable;
use crate::reconstruct::process_table::has_flag;
use crate::syscalls::call::Call;

/// What is on its way to each end: the sending call's `seq`, and the entry. None if the order is not known any more.
#[derive(Debug, Default)]
pub struct Rights {
    pairs: u32,
    under_way: FxHashMap<SocketEnd, Option<VecDeque<(i64, OpenId)>>>,
}

impl FileTable {
    /// The two descriptors of a socketpair are ends of one pair.
    pub(super) fn pair_sockets(&mut self, first: OpenId, second: OpenId) {
        self.rights.pairs += 1;
        let pair = self.rights.pairs;
        for (open, is_second) in [(first, false), (second, true)] {
            self.opens[open].end = Some(SocketEnd { pair, is_second });
        }
    }

    /// sendmsg, sendmmsg: when issued, as a message may be received before the call has returned.
    pub(super) fn send_rights(&mut self, call: &Call<'_>) {
        let Some(end) = self.end_of(call.fd) else { return };
        let to = SocketEnd { is_second: !end.is_second, ..end };
        for fd in passed(call) {
            let Some(open) = self.open_of(fd) else { continue };
            if let Some(queue) = self.rights.under_way.entry(to).or_insert_with(|| Some(VecDeque::new())) {
                queue.push_back((call.seq, open));
                self.opens[open].descriptors += 1;
            }
        }
    }

    /// A call that failed, after its messages were taken as sent.
    pub(super) fn take_back_rights(&mut self, call: &Call<'_>) {
        let Some(end) = self.end_of(call.fd) else { return };
        let to = SocketEnd { is_second: !end.is_second, ..end };
        if let Some(Some(queue)) = self.rights.under_way.get_mut(&to) {
            let (back, kept) = queue.drain(..).partition(|&(seq, _)| seq == call.seq);
            *queue = kept;
            self.drop_rights(back);
        }
    }

    /// recvmsg, recvmmsg
    pub(super) fn receive_rights(&mut self, call: &Call<'_>) {
        if call.error.is_some() {
            return;
        }
        let end = self.end_of(call.fd);
        let fds: Vec<i32> = passed(call).collect();
        for fd in fds {
            let queue = end.and_then(|end| self.rights.under_way.get_mut(&end)?.as_mut());
            match (queue.and_then(VecDeque::pop_front), end) {
                (Some((_, open)), _) => self.install(fd, open, has_flag(call.flags, "MSG_CMSG_CLOEXEC")),
                (None, Some(end)) => {
                    self.lose_order(end);
                    self.stray(fd);
                }
                (None, None) => drop(self.stray(fd)),
            }
        }
    }

    /// A read of a socket drops the descriptors that are passed with its data, if there are any.
    pub(super) fn read_socket(&mut self, open: OpenId) {
        if let Some(end) = self.opens[open].end {
            if matches!(self.rights.under_way.get(&end), Some(Some(queue)) if !queue.is_empty()) {
                self.lose_order(end);
            }
        }
    }

    /// pidfd_getfd
    pub(super) fn take_descriptor(&mut self, call: &Call<'_>) {
        let taken = call.result.and_then(|fd| i32::try_from(fd).ok());
        if let Some(fd) = taken.filter(|&fd| fd >= 0 && call.error.is_none()) {
            self.stray(fd);
        }
    }

    fn lose_order(&mut self, end: SocketEnd) {
        if let Some(Some(queue)) = self.rights.under_way.insert(end, None) {
            self.drop_rights(queue);
        }
    }

    fn drop_rights(&mut self, queue: VecDeque<(i64, OpenId)>) {
        for (_, open) in queue {
            self.drop_descriptor_of(open);
        }
    }

    fn end_of(&mut self, fd: Option<i32>) -> Option<SocketEnd> {
        match self.tasks.table()?.get(fd?) {
            Slot::Open { open, .. } => self.opens[open].end,
            Slot::Untouched | Slot::Closed => None,
        }
    }
}

/// The descriptors that a message passes.
fn passed<'a>(call: &Call<'a>) -> impl Iterator<Item = i32> + 'a {
    let words =
        call.flags.filter(|flags| flags.ends_with(b"SCM_RIGHTS") || has_flag(Some(flags), "SCM_RIGHTS"));
    let words = words.unwrap_or_default().split(|&byte| byte == b'|');
    words.filter_map(|word| std::str::from_utf8(word).ok()?.parse().ok())
}
