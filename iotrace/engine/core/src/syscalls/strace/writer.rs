//! Writes events as a log of strace.

use super::roles::{roles, Role};
use super::symbols;
use crate::syscalls::call::{Call, CallKind, DescriptorPath, End, Ended, Event, EventSink, FileKind};
use crate::syscalls::text;
use rustc_hash::FxHashMap;
use std::io::{self, Write};

const NS_PER_S: i64 = 1_000_000_000;
/// What stands for an argument that is not known.
const UNKNOWN: &[u8] = b"?";

/// Writes events as `strace -f --absolute-timestamps=format:unix,precision:ns --syscall-times=ns` does, in their order.
/// Arguments that are in no field of a call are `...`, unknown ones `?` or `NULL`, and what was read or written is `""...`.
/// Ends of tracing are left out, as strace writes them into the line of a call.
pub struct Writer<W: Write> {
    out: W,
    /// The time of the first event since 1970, to which times are added; None writes no times.
    zero_ns: Option<i64>,
    last_ns: i64,
    line: Vec<u8>,
    name: Vec<u8>,
    /// For threads in a call whose line stands before its return: its name, and how many arguments were written.
    begun: FxHashMap<i32, (Box<[u8]>, usize)>,
    left_out: u64,
    /// The first write error, after which nothing is written.
    failure: Option<io::Error>,
}

impl<W: Write> Writer<W> {
    /// Start a log.
    pub fn new(out: W, zero_ns: Option<i64>) -> Self {
        Writer {
            out,
            zero_ns,
            last_ns: 0,
            line: Vec::new(),
            name: Vec::new(),
            begun: FxHashMap::default(),
            left_out: 0,
            failure: None,
        }
    }

