//! Prefixes, results, unfinished and resumed calls, ends and remarks.

use super::{at, call, events, read, skipped, text};
use crate::call::{Call, CallKind, End, Ended, Event};
use crate::strace::{Remark, Skip, TimeBase};

const CLOSE: &str = "close(3) = 0";

/// Thread and time of the call in a line with this prefix.
fn prefixed(prefix: &str) -> (i32, Option<i64>) {
    let call = call(format!("{prefix}{CLOSE}"));
    assert_eq!(
        (call.kind, call.fd, call.result),
        (CallKind::Close, Some(3), Some(0)),
        "{prefix}"
    );
    (call.thread, call.time_ns)
}

#[test]
fn pids() {
    assert_eq!(prefixed(""), (0, None));
    assert_eq!(prefixed("123   "), (123, None));
    assert_eq!(prefixed("1234567 "), (1_234_567, None));
    assert_eq!(prefixed("123<make> "), (123, None));
    assert_eq!(prefixed("123<a [b] \\74c\\76> "), (123, None));
    assert_eq!(prefixed("[pid   123] "), (123, None));
    assert_eq!(prefixed("[pid 12345<tmux: server>] "), (12345, None));
    assert_eq!(prefixed("[pid 12345<a] b>] "), (12345, None));
}

#[test]
fn times() {
    const SECOND: i64 = 1_000_000_000;
    let epoch = 1_795_225_281 * SECOND;
    let of_day = (101 * 60 + 21) * SECOND;
    assert_eq!(prefixed("01:41:21 "), (0, Some(of_day)));
    assert_eq!(
        prefixed("01:41:21.710416 "),
        (0, Some(of_day + 710_416_000))
    );
    assert_eq!(
        prefixed("3502  01:41:21.710 "),
        (3502, Some(of_day + 710_000_000))
    );
    assert_eq!(
        prefixed("3502  1795225281.424537 "),
        (3502, Some(epoch + 424_537_000))
    );
    assert_eq!(
        prefixed("3502  1795225281.424537891 "),
        (3502, Some(epoch + 424_537_891))
    );
    assert_eq!(prefixed("1795225281 "), (0, Some(epoch)));
    assert_eq!(prefixed("3502 1795225281 "), (3502, Some(epoch)));
    assert_eq!(prefixed("     0.000225 "), (0, Some(225_000)));
    assert_eq!(prefixed("3527       0.000225 "), (3527, Some(225_000)));
    assert_eq!(prefixed("3527      12 "), (3527, Some(12 * SECOND)));
    assert_eq!(prefixed("     7 "), (0, Some(7 * SECOND)));
    assert_eq!(prefixed("01:41:21 (+     0.000093) "), (0, Some(of_day)));
    assert_eq!(
        prefixed("9 1795225281.424537 (+     0.000093) "),
        (9, Some(epoch + 424_537_000))
    );
}

#[test]
fn numbers_addresses_and_contexts_are_passed_over() {
    assert_eq!(prefixed("[   3] "), (0, None));
    assert_eq!(prefixed("[00007f1062ede000] "), (0, None));
    assert_eq!(prefixed("[????????????????] "), (0, None));
    assert_eq!(
        prefixed("12 01:00:00 [   3] [00007f1062ede000] "),
        (12, Some(3_600_000_000_000))
    );
    assert_eq!(
        prefixed("12 [unconfined_u:unconfined_r:unconfined_t:s0-s0:c0.c1023] 01:00:00 "),
        (12, Some(3_600_000_000_000))
    );
}

#[test]
fn time_bases_and_resolutions() {
    for (log, base, resolution, first) in [
        ("close(3) = 0\n", TimeBase::None, None, None),
        (
            "1 00:00:02 close(3) = 0\n",
            TimeBase::OfDay,
            Some(1_000_000_000),
            Some(2_000_000_000),
        ),
        (
            "1 00:00:02.001 close(3) = 0\n",
            TimeBase::OfDay,
            Some(1_000_000),
            Some(2_001_000_000),
        ),
        (
            "1 1795225281.000001 close(3) = 0\n",
            TimeBase::Epoch,
            Some(1_000),
            Some(1_795_225_281_000_001_000),
        ),
        (
            "     0.000000001 close(3) = 0\n",
            TimeBase::Relative,
            Some(1),
            Some(1),
        ),
    ] {
        let (_, scanner) = read(log);
        assert_eq!(
            (
                scanner.time_base(),
                scanner.time_resolution_ns(),
                scanner.first_time_ns()
            ),
            (base, resolution, first)
        );
    }
}

