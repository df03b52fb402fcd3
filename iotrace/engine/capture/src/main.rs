//! The program that `iotrace record` runs: it alone needs the right to load BPF programs.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("iotrace-capture: recording needs Linux");
    ExitCode::from(2)
}

#[cfg(target_os = "linux")]
mod linux {
    use iotrace_capture::command;
    use iotrace_capture::disks::{number_of, Part};
    use iotrace_capture::json::quoted;
    use iotrace_capture::plan::{Plan, Refusal, Rotation, Subject};
    use iotrace_capture::sample::FileSample;
    use iotrace_capture::session;
    use iotrace_capture::under_calls::Groups;
    use std::ffi::OsString;
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::PathBuf;
    use std::process::ExitCode;
    use std::time::Duration;

    const USAGE: &str = "\
usage: iotrace-capture --check | --version
       iotrace-capture -o FILE [OPTIONS] -- COMMAND...
       iotrace-capture -o FILE [OPTIONS] --pid PID [--pid PID...] | --cgroup FOLDER | --system
       iotrace-capture --totals SECONDS [-o FILE] [OPTIONS] ...
options: [--result FILE] [--uid N] [--seconds N] [--max-bytes N] [--no-durations] [--no-arguments] [--off-cpu] [--stacks] [--kernel]
         [--sample-files PER_MILLION]
         [--block [--device MAJOR:MINOR[:FIRST:BLOCKS]]...] [--rotate SECONDS] [--ring-mb N]

Records system calls into FILE, which must not exist or be empty. iotrace record runs this. --totals prints a line of JSON
at each interval of this length, and at the end; iotrace top runs this.
--block records requests to disks instead, of the whole machine; --device those of a disk, or of blocks of 512 bytes of it.
--rotate begins a new file after each such time, FILE-2, FILE-3, ..., and prints a line of JSON for each that is whole.
--sample-files records the calls on some files only, this share of them, and those that change names and processes.
--check says whether recording is possible here. --result writes what was recorded, or why nothing was, as JSON.";

    const USAGE_STATUS: u8 = 2;
    const NOT_EXECUTED_STATUS: u8 = 126;
    const NO_COMMAND_STATUS: u8 = 127;
    /// Nothing was recorded; env, nohup and timeout have this status for their own failures.
    const FAILED_STATUS: u8 = 125;
    const PRIVATE: u32 = 0o600;

    struct Arguments {
        output: PathBuf,
        result: Option<PathBuf>,
        plan: Plan,
    }