    /// How many ends of tracing were left out, or the first write error.
    pub fn finish(mut self) -> io::Result<u64> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.out.flush()?;
        Ok(self.left_out)
    }

    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        self.line.clear();
        match event {
            Event::Issued(call) => {
                self.begin(call.thread, call.time_ns);
                self.put(call.name);
                self.put(b"(");
                let shown = shown_at_entry(call.kind);
                self.arguments(call, 0, shown);
                self.put(b" <unfinished ...>\n");
                self.begun.insert(call.thread, (call.name.into(), shown));
            }
            Event::Returned(call) => {
                let begun = self.begun.remove(&call.thread);
                let has_returned =
                    call.result.is_some() || call.error.is_some() || call.duration_ns.is_some();
                if begun.is_some() && !has_returned {
                    // it never returned, and its line says so
                    return Ok(());
                }
                if let Some((_, shown)) = begun.filter(|(name, _)| **name == *call.name) {
                    let end_ns =
                        call.time_ns.zip(call.duration_ns).and_then(|(from, took)| from.checked_add(took));
                    // a duration ends a little before strace notes the return, so maybe before the line above
                    let after_ns = end_ns.filter(|&end_ns| self.since_1970(end_ns) >= self.last_ns);
                    self.begin(call.thread, after_ns);
                    self.put(b"<... ");
                    self.put(call.name);
                    self.put(b" resumed>");
                    self.arguments(call, shown, usize::MAX);
                } else {
                    self.begin(call.thread, call.time_ns);
                    self.put(call.name);
                    self.put(b"(");
                    self.arguments(call, 0, usize::MAX);
                }
                self.outcome(call);
            }
            Event::Ended(ended) => {
                if ended.how == End::Detached {
                    self.left_out += 1;
                    return Ok(());
                }
                self.begin(ended.thread, ended.time_ns);
                self.end(ended);
            }
        }
        self.out.write_all(&self.line)
    }

    /// The thread, and the time; a line without one has that of the line before.
    fn begin(&mut self, thread: i32, time_ns: Option<i64>) {
        self.number(i64::from(thread));
        self.put(b" ");
        if self.zero_ns.is_some() {
            let now_ns = time_ns.map_or(self.last_ns, |time_ns| self.since_1970(time_ns));
            self.last_ns = now_ns;
            // ten digits of seconds are a time since 1970
            let _ = write!(self.line, "{:010}.{:09} ", now_ns / NS_PER_S, now_ns % NS_PER_S);
        }
    }

    fn since_1970(&self, time_ns: i64) -> i64 {
        time_ns.saturating_add(self.zero_ns.unwrap_or(0)).max(0)
    }

    /// The arguments from one on, up to but without another.
    fn arguments(&mut self, call: &Call<'_>, from: usize, to: usize) {
        let roles = roles(call.kind);
        if roles.is_empty() && from == 0 {
            self.put(if has_no_arguments(call.kind) { b"" } else { b"..." });
        }
        let flags = Flags::of(call);
        let last = (0..roles.len()).rev().find(|&place| !may_be_left_out(call, place, &flags));
        for (place, &role) in roles.iter().enumerate().take(last.map_or(0, |last| last + 1)) {
            if place < from || place >= to {
                continue;
            }
            if place > 0 {
                self.put(b", ");
            }
            self.argument(call, role, &flags);
        }
    }

    fn argument(&mut self, call: &Call<'_>, role: Role, flags: &Flags<'_>) {
        match role {
            Role::Other => self.put(if moves_buffer(call.kind) { b"\"\"..." } else { b"..." }),
            Role::Fd => self.descriptor(call.fd, call.fd_path, no_descriptor(call.kind)),
            Role::Fd2 => self.descriptor(call.fd2, call.fd2_path, UNKNOWN),
            Role::Dir => self.descriptor(call.dirfd, call.dirfd_path, b"AT_FDCWD"),
            Role::Dir2 => self.descriptor(call.dirfd2, call.dirfd2_path, b"AT_FDCWD"),
            Role::First => self.descriptor(call.fd, None, UNKNOWN),
            Role::Last => self.descriptor(call.fd2, None, UNKNOWN),
            Role::Path => self.path(call.path, b"NULL"),
            Role::Path2 => self.path(call.path2, b"NULL"),
            Role::Answer => self.path(call.path2, b"\"\"..."),
            Role::Count => self.known(call.count),
            Role::Offset => self.known(call.offset),
            Role::OffsetPointer => self.pointer(call.offset),
            Role::Offset2Pointer => self.pointer(call.offset2),
            Role::SeekResult => self.pointer(call.result.filter(|&result| result >= 0)),
            Role::Flags(_) | Role::Command | Role::NodeKind => self.put(flags.first.unwrap_or(b"0")),
            Role::MoreFlags(_) | Role::CommandArgument => self.put(flags.rest.unwrap_or(b"0")),
            Role::NamedFlags(_) => {
                self.put(b"flags=");
                self.put(flags.first.unwrap_or(b"0"));
            }
            Role::StructFlags(_) => {
                self.put(b"{flags=");
                self.put(flags.first.unwrap_or(b"0"));
                self.put(b", ...}");
            }
            Role::Stat => self.stat(call, "st_mode", "st_size"),
            Role::Statx => self.stat(call, "stx_mode", "stx_size"),
            Role::Vector => match call.count {
                Some(count) => {
                    let _ = write!(self.line, "[{{iov_base=\"\"..., iov_len={count}}}]");
                }
                None => self.put(b"[...]"),
            },
            Role::Message => self.message(flags),
            Role::MessageFlags => self.put(flags.first.unwrap_or(b"0")),
            Role::Pair => {
                self.put(b"[");
                self.descriptor(call.fd, call.fd_path, UNKNOWN);
                self.put(b", ");
                self.descriptor(call.fd2, call.fd2_path, UNKNOWN);
                self.put(b"]");
            }
            Role::Arguments => self.put(call.arguments.unwrap_or(b"...")),
        }
    }

    fn outcome(&mut self, call: &Call<'_>) {
        self.put(b") = ");
        match call.result {
            None => self.put(UNKNOWN),
            Some(result) if call.kind == CallKind::Llseek && result >= 0 => self.put(b"0"),
            Some(result) if is_address(call.kind) && call.error.is_none() => {
                let _ = write!(self.line, "{result:#x}");
            }
            Some(result) => self.number(result),
        }
        if let Some(error) = call.error {
            self.put(b" ");
            self.put(error);
        }
        if let Some(duration_ns) = call.duration_ns {
            let _ = write!(self.line, " <{}.{:09}>", duration_ns / NS_PER_S, duration_ns % NS_PER_S);
        }
        self.put(b"\n");
    }

    fn end(&mut self, ended: &Ended<'_>) {
        let status = ended.status.unwrap_or(0);
        match ended.how {
            End::Exited => self.put(format!("+++ exited with {status} +++\n").as_bytes()),
            End::Superseded => self.put(format!("+++ superseded by execve in pid {status} +++\n").as_bytes()),
            End::Killed | End::Detached => {
                self.put(b"+++ killed by ");
                self.put(ended.signal.unwrap_or(b"SIG?"));
                self.put(b" +++\n");
            }
        }
    }

    fn descriptor(&mut self, number: Option<i32>, path: Option<DescriptorPath<'_>>, absent: &[u8]) {
        match number {
            Some(number) => self.number(i64::from(number)),
            None => self.put(absent),
        }
        if let Some(path) = path {
            self.put(b"<");
            self.quoted(path.path);
            self.put(if path.deleted { b">(deleted)" } else { b">" });
        }
    }

    fn path(&mut self, shown: Option<&[u8]>, absent: &[u8]) {
        match shown {
            Some(shown) => {
                self.put(b"\"");
                self.quoted(shown);
                self.put(b"\"");
            }
            None => self.put(absent),
        }
    }

    fn stat(&mut self, call: &Call<'_>, mode_member: &str, size_member: &str) {
        if call.file_kind.is_none() && call.size.is_none() {
            return self.put(b"...");
        }
        self.put(b"{");
        if let Some(kind) = call.file_kind {
            self.put(mode_member.as_bytes());
            self.put(b"=");
            self.put(mode(kind));
            self.put(b", ");
        }
        if let Some(bytes) = call.size {
            self.put(format!("{size_member}={bytes}, ").as_bytes());
        }
        self.put(b"...}");
    }

    /// The descriptors that a message passes.
    fn message(&mut self, flags: &Flags<'_>) {
        let Some(passed) = &flags.passed else { return self.put(b"...") };
        self.put(b"{msg_control=[{cmsg_level=SOL_SOCKET, cmsg_type=SCM_RIGHTS, cmsg_data=[");
        self.put(&passed.join(&b", "[..]));
        self.put(b"]}]}");
    }

    fn known(&mut self, number: Option<i64>) {
        match number {
            Some(number) => self.number(number),
            None => self.put(UNKNOWN),
        }
    }

    fn pointer(&mut self, number: Option<i64>) {
        match number {
            Some(number) => self.put(format!("[{number}]").as_bytes()),
            None => self.put(b"NULL"),
        }
    }

    fn number(&mut self, number: i64) {
        // writing to a vector cannot fail
        let _ = write!(self.line, "{number}");
    }

    fn put(&mut self, text: &[u8]) {
        self.line.extend_from_slice(text);
    }

    /// A table's text of a name, with its bytes escaped as in C.
    fn quoted(&mut self, shown: &[u8]) {
        self.name.clear();
        text::name_bytes(shown, &mut self.name);
        for &byte in &self.name {
            match byte {
                b'"' | b'\\' => self.line.extend_from_slice(&[b'\\', byte]),
                b'<' | b'>' => {
                    let _ = write!(self.line, "\\{byte:03o}");
                }
                b' '..=b'~' => self.line.push(byte),
                _ => {
                    let _ = write!(self.line, "\\{byte:03o}");
                }
            }
        }
    }
}