fn call_times(log: &str) -> Vec<Option<i64>> {
    let calls = events(log).into_iter().filter_map(|event| match event {
        Event::Returned(call) => Some(call.time_ns),
        _ => None,
    });
    calls.collect()
}

#[test]
fn a_day_ends_at_midnight() {
    let times = call_times("23:59:59 close(3) = 0\n00:00:01 close(3) = 0\n23:00:00 close(3) = 0\n09:00:00 close(3) = 0\n");
    let hour = 3_600_000_000_000;
    let expected = [
        24 * hour - 1_000_000_000,
        24 * hour + 1_000_000_000,
        47 * hour,
        57 * hour,
    ];
    assert_eq!(times, expected.map(Some));
}

#[test]
fn a_clock_that_is_set_back_is_no_midnight() {
    let times = call_times("03:00:00 close(3) = 0\n02:00:00 close(3) = 0\n");
    assert_eq!(times, [Some(10_800_000_000_000), Some(7_200_000_000_000)]);
}

#[test]
fn differences_add_up_over_all_lines() {
    let log = "1     0.000000 close(3) = 0\n1     0.000010 --- SIGCHLD {si_signo=SIGCHLD} ---\n2     0.000005 close(3) = 0\n";
    assert_eq!(call_times(log), [Some(0), Some(15_000)]);
}

#[test]
fn a_line_that_is_no_event_does_not_set_the_clock() {
    let (events, scanner) = read("12 apples\n1 1795225281.000001 close(3) = 0\n");
    assert_eq!(scanner.time_base(), TimeBase::Epoch);
    assert_eq!(events.len(), 1);
}

#[test]
fn durations() {
    let duration = |tail: &str| call(format!("close(3) = 0{tail}")).duration_ns;
    assert_eq!(duration(""), None);
    assert_eq!(duration(" <0.000012>"), Some(12_000));
    assert_eq!(duration(" <3.000012345>"), Some(3_000_012_345));
    assert_eq!(duration(" <3>"), Some(3_000_000_000));
    assert_eq!(duration(" <0.012>"), Some(12_000_000));
    assert_eq!(call("wait4(-1, NULL, 0, NULL) = 7<9>").duration_ns, None);
}

#[test]
fn results() {
    let outcome = |tail: &str| {
        let call = call(format!("ioctl(3, TCGETS, {{c_iflag=ICRNL|IXON}}) {tail}"));
        (call.result, call.error)
    };
    assert_eq!(outcome("= 0"), (Some(0), None));
    assert_eq!(outcome("               = 5"), (Some(5), None));
    assert_eq!(outcome("= 0x7f1062ede000"), (Some(0x7f10_62ed_e000), None));
    assert_eq!(outcome("= 0xffffffffffffffff"), (Some(-1), None));
    assert_eq!(outcome("= 022"), (Some(0o22), None));
    assert_eq!(
        outcome("= -1 ENOENT (No such file or directory)"),
        (Some(-1), text("ENOENT"))
    );
    assert_eq!(
        outcome("= -1 ENOTTY (Inappropriate ioctl for device) <0.000004>"),
        (Some(-1), text("ENOTTY"))
    );
    assert_eq!(outcome("= -1 (errno 524)"), (Some(-1), text("errno 524")));
    assert_eq!(outcome("= ?"), (None, None));
    assert_eq!(outcome("= ? <unavailable>"), (None, None));
    for error in [
        "ERESTARTSYS",
        "ERESTARTNOINTR",
        "ERESTARTNOHAND",
        "ERESTART_RESTARTBLOCK",
    ] {
        let (result, name) = outcome(&format!("= ? {error} (To be restarted) <0.1>"));
        assert_eq!((result, name), (None, Some(error.as_bytes())));
    }
    assert_eq!(outcome("= 0 (Timeout)"), (Some(0), None));
    assert_eq!(outcome("= 1 (in [3])"), (Some(1), None));
    assert_eq!(
        outcome("= -1 EIO (Input/output error) (INJECTED)"),
        (Some(-1), text("EIO"))
    );
    assert_eq!(
        outcome("= 0x8001 (flags O_WRONLY|O_LARGEFILE)"),
        (Some(0x8001), None)
    );
}

