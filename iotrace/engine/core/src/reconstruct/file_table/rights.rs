//! Descriptors passed over sockets (SCM_RIGHTS), and taken from other processes (pidfd_getfd).
//!
//! The descriptor that is received refers to the open-file entry of the one that was sent. Which that is is known for
//! the two ends of a socketpair call, and only where a receiver gets all that is under way to its end. A receiver can
//! drop descriptors in calls that the log may not have (a read or recv, a recvmsg without room), so of several it may
//! get any. From then on, and over other sockets, the received descriptor has an unknown file, unless the log names it
//! (strace -y).

use rustc_hash::FxHashMap;

use super::descriptors::{OpenId, Slot, SocketEnd};
use super::FileTable;
use crate::reconstruct::process_table::has_flag;
use crate::syscalls::call::Call;

/// What is on its way to each end: the sending call's `seq`, and the entry. None if it is not known any more.
#[derive(Debug, Default)]
pub struct Rights {
    pairs: u32,
    /// Pairs up to this number may have been sent descriptors that the log does not show.
    unknown_pairs: u32,
    under_way: FxHashMap<SocketEnd, Option<Vec<(i64, OpenId)>>>,
}

/// The socket of a descriptor.
enum Socket {
    /// An end of a pair.
    End(SocketEnd),
    /// No end of a pair.
    Other,
    /// Possibly an end of any pair.
    Unknown,
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
        let mut fds = passed(call).peekable();
        if fds.peek().is_none() {
            return;
        }
        let end = match self.socket(call.fd) {
            Socket::End(end) => end,
            Socket::Other => return,
            Socket::Unknown => return self.lose_rights(),
        };
        let to = end.other();
        for fd in fds {
            let Some(open) = fd.and_then(|fd| self.open_of(fd)) else {
                return self.lose_rights_to(to);
            };
            if let Some(queue) = self.rights.under_way.entry(to).or_insert_with(|| Some(Vec::new())) {
                queue.push((call.seq, open));
                self.opens[open].descriptors += 1;
            }
        }
    }

    /// A call that failed, after its messages were taken as sent.
    pub(super) fn take_back_rights(&mut self, call: &Call<'_>) {
        let Socket::End(end) = self.socket(call.fd) else { return };
        if let Some(Some(queue)) = self.rights.under_way.get_mut(&end.other()) {
            let (back, kept) = queue.drain(..).partition(|&(seq, _)| seq == call.seq);
            *queue = kept;
            self.drop_rights(back);
        }
    }

    /// A call whose beginning is not in the log may have sent descriptors over any socket.
    pub(super) fn lose_rights(&mut self) {
        self.rights.unknown_pairs = self.rights.pairs;
    }

    /// recvmsg, recvmmsg
    pub(super) fn receive_rights(&mut self, call: &Call<'_>) {
        let fds: Vec<Option<i32>> = passed(call).filter(|_| call.error.is_none()).collect();
        if fds.is_empty() {
            return;
        }
        let end = match self.socket(call.fd) {
            Socket::End(end) => Some(end),
            Socket::Other | Socket::Unknown => None,
        };
        let all = end.and_then(|end| self.take_all(end, fds.len(), call));
        if let (None, Some(end)) = (&all, end) {
            self.lose_rights_to(end);
        }
        for (at, fd) in fds.into_iter().enumerate() {
            let Some(fd) = fd else { continue };
            match all.as_ref().and_then(|all| all.get(at)) {
                Some(&(_, open)) => self.install(fd, open, has_flag(call.flags, "MSG_CMSG_CLOEXEC")),
                None => drop(self.stray(fd)),
            }
        }
    }

    /// What is under way to an end, if that is this number of descriptors. What is only looked at stays under way, and
    /// asynchronous calls may send what the log does not show.
    fn take_all(&mut self, end: SocketEnd, count: usize, call: &Call<'_>) -> Option<Vec<(i64, OpenId)>> {
        let is_unknown = end.pair <= self.rights.unknown_pairs
            || self.counts.unseen_asynchronous_calls > 0
            || has_flag(call.flags, "MSG_PEEK");
        let queue = self.rights.under_way.get_mut(&end).and_then(Option::as_mut);
        let queue = queue.filter(|queue| queue.len() == count && !is_unknown)?;
        Some(std::mem::take(queue))
    }

    /// pidfd_getfd
    pub(super) fn take_descriptor(&mut self, call: &Call<'_>) {
        let taken = call.result.and_then(|fd| i32::try_from(fd).ok());
        if let Some(fd) = taken.filter(|&fd| fd >= 0 && call.error.is_none()) {
            self.stray(fd);
        }
    }

    /// What is received at an end from now on is unknown.
    fn lose_rights_to(&mut self, end: SocketEnd) {
        if let Some(Some(queue)) = self.rights.under_way.insert(end, None) {
            self.drop_rights(queue);
        }
    }

    fn drop_rights(&mut self, queue: Vec<(i64, OpenId)>) {
        for (_, open) in queue {
            self.drop_descriptor_of(open);
        }
    }

    /// What is under way to an end that no descriptor refers to any more; nobody can receive it.
    pub(super) fn rights_to_closed(&mut self, end: Option<SocketEnd>) -> Vec<OpenId> {
        let queue = end.and_then(|end| self.rights.under_way.remove(&end)).flatten();
        queue.unwrap_or_default().into_iter().map(|(_, open)| open).collect()
    }

    fn socket(&mut self, fd: Option<i32>) -> Socket {
        let slot = self.tasks.table().zip(fd).map(|(table, fd)| table.get(fd));
        match slot {
            Some(Slot::Open { open, .. }) => match self.opens[open].end {
                Some(end) => Socket::End(end),
                None if self.opens[open].inherited => Socket::Unknown,
                None => Socket::Other,
            },
            _ => Socket::Unknown,
        }
    }
}

/// The descriptors that a message passes; None for those that the log does not show.
fn passed<'a>(call: &Call<'a>) -> impl Iterator<Item = Option<i32>> + 'a {
    let words = call.flags.unwrap_or_default().split(|&byte| byte == b'|');
    words
        .skip_while(|word| *word != b"SCM_RIGHTS")
        .skip(1)
        .map(|word| std::str::from_utf8(word).ok()?.parse().ok())
}

#[cfg(test)]
mod tests;