impl<W: Write> EventSink for Writer<W> {
    fn event(&mut self, event: Event<'_>) {
        if self.failure.is_none() {
            self.failure = self.write(&event).err();
        }
    }
}

/// A call's flags, as they are divided among its arguments.
struct Flags<'a> {
    first: Option<&'a [u8]>,
    rest: Option<&'a [u8]>,
    /// The descriptors that a message passes.
    passed: Option<Vec<&'a [u8]>>,
}

impl<'a> Flags<'a> {
    fn of(call: &Call<'a>) -> Flags<'a> {
        let Some(flags) = call.flags else { return Flags { first: None, rest: None, passed: None } };
        let divided_at = |at: usize| {
            let part = |text: &'a [u8]| (!text.is_empty()).then_some(text);
            Flags {
                first: part(&flags[..at]),
                rest: part(flags[at..].strip_prefix(b"|").unwrap_or(&flags[at..])),
                passed: None,
            }
        };
        match call.kind {
            CallKind::Mmap | CallKind::Mmap2 => {
                let words = flags.split(|&byte| byte == b'|').take_while(|word| word.starts_with(b"PROT_"));
                let bytes: usize = words.map(|word| word.len() + 1).sum();
                divided_at(bytes.saturating_sub(1))
            }
            CallKind::Fcntl | CallKind::Fcntl64 => {
                divided_at(memchr::memchr(b'|', flags).unwrap_or(flags.len()))
            }
            CallKind::Sendmsg | CallKind::Sendmmsg | CallKind::Recvmsg | CallKind::Recvmmsg => {
                const RIGHTS: &[u8] = b"SCM_RIGHTS";
                let at = memchr::memmem::find(flags, RIGHTS).unwrap_or(flags.len());
                let passed = flags.get(at + RIGHTS.len() + 1..).unwrap_or_default();
                let first = flags[..at].strip_suffix(b"|").filter(|first| !first.is_empty());
                Flags { first, rest: None, passed: Some(passed.split(|&byte| byte == b'|').collect()) }
            }
            _ => divided_at(flags.len()),
        }
    }
}

/// Whether an argument at the end is not written: it would be taken for one that is 0.
fn may_be_left_out(call: &Call<'_>, place: usize, flags: &Flags<'_>) -> bool {
    match roles(call.kind)[place] {
        // clone's flags may stand at any place, but stand at one
        Role::NamedFlags(_) => place > 0 || flags.first.is_none(),
        Role::Flags(_) | Role::NodeKind => flags.first.is_none(),
        Role::CommandArgument => flags.rest.is_none(),
        Role::Arguments => call.arguments.is_none(),
        _ => false,
    }
}

/// How many arguments are known when a call begins.
fn shown_at_entry(kind: CallKind) -> usize {
    let answers = |role: &Role| {
        matches!(role, Role::Answer | Role::SeekResult | Role::Stat | Role::Statx | Role::Pair)
            || matches!((role, kind), (Role::Message, CallKind::Recvmsg | CallKind::Recvmmsg))
    };
    let roles = roles(kind);
    roles.iter().position(answers).unwrap_or(roles.len())
}

fn has_no_arguments(kind: CallKind) -> bool {
    use CallKind as K;
    matches!(kind, K::Fork | K::Vfork | K::Sync | K::InotifyInit)
}

/// Whether the argument without a field is the memory that data move to or from.
fn moves_buffer(kind: CallKind) -> bool {
    use CallKind as K;
    matches!(kind, K::Read | K::Write | K::Pread64 | K::Pwrite64)
}

fn no_descriptor(kind: CallKind) -> &'static [u8] {
    if matches!(kind, CallKind::Mmap | CallKind::Mmap2) {
        b"-1"
    } else {
        UNKNOWN
    }
}

/// Whether the call returns an address.
fn is_address(kind: CallKind) -> bool {
    matches!(kind, CallKind::Mmap | CallKind::Mmap2)
}

/// A mode with the kind alone.
fn mode(kind: FileKind) -> &'static [u8] {
    if kind == FileKind::Anonymous {
        b"0"
    } else {
        symbols::node_flag(kind)
    }
}