#[test]
fn text_that_looks_like_an_end_is_none() {
    let line = r#"12714 1795226028.701728 wait4(12715, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 12715 <0.002385>"#;
    assert_eq!(call(line).result, Some(12715));
    let line = r#"12715 openat(AT_FDCWD</home/peer2/tp>, "a) = 7 <unfinished ...>", O_RDONLY) = 3</home/peer2/tp/a) = 7 \74unfinished ...\76> <0.000006>"#;
    let evil = call(line);
    assert_eq!(evil.path, text("a) = 7 <unfinished ...>"));
    assert_eq!(evil.fd_path, at("/home/peer2/tp/a) = 7 <unfinished ...>"));
    assert_eq!(
        (evil.result, evil.duration_ns, evil.flags),
        (Some(3), Some(6_000), text("O_RDONLY"))
    );
    let evil = call(r#"openat(AT_FDCWD, "q\", \"x", O_RDONLY) = 3</home/peer2/tp/q\", \"x>"#);
    assert_eq!(
        (evil.path, evil.fd_path),
        (text("q\", \"x"), at("/home/peer2/tp/q\", \"x"))
    );
    let evil = call(r#"read(3</tmp/a, (b) = 1>, "x) = 9\\", 10) = 2"#);
    assert_eq!(
        (evil.fd_path, evil.count, evil.result),
        (at("/tmp/a, (b) = 1"), Some(10), Some(2))
    );
}

#[test]
fn a_call_in_two_halves() {
    let log = "7 1.000000 wait4(-1,  <unfinished ...>\n\
               8 1.100000 close(3) = 0\n\
               7 0.200000 <... wait4 resumed>[{WIFEXITED(s)}], 0, NULL) = 8 <0.300000>\n";
    let events = events(log);
    let [Event::Issued(issued), Event::Returned(close), Event::Returned(returned)] =
        events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!(
        (issued.seq, issued.name, issued.result, issued.time_ns),
        (0, &b"wait4"[..], None, Some(1_000_000_000))
    );
    assert_eq!((close.seq, close.seq_return), (1, 1));
    assert_eq!(
        (returned.seq, returned.seq_return, returned.thread),
        (0, 2, 7)
    );
    assert_eq!(
        (returned.result, returned.duration_ns),
        (Some(8), Some(300_000_000))
    );
    assert_eq!(returned.time_ns, Some(1_000_000_000));
}

#[test]
fn halves_are_merged() {
    let log = "7 1795225281.000001 read(3</x>,  <unfinished ...>\n7 1795225281.000007 <... read resumed>\"abc\"..., 4096) = 100\n";
    let events = events(log);
    let [Event::Issued(issued), Event::Returned(returned)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(
        (issued.fd, issued.fd_path, issued.count),
        (Some(3), at("/x"), None)
    );
    assert_eq!(
        (returned.fd, returned.fd_path, returned.count),
        (Some(3), at("/x"), Some(4096))
    );
    assert_eq!(
        returned.duration_ns,
        Some(6_000),
        "without -T it is the time between the lines"
    );
}

#[test]
fn older_resumed_forms() {
    let log = "7 vfork( <unfinished ...>\n7 <... vfork resumed> ) = 8\n7 read(3, <unfinished ...>\n7 <... read resumed> \"a\", 5) = 1\n";
    let results: Vec<_> = events(log)
        .into_iter()
        .filter_map(|event| match event {
            Event::Returned(Call { result, count, .. }) => Some((result, count)),
            _ => None,
        })
        .collect();
    assert_eq!(results, [(Some(8), None), (Some(1), Some(5))]);
}

#[test]
fn killed_within_a_call() {
    for log in [
        "7 read(3,  <unfinished ...>) = ?\n7 +++ killed by SIGKILL +++\n",
        "7 read(3,  <unfinished ...>\n7 <... read resumed> <unfinished ...>) = ?\n7 +++ killed by SIGKILL +++\n",
        "7 read(3,  <unfinished ...>\n7 +++ killed by SIGKILL +++\n",
    ] {
        let events = events(log);
        let [.., Event::Returned(call), Event::Ended(ended)] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((call.fd, call.result, call.error), (Some(3), None, None), "{log}");
        assert_eq!((ended.how, ended.signal), (End::Killed, text("SIGKILL")));
    }
}

#[test]
fn a_call_that_never_returns_comes_at_the_end() {
    let events = events("7 read(3,  <unfinished ...>\n8 close(4) = 0\n");
    let [Event::Issued(_), Event::Returned(close), Event::Returned(read)] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!((close.fd, read.fd, read.result), (Some(4), Some(3), None));
    assert_eq!((read.seq, read.seq_return), (0, 2));
}

#[test]
fn detached() {
    let events = events("7 1795225281.5 read(3,  <detached ...>\n");
    let [Event::Returned(call), Event::Ended(ended)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!((call.fd, call.result), (Some(3), None));
    assert_eq!((ended.how, ended.thread), (End::Detached, 7));
}

#[test]
fn ends() {
    let end = |line: &str| match events(line).as_slice() {
        [Event::Ended(ended)] => ended.clone(),
        other => panic!("{other:?}"),
    };
    let exited = end("7 00:00:01 +++ exited with 3 +++");
    let expected = Ended {
        seq: 0,
        time_ns: Some(1_000_000_000),
        thread: 7,
        how: End::Exited,
        status: Some(3),
        signal: None,
    };
    assert_eq!(exited, expected);
    assert_eq!(
        end("+++ killed by SIGSEGV (core dumped) +++").signal,
        text("SIGSEGV")
    );
}

#[test]
fn exec_of_a_thread_that_is_not_the_first() {
    let log = "8 execve(\"/bin/true\", [\"true\"], 0x7ffd /* 3 vars */ <unfinished ...>\n\
               7 +++ superseded by execve in pid 8 +++\n\
               7 <... execve resumed>) = 0\n";
    let events = events(log);
    let [Event::Issued(issued), Event::Ended(ended), Event::Returned(exec)] = events.as_slice()
    else {
        panic!("{events:?}")
    };
    assert_eq!(
        (issued.thread, exec.thread, exec.path, exec.result),
        (8, 7, text("/bin/true"), Some(0))
    );
    assert_eq!(
        (ended.thread, ended.how, ended.status),
        (7, End::Superseded, Some(8))
    );
}

#[test]
fn exec_of_such_a_thread_in_a_log_of_its_own() {
    let events =
        events("execve(\"/bin/true\", [\"true\"], 0x7ffd /* 3 vars */ <pid changed to 7 ...>\n");
    let [Event::Issued(exec), Event::Returned(_)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(exec.path, text("/bin/true"));
}

#[test]
fn remarks() {
    let log = "7 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=8} ---\n7 --- stopped by SIGTTOU ---\n\n\
               strace: Process 8 attached\nProcess 9 attached\nProcess 8 detached\n\
               strace: [ Process PID=7 runs in 32 bit mode. ]\n\
               [ Process PID=7 runs in 32 bit mode. ]\n/usr/bin/strace: Process 8 attached\n8 <... clone resumed>) = 0\n";
    let (events, scanner) = read(log);
    assert_eq!(events, []);
    let counts = Remark::ALL.map(|kind| scanner.tally().remarks(kind));
    assert_eq!(counts, [2, 6, 1, 1, 0, 0, 0]);
}

#[test]
fn stacks_and_summaries() {
    let log = "close(3) = 0\n > /lib/libc.so.6(read+0xe) [0xea8de]\n\
               % time     seconds  usecs/call     calls    errors syscall\n\
               ------ ----------- ----------- --------- --------- ----------------\n \
               50.00    0.000012           0       123           close\n\
               100.00    0.000024           0       123         1 total\n";
    let (events, scanner) = read(log);
    assert_eq!(events.len(), 1);
    assert_eq!(scanner.tally().skipped_lines(), 0);
    assert_eq!(scanner.tally().remarks(Remark::StackFrame), 1);
    assert_eq!(scanner.tally().remarks(Remark::Summary), 4);
}

#[test]
fn unknown_calls_keep_their_name() {
    let unknown = call("syscall_0x1c3(0x1, 0x2, 0, 0, 0, 0) = 5");
    assert_eq!(
        (unknown.kind, unknown.name, unknown.result),
        (CallKind::Other, &b"syscall_0x1c3"[..], Some(5))
    );
    assert_eq!(call("????(0x1) = 5").name, b"????");
    assert_eq!(
        call("restart_syscall(<... resuming interrupted read ...>) = 0").result,
        Some(0)
    );
    assert_eq!(
        call("capset({pid=0}, {effective=1<<CAP_CHOWN|1<<CAP_KILL, permitted=0}) = 0").result,
        Some(0)
    );
}

#[test]
fn carriage_returns_and_trailing_spaces_do_not_matter() {
    assert_eq!(call("close(3) = 0\r\n").result, Some(0));
}

#[test]
fn what_is_not_understood_is_counted_by_reason() {
    assert_eq!(skipped("hello, world"), Skip::NotACall);
    assert_eq!(skipped("12 +++ vanished +++"), Skip::NotACall);
    assert_eq!(skipped("printf(hello)"), Skip::NoResult);
    assert_eq!(skipped("7 read(3, \"abc"), Skip::CutShort);
    assert_eq!(skipped("7 read(3, \"abc\", 5"), Skip::CutShort);
    assert_eq!(skipped("7 close(3"), Skip::CutShort);
    assert_eq!(skipped("7 close(3)"), Skip::NoResult);
    assert_eq!(skipped("7 close(3) ="), Skip::NoResult);
    assert_eq!(skipped("7 close(99999999999) = 0"), Skip::BadDescriptor);
    assert_eq!(
        skipped("7 read(3, \"\", 99999999999999999999999) = 0"),
        Skip::NumberOutOfRange
    );
    assert_eq!(
        skipped("7 read(3, \"\", 5) = 99999999999999999999"),
        Skip::NumberOutOfRange
    );
    assert_eq!(
        skipped("99999999999 +++ exited with 0 +++\n99999999999999999999999 close(3) = 0"),
        Skip::NumberOutOfRange
    );
    assert_eq!(skipped("9 25:00:00 close(3) = 0"), Skip::NumberOutOfRange);
    assert_eq!(
        skipped("7 <... read resumed>\"\", 5) = 0"),
        Skip::ResumedWithoutUnfinished
    );
}

#[test]
fn a_skipped_line_is_shown_with_its_number() {
    let (_, scanner) = read(b"close(3) = 0\nwhat \x1b[31m is \xff this\nclose(4) = 0\nand this\n");
    let skipped = scanner.tally().skipped(Skip::NotACall);
    assert_eq!((skipped.lines, skipped.first_line), (2, 2));
    assert_eq!(skipped.excerpt, r"what \u{1b}[31m is \xff this");
}

#[test]
fn the_flags_of_the_log() {
    let flags = |log: &str| read(log).1.flags();
    assert_eq!(flags("close(3) = 0\n"), "");
    assert_eq!(
        flags("7 1795225281.000001 close(3</x>) = 0 <0.1>\n"),
        "-f -ttt -T -y"
    );
    assert_eq!(
        flags("7 01:02:03 close(3<TCP:[1.2.3.4:5->6.7.8.9:80]>) = 0\n"),
        "-f -t -yy"
    );
    assert_eq!(
        flags("     0.000001 close(1</dev/null<char 1:3>>) = 0\n"),
        "-r -yy"
    );
    assert_eq!(
        flags("1795225281.000001002 close(1) = 0\n"),
        "--absolute-timestamps=format:unix,precision:ns"
    );
}

#[test]
fn no_call_moves_more_than_linux_lets_it() {
    let most = i64::from(i32::MAX);
    assert_eq!(
        call(format!("read(3, \"\", {most}) = {most}")).result,
        Some(most)
    );
    let more = format!("write(3, \"\", {0}) = {0}", most + 1);
    assert_eq!(skipped(&more), Skip::NumberOutOfRange);
    let sought = format!("lseek(3, {0}, SEEK_SET) = {0}", most + 1);
    assert_eq!(call(sought).result, Some(most + 1));
}
