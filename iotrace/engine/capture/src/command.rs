//! The command that is recorded: its start, its user, the signals that it and the recorder get, and its end.

use crate::clocks::now_ns;
use crate::plan::{Plan, Refusal, Subject};
use crate::programs::Maps;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicI64, Ordering};
use std::time::Instant;

/// A shell gives a command that a signal ends this status and the signal's number.
const SIGNAL_STATUS: i32 = 128;

/// The command, if there is one.
#[derive(Debug, Default)]
pub(crate) struct Started {
    pub child: Option<Child>,
    /// The status that a shell would give, once it has ended.
    pub status: Option<i32>,
}

impl Started {
    /// Whether the recording is to end: after its time, with the program that started the recorder, once all recorded
    /// processes have ended or their cgroup is removed, or with a signal that is not for the command.
    pub fn is_over(&mut self, plan: &Plan, maps: &Maps, began: Instant) -> bool {
        let is_late = plan.seconds.is_some_and(|seconds| began.elapsed().as_secs_f64() >= seconds);
        if is_late || IS_ORPHAN.load(Ordering::Relaxed) {
            return true;
        }
        if let Some(child) = self.child.as_mut().filter(|_| self.status.is_none()) {
            match child.try_wait() {
                Ok(None) => return false,
                Ok(Some(status)) => self.status = Some(shell_status(status)),
                Err(_) => self.status = Some(1),
            }
            // signals that came before were the command's
            SIGNAL.store(0, Ordering::Relaxed);
            CHILD.store(0, Ordering::Relaxed);
        }
        let all_have_ended = match &plan.subject {
            Subject::Command(_) | Subject::Processes(_) => maps.processes.is_empty(),
            Subject::Cgroup(folder) => !folder.is_dir(),
            Subject::System => false,
        };
        all_have_ended || SIGNAL.load(Ordering::Relaxed) != 0
    }
}

fn shell_status(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| SIGNAL_STATUS + status.signal().unwrap_or(0))
}

/// A number of a descriptor that no process has, and that differs between recorders.
pub(crate) fn greeting_descriptor() -> i32 {
    const ABOVE_ALL: u32 = 1 << 30;
    let own = (now_ns() as u32).rotate_left(16) ^ std::process::id();
    (ABOVE_ALL | (own % ABOVE_ALL)) as i32
}

/// Start a command, which closes a descriptor before, so that programs can see which process it is.
pub(crate) fn started(words: &[OsString], user: Option<u32>, descriptor: i32) -> Result<Child, Refusal> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    // SAFETY: after fork only system calls are made
    unsafe {
        command.pre_exec(move || {
            libc::syscall(libc::SYS_close, descriptor);
            match user {
                Some(user) if libc::setresuid(user, user, user) != 0 => Err(io::Error::last_os_error()),
                _ => Ok(()),
            }
        });
    }
    let name = words[0].to_string_lossy().into_owned();
    let child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Refusal::NoCommand(format!("{name}: command not found")),
        io::ErrorKind::PermissionDenied => {
            Refusal::NotExecuted(format!("{name}: cannot be executed: Permission denied"))
        }
        _ => Refusal::NotExecuted(format!("{name}: cannot be executed: {error}")),
    })?;
    CHILD.store(child.id() as i32, Ordering::Relaxed);
    Ok(child)
}

/// Act as this user, until rights are taken back.
pub fn become_for_files(user: Option<u32>) {
    if let Some(user) = user {
        // SAFETY: it takes a number
        unsafe { libc::seteuid(user) };
    }
}

/// Be root again, whose rights are kept.
pub fn take_rights_back(user: Option<u32>) {
    if user.is_some() {
        // SAFETY: it takes a number
        unsafe { libc::seteuid(0) };
    }
}

/// Become the user of the command for good. Kernels before 5.19 let only root read maps, where
/// kernel.unprivileged_bpf_disabled is set: there the recorder stays root.
pub(crate) fn give_up_rights(user: Option<u32>, maps: &Maps) {
    let Some(number) = user else { return };
    become_for_files(user);
    if maps.lost().is_ok() {
        // SAFETY: it takes numbers
        unsafe { libc::setresuid(number, number, number) };
    } else {
        take_rights_back(user);
    }
}

/// The last signal that came, 0 if none did.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// The command's process, 0 if there is none.
static CHILD: AtomicI32 = AtomicI32::new(0);
/// Whether the program that started the recorder has ended.
static IS_ORPHAN: AtomicBool = AtomicBool::new(false);

/// Sent by the kernel as the program ends that started the recorder.
const PARENT_ENDED: libc::c_int = libc::SIGUSR1;

extern "C" fn on_end_of_parent(_: libc::c_int) {
    IS_ORPHAN.store(true, Ordering::Relaxed);
}

/// End the recording, and not the command, with the program that started the recorder. A change of user undoes it.
pub(crate) fn end_with_parent() {
    // SAFETY: the handler only stores a number, and prctl takes numbers
    unsafe {
        libc::signal(PARENT_ENDED, on_end_of_parent as *const () as libc::sighandler_t);
        libc::prctl(libc::PR_SET_PDEATHSIG, PARENT_ENDED);
    }
}

/// When the recorder last got SIGINT or SIGQUIT itself, in ns of the monotonic clock; 0 if it did not.
static INTERRUPTED_NS: AtomicI64 = AtomicI64::new(0);
/// Who started the recorder gets what a terminal sends, too, and passes it on within this time.
const PASSED_ON_WITHIN_NS: i64 = 1_000_000_000;

extern "C" fn on_signal(number: libc::c_int, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
    SIGNAL.store(number, Ordering::Relaxed);
    let child = CHILD.load(Ordering::Relaxed);
    let is_interrupt = matches!(number, libc::SIGINT | libc::SIGQUIT);
    // SAFETY: the kernel gives handlers with SA_SIGINFO what it knows of the signal, and getppid only returns a number
    let is_passed_on = unsafe { (*about).si_code == libc::SI_USER && (*about).si_pid() == libc::getppid() };
    if child != 0 && !(is_interrupt && has_command_got_it(is_passed_on)) {
        // SAFETY: kill may be called in handlers of signals
        unsafe { libc::kill(child, number) };
    }
}

/// Whether an interrupt was sent to all processes in front of a terminal or of a group, so to the command, too.
fn has_command_got_it(is_passed_on: bool) -> bool {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: clock_gettime writes to what it is given, and may be called in handlers of signals
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    let now_ns = now.tv_sec * 1_000_000_000 + now.tv_nsec;
    let before_ns = INTERRUPTED_NS.swap(if is_passed_on { 0 } else { now_ns }, Ordering::Relaxed);
    !is_passed_on || before_ns != 0 && now_ns - before_ns < PASSED_ON_WITHIN_NS
}

const SIGNALS: [libc::c_int; 4] = [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP];

/// Pass signals on to the command, or end the recording of running processes with them.
pub fn handle_signals() {
    for number in SIGNALS {
        // SAFETY: the handler only stores numbers and calls kill and clock_gettime
        unsafe {
            let mut former: libc::sigaction = std::mem::zeroed();
            libc::sigaction(number, std::ptr::null(), &raw mut former);
            // ignored, as nohup asks, it is so for the command, too
            if former.sa_sigaction != libc::SIG_IGN {
                let mut ours: libc::sigaction = std::mem::zeroed();
                ours.sa_sigaction = on_signal as *const () as libc::sighandler_t;
                ours.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                libc::sigaction(number, &raw const ours, std::ptr::null_mut());
            }
        }
    }
}
