//! Logs that no kernel can produce: results are finite, in proportion to the log, and consistent.

#![allow(clippy::unwrap_used)]

mod in_memory;

use in_memory::{as_ultrix, check, tables, take_in, Tables};
use iotrace_core::reconstruct::file_table::Model;

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

fn impossible_calls(tables: &Tables) -> i64 {
    tables.report.as_ref().unwrap().seen.impossible_calls
}

fn paths(tables: &Tables) -> Vec<&str> {
    let of_files = tables.files.iter().filter(|file| file.kind != "inode");
    of_files.filter_map(|file| file.path_last.as_deref()).collect()
}

#[test]
fn a_directory_does_not_move_below_itself() {
    let result = tables(concat!(
        "1 mkdir(\"/a\", 0777) = 0\n",
        "1 rename(\"/a\", \"/a/b\") = 0\n",
        "1 mkdir(\"/a/b\", 0777) = 0\n",
        "1 renameat2(AT_FDCWD, \"/a/b\", AT_FDCWD, \"/a\", RENAME_EXCHANGE) = 0\n",
        "1 openat(AT_FDCWD, \"/a/b/c\", O_RDONLY) = 3\n",
    ));
    assert_eq!(impossible_calls(&result), 2);
    assert_eq!(paths(&result), ["/", "/a", "/a/b", "/a/b/c"]);
}

#[test]
fn a_directory_is_not_linked_below_itself() {
    let result = tables(concat!(
        "1 link(\"d\", \"d/d\") = 0\n",
        "1 link(\"/\", \"/x\") = 0\n",
        "1 link(\"d\", \"/e\") = 0\n",
        "1 getcwd(\"/e\", 4096) = 3\n",
        "1 openat(AT_FDCWD, \"d/d/d/d/f\", O_RDONLY) = 3\n",
        "1 chdir(\"..\") = 0\n",
        "1 getcwd(\"/e/d/d\", 4096) = 7\n",
        "1 openat(AT_FDCWD, \"../../f\", O_RDONLY) = 4\n",
    ));
    assert!(result.files.len() < 40);
}

#[test]
fn contradicting_working_directories_end() {
    let answers = ["/", "/a", "/a/b", "/a/b/a", "/b/a"];
    let result = tables(&lines(2000, |at| {
        let (thread, answer) = (at % 37, answers[at * 7 % answers.len()]);
        match at % 4 {
            0 => format!("{thread} chdir(\"{}\") = 0", [".", "..", "a", "../b"][at / 4 % 4]),
            1 => format!("{thread} rename(\"a\", \"../b\") = 0"),
            2 => format!("{thread} mkdir(\"a\", 0777) = 0"),
            _ => format!("{thread} getcwd(\"{answer}\", 4096) = {}", answer.len() + 1),
        }
    }));
    assert!(result.files.len() < 5000);
}

#[test]
fn a_long_path_is_no_path() {
    let log =
        format!("1 openat(AT_FDCWD, \"{}\", O_RDONLY) = 3\n1 read(3, \"x\", 1) = 1\n", "a/".repeat(100_000));
    let result = tables(&log);
    assert_eq!(impossible_calls(&result), 1);
    // only the descriptor, whose open is no longer in the log
    assert_eq!(paths(&result), ["fd:1:3"]);
}

#[test]
fn the_way_up_ends() {
    let up = "../".repeat(1300);
    let result = tables(&lines(60, |_| format!("1 chdir(\"{up}\") = 0")));
    assert!(result.files.len() < 10_000, "{} directories", result.files.len());
    let longest = result.files.iter().filter_map(|file| file.path.as_ref()).map(String::len).max();
    assert!(longest < Some(100));
}

#[test]
fn a_deep_tree_has_no_longer_paths_than_it_needs() {
    let down = "d/".repeat(1300);
    let result = tables(&lines(20, |_| format!("1 chdir(\"{down}\") = 0")));
    let known = result.files.iter().filter(|file| file.path.is_some()).count();
    assert_eq!(known, 4096 + 1);
}

#[test]
fn symbolic_links_that_lead_to_each_other_end() {
    let result = tables(concat!(
        "1 symlink(\"/m\", \"/l\") = 0\n",
        "1 symlink(\"/l/x\", \"/m\") = 0\n",
        "1 openat(AT_FDCWD, \"/l\", O_RDONLY) = 3\n",
        "1 openat(AT_FDCWD, \"/m/y\", O_RDONLY) = -1 ELOOP (Too many levels of symbolic links)\n",
    ));
    assert_eq!(result.report.as_ref().unwrap().seen.symbolic_link_loops, 2);
}

#[test]
fn wide_ranges_of_descriptors_take_no_longer() {
    let result = tables(&lines(5000, |at| match at % 5 {
        0 => "1 dup2(0, 2147483647) = 2147483647".to_string(),
        1 => "1 close_range(3, 4294967295, 0) = 0".to_string(),
        2 => format!("1 close_range({}, 2147483646, CLOSE_RANGE_CLOEXEC) = 0", at % 7),
        3 => "1 close_range(5, 2147483646, 0) = 0".to_string(),
        _ => format!("1 dup2(0, {}) = {}", 1000 + at % 100, 1000 + at % 100),
    }));
    assert_eq!(paths(&result), ["fd:1:0"]);
}