    pub fn main() -> ExitCode {
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        if words == ["--check"] {
            return match session::refusal() {
                None => ExitCode::SUCCESS,
                Some(why) => {
                    println!("{why}");
                    ExitCode::from(FAILED_STATUS)
                }
            };
        }
        if words == ["--version"] {
            println!("{}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        let Some(arguments) = parse(&words) else {
            eprintln!("{USAGE}");
            return ExitCode::from(USAGE_STATUS);
        };
        command::handle_signals();
        let user = arguments.plan.user;
        // the files are those of the caller
        command::become_for_files(user);
        let file =
            OpenOptions::new().read(true).write(true).create(true).mode(PRIVATE).open(&arguments.output);
        command::take_rights_back(user);
        let recorded = file.map_err(Refusal::Output).and_then(|file| session::record(&arguments.plan, file));
        command::become_for_files(user);
        let (text, status) = match recorded {
            Ok(outcome) => (outcome.json() + "\n", outcome.status as u8),
            Err(refusal) => refused(&refusal, &arguments),
        };
        if let Some(result) = &arguments.result {
            let file = OpenOptions::new().write(true).create(true).truncate(true).mode(PRIVATE).open(result);
            if file.and_then(|mut file| file.write_all(text.as_bytes())).is_err() {
                return ExitCode::from(FAILED_STATUS);
            }
        }
        ExitCode::from(status)
    }

    fn parse(words: &[OsString]) -> Option<Arguments> {
        let (mut output, mut result) = (None, None);
        let mut subjects = Vec::new();
        let mut processes = Vec::new();
        let mut plan = Plan {
            subject: Subject::System,
            seconds: None,
            most_bytes: None,
            user: None,
            durations: true,
            arguments: true,
            groups: Groups::default(),
            requests: None,
            ring_bytes: 64 << 20,
            totals: None,
            keeps: true,
            sample: None,
            rotation: None,
        };
        let mut rotate = None;
        let mut parts = Vec::new();
        let mut words = words.iter();
        let number = |word: Option<&OsString>| word?.to_str()?.parse::<u32>().ok();
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("-o") => output = words.next().map(PathBuf::from),
                Some("--result") => result = words.next().map(PathBuf::from),
                Some("--no-durations") => plan.durations = false,
                Some("--no-arguments") => plan.arguments = false,
                Some("--off-cpu") => plan.groups.scheduler = true,
                Some("--stacks") => {
                    plan.groups.scheduler = true;
                    plan.groups.stacks = true;
                }
                Some("--kernel") => {
                    plan.groups = Groups { scheduler: true, kernel: true, disks: true, ..plan.groups };
                }
                Some("--totals") => {
                    let seconds: f64 = words.next()?.to_str()?.parse().ok()?;
                    plan.totals = Some(Duration::try_from_secs_f64(seconds).ok()?);
                    plan.groups.page_cache = true;
                }
                Some("--block") => plan.requests = Some(Vec::new()),
                Some("--rotate") => {
                    let seconds: f64 = words.next()?.to_str()?.parse().ok()?;
                    rotate =
                        Some(Duration::try_from_secs_f64(seconds).ok().filter(|every| !every.is_zero())?);
                }
                Some("--sample-files") => plan.sample = FileSample::new(number(words.next())?),
                Some("--device") => parts.push(part(words.next()?.to_str()?)?),
                Some("--pid") => processes.push(number(words.next())?),
                Some("--cgroup") => subjects.push(Subject::Cgroup(PathBuf::from(words.next()?))),
                Some("--system") => subjects.push(Subject::System),
                Some("--seconds") => {
                    let seconds: f64 = words.next()?.to_str()?.parse().ok()?;
                    plan.seconds = Some(seconds).filter(|seconds| *seconds >= 0.0);
                }
                Some("--uid") => plan.user = Some(number(words.next())?),
                Some("--max-bytes") => plan.most_bytes = Some(words.next()?.to_str()?.parse().ok()?),
                Some("--ring-mb") => {
                    let megabytes =
                        number(words.next()).filter(|megabytes| (1..=1024).contains(megabytes))?;
                    plan.ring_bytes = megabytes.next_power_of_two() << 20;
                }
                Some("--") => subjects.push(Subject::Command(words.by_ref().cloned().collect())),
                _ => return None,
            }
        }
        if !processes.is_empty() {
            subjects.push(Subject::Processes(processes));
        }
        plan.subject = subjects.pop()?;
        match &mut plan.requests {
            Some(requests) => *requests = parts,
            None if parts.is_empty() => {}
            None => return None,
        }
        if output.is_none() && plan.totals.is_some() {
            plan.keeps = false;
            output = Some(PathBuf::from("/dev/null"));
        }
        if let (Some(every), Some(output)) = (rotate, &output) {
            plan.rotation = Some(Rotation { every, output: output.clone() });
        }
        // a command ends, and what is under calls is not divided between recordings
        let is_divided = plan.requests.is_some()
            || plan.groups == Groups::default() && !matches!(plan.subject, Subject::Command(_));
        if plan.rotation.is_some() && !is_divided {
            return None;
        }
        // only beginnings of calls show what descriptors refer to
        if plan.sample.is_some() && !plan.durations {
            return None;
        }
        let is_empty = matches!(&plan.subject, Subject::Command(words) if words.is_empty());
        Some(Arguments { output: output.filter(|_| subjects.is_empty() && !is_empty)?, result, plan })
    }

    /// `MAJOR:MINOR`, or `MAJOR:MINOR:FIRST:BLOCKS`.
    fn part(word: &str) -> Option<Part> {
        let numbers: Vec<u64> = word.split(':').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        let (major, minor, first, blocks) = match numbers[..] {
            [major, minor] => (major, minor, 0, u64::MAX),
            [major, minor, first, blocks] => (major, minor, first, blocks),
            _ => return None,
        };
        Some(Part { disk: number_of(major.try_into().ok()?, minor.try_into().ok()?), first, blocks })
    }

    fn refused(refusal: &Refusal, arguments: &Arguments) -> (String, u8) {
        let (kind, text, status) = match refusal {
            Refusal::NotHere(why) => ("not_here", why.clone(), FAILED_STATUS),
            Refusal::NoCommand(why) => ("no_command", why.clone(), NO_COMMAND_STATUS),
            Refusal::NotExecuted(why) => ("not_executed", why.clone(), NOT_EXECUTED_STATUS),
            Refusal::NoProcess(why) => ("no_process", why.clone(), FAILED_STATUS),
            Refusal::Output(error) => {
                ("output", format!("{}: {error}", arguments.output.display()), FAILED_STATUS)
            }
        };
        if arguments.result.is_none() {
            eprintln!("iotrace-capture: {text}");
        }
        (format!("{{\"refused\": \"{kind}\", \"why\": {}}}\n", quoted(text.as_bytes())), status)
    }
}