#[test]
fn threads_that_wait_for_each_other_are_not_nested() {
    // two forks are in progress, so each of these threads waits for its parent, which also waits
    let mut log = lines(2, |at| format!("{} close(9) = 0", at + 1));
    log += &lines(2, |at| format!("{} vfork( <unfinished ...>", at + 1));
    log += &lines(50_000, |at| format!("{} fork() = {}", at + 10, at + 11));
    log += "1 <... vfork resumed>) = 10\n";
    let result = tables(&log);
    assert_eq!(result.processes.len(), 2 + 50_001);
    assert_eq!(result.report.as_ref().unwrap().seen.threads_of_unknown_parent, 1);
}

#[test]
fn many_forks_under_way_take_no_more_than_their_number() {
    let mut log = lines(20_000, |at| format!("{} close(9) = 0", at + 1));
    log += &lines(20_000, |at| format!("{} vfork( <unfinished ...>", at + 1));
    log += &lines(100_000, |at| format!("{} read(0, \"x\", 1) = 1", at + 30_000));
    let result = tables(&log);
    assert_eq!(result.processes.len(), 120_000);
}

#[test]
fn nobody_is_its_own_forebear() {
    let result = tables(concat!(
        "1 fork() = 1\n",
        "1 execve(\"/x\", [\"x\"], 0x7f /* 1 var */) = 0\n",
        "1 fork() = 1\n",
        "2 fork() = 1\n",
        "1 fork() = 2\n",
        "2 fork() = 1\n",
        "1 fork() = 2\n",
        "1 fork() = 4294967298\n",
    ));
    for (at, process) in result.processes.iter().enumerate() {
        assert!(process.parent.is_none_or(|parent| (parent as usize) < at));
    }
}

#[test]
fn huge_numbers_do_not_wrap() {
    let result = tables(concat!(
        "1 openat(AT_FDCWD, \"/f\", O_RDWR) = 3\n",
        "1 read(3, \"x\"..., 9223372036854775807) = 9223372036854775807\n",
        "1 read(3, \"x\"..., -1) = 9223372036854775807\n",
        "1 read(3, \"x\"..., -1) = 2147483647\n",
        "1 pwrite64(3, \"x\"..., 4096, 9223372036854775807) = 4096\n",
        "1 lseek(3, -9223372036854775808, SEEK_END) = 9223372036854775807\n",
        "1 fallocate(3, 0, 9223372036854775807, 9223372036854775807) = 0\n",
        "1 fallocate(3, FALLOC_FL_COLLAPSE_RANGE, 0, 9223372036854775807) = 0\n",
        "1 mmap(NULL, -5, PROT_READ, MAP_SHARED, 3, 9223372036854775807) = 0x7fffffffffffffff\n",
        "1 msync(0x7fffffffffffffff, 9223372036854775807, MS_SYNC) = 0\n",
        "1 munmap(0, 9223372036854775807) = 0\n",
        "1 ftruncate(3, -1) = 0\n",
        "1 close(3) = 0\n",
    ));
    assert_eq!(
        result.uses[0].bytes_read,
        i64::from(i32::MAX),
        "a read of more than Linux moves is a line that is not parsed"
    );
}

#[test]
fn many_mappings_and_unmappings_of_one_process_take_linear_time() {
    let mut log = "1 openat(AT_FDCWD, \"/f\", O_RDWR) = 3\n".to_string();
    let map = |at: usize| format!("1 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3, 0) = {:#x}", 8192 * at);
    log += &lines(60_000, map);
    log += &lines(60_000, |at| format!("1 msync({:#x}, 4096, MS_SYNC) = 0", 8192 * at));
    log += &lines(60_000, |at| format!("1 munmap({:#x}, 4096) = 0", 8192 * at));
    log += "1 msync(0, 9223372036854775807, MS_SYNC) = 0\n";
    let result = tables(&log);
    let syncs = result.references.iter().filter(|reference| reference.operation == "sync");
    assert_eq!(syncs.count(), 60_000);
}

#[test]
fn many_unknown_working_directories_that_turn_out_to_be_one() {
    let mut log =
        lines(3000, |at| format!("{} stat(\"f{at}\", {{st_mode=S_IFREG|0644, st_size=1, ...}}) = 0", at + 1));
    log += &lines(3000, |at| format!("{} getcwd(\"/w\", 4096) = 3", at + 1));
    log += &lines(3000, |at| format!("1 stat(\"/w/f{at}\", {{st_mode=S_IFREG|0644, st_size=1, ...}}) = 0"));
    let result = tables(&log);
    let files = result.files.iter().filter(|file| file.kind == "regular");
    assert_eq!(files.count(), 3000);
    assert!(result.files.iter().all(|file| file.path.as_deref().is_none_or(|path| path.starts_with('/'))));
}

#[test]
fn the_same_holds_of_the_text_of_another_format() {
    let seeds = include_str!("../examples/fuzz/seeds.strace");
    for model in [Model::LINUX, Model::YEAR_1994] {
        let direct = take_in("strace", seeds.as_bytes(), model).unwrap();
        let back = take_in("ultrix", &as_ultrix(seeds.as_bytes()), model).unwrap();
        check(&direct);
        assert_eq!(direct.references, back.references);
        assert_eq!(direct.uses, back.uses);
        assert_eq!(direct.files, back.files);
    }
}
