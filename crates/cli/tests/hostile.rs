//! Input that wants to do harm: machines that read what is none of their business, files that were prepared by somebody else, text that talks
//! to the terminal, devices in the place of files.

#![cfg(target_os = "linux")]

mod common;

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use common::{Folder, Run, abridge, command};
use serde_json::Value;

/// 205,379 states, so that a run can be interrupted.
const GRID: &str = "MACHINE grid VARIABLES a, b, c INVARIANT a : 0..58 & b : 0..58 & c : 0..58
    INITIALISATION a := 0 || b := 0 || c := 0 OPERATIONS
    right = SELECT a < 58 THEN a := a + 1 END; up = SELECT b < 58 THEN b := b + 1 END;
    away = SELECT c < 58 THEN c := c + 1 END; home = SELECT a = b & b = c THEN a := 0 || b := 0 || c := 0 END END";

/// Two steps that do not depend on each other.
const PAIR: &str = "MACHINE Pair VARIABLES xx, yy INVARIANT xx : 0..3 & yy : 0..3 & xx + yy < 6
    INITIALISATION xx := 0 || yy := 0 OPERATIONS
    left = SELECT xx < 3 THEN xx := xx + 1 END; right = SELECT yy < 3 THEN yy := yy + 1 END END";

fn run(command: &mut Command) -> Run {
    Run::new(command.output().expect("the program runs"))
}

/// A run by somebody whose state, and so whose key, lies in another folder.
fn as_another(folder: &Folder, args: &[&str]) -> Run {
    run(command(args).env("XDG_STATE_HOME", folder.path("state-of-another")))
}

fn start(args: &[&str]) -> Child {
    command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts")
}

fn signal(child: &Child, name: &str) {
    let mut kill = Command::new("kill");
    assert!(kill.args([name, &child.id().to_string()]).status().expect("kill").success());
}

fn wait_for(path: &Path) {
    wait_until(&path.display().to_string(), || path.exists());
}

/// Waits for an event, for ever as far as a test is concerned.
fn wait_until(what: &str, mut has_happened: impl FnMut() -> bool) {
    let patience = Instant::now() + Duration::from_secs(120);
    while !has_happened() {
        assert!(Instant::now() < patience, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until a process handles interrupts itself.
fn wait_for_handler(child: &Child) {
    const SIGINT: u64 = 1 << 1;
    let status = format!("/proc/{}/status", child.id());
    wait_until("a handler of interrupts", || {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
        caught.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & SIGINT != 0)
    });
}

#[test]
fn answers_of_somebody_else_are_not_believed() {
    let folder = Folder::new("hostile-answers");
    let (file, cache) = (folder.file("Pair.mch", PAIR), folder.path("cache"));
    let args = ["check", &file, "--json", "--por", "semantic", "--por-cache", &cache];
    let questions = |run: Run| run.json()["partial_order"]["questions"].as_u64().expect("a number");
    assert!(questions(as_another(&folder, &args)) > 0);
    assert_eq!(questions(as_another(&folder, &args)), 0);
    assert!(questions(abridge(&args)) > 0, "they were sealed with another key");
    assert_eq!(questions(abridge(&args)), 0);
    let mode = std::fs::metadata(&cache).expect("the folder").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn without_a_place_for_a_key_nothing_is_kept() {
    let folder = Folder::new("hostile-no-key");
    let (file, cache, dir) = (folder.file("Pair.mch", PAIR), folder.path("cache"), folder.path("saved"));
    let homeless = |args: &[&str]| run(command(args).env_remove("XDG_STATE_HOME"));
    let told = homeless(&["check", &file, "--por", "semantic", "--por-cache", &cache]);
    assert!(told.status == 12 && told.stderr.contains("XDG_STATE_HOME"), "{}", told.stderr);
    assert!(!Path::new(&cache).exists());
    let told = homeless(&["check", &file, "--checkpoint", &dir]);
    assert!(told.status == 2 && told.stderr.contains("XDG_STATE_HOME"), "{}", told.stderr);
}

#[test]
fn a_checkpoint_of_somebody_else_is_not_believed() {
    let folder = Folder::new("hostile-checkpoint");
    let (file, dir) = (folder.file("grid.mch", GRID), folder.path("saved"));
    assert_eq!(as_another(&folder, &["check", &file, "--max-states", "5000", "--checkpoint", &dir]).status, 20);
    let told = abridge(&["check", &file, "--resume", &dir]);
    assert!(told.status == 2 && told.stderr.contains("written by another user"), "{}", told.stderr);
    assert_eq!(as_another(&folder, &["check", &file, "--resume", &dir]).status, 0);
}

#[test]
fn links_in_the_place_of_saved_files_harm_nobody() {
    let folder = Folder::new("hostile-links");
    let file = folder.file("grid.mch", GRID);
    let victim = folder.file("victim", &"precious\n".repeat(100_000));
    let content = std::fs::read(&victim).expect("the victim");
    let is_whole = || std::fs::read(&victim).expect("the victim") == content;
    for name in ["roots", "quads", "parents", "values", "manifest", "lock", "manifest.new"] {
        // Before the first checkpoint.
        let fresh = folder.path(&format!("fresh-{name}"));
        std::fs::create_dir(&fresh).expect("a folder");
        symlink(&victim, Path::new(&fresh).join(name)).expect("a link");
        let told = abridge(&["check", &file, "--max-states", "5000", "--checkpoint", &fresh]);
        assert!(is_whole() && matches!(told.status, 2 | 20), "{name}: {}{}", told.stdout, told.stderr);
        // And when going on.
        let saved = folder.path(&format!("saved-{name}"));
        assert_eq!(abridge(&["check", &file, "--max-states", "5000", "--checkpoint", &saved]).status, 20);
        let path = Path::new(&saved).join(name);
        let _ = std::fs::remove_file(&path);
        symlink(&victim, &path).expect("a link");
        let told = abridge(&["check", &file, "--resume", &saved]);
        assert!(is_whole(), "{name}: {}{}", told.stdout, told.stderr);
        assert!(told.status == 2 || name == "manifest.new", "{name}: {}{}", told.stdout, told.stderr);
    }
    // A second name of the file is as good as a link.
    let saved = folder.path("hard");
    assert_eq!(abridge(&["check", &file, "--max-states", "5000", "--checkpoint", &saved]).status, 20);
    let quads = Path::new(&saved).join("quads");
    std::fs::remove_file(&quads).expect("quads");
    std::fs::hard_link(&victim, &quads).expect("a second name");
    assert_eq!(abridge(&["check", &file, "--resume", &saved]).status, 2);
    assert!(is_whole());
}

#[test]
fn what_follows_the_saved_bytes_stays_until_they_are_believed() {
    let folder = Folder::new("hostile-truncate");
    let (file, dir) = (folder.file("grid.mch", GRID), folder.path("saved"));
    assert_eq!(abridge(&["check", &file, "--max-states", "5000", "--checkpoint", &dir]).status, 20);
    let quads = Path::new(&dir).join("quads");
    let mut longer = std::fs::read(&quads).expect("quads");
    longer.extend_from_slice(b"not ours");
    longer[3] ^= 1;
    std::fs::write(&quads, &longer).expect("quads");
    assert_eq!(abridge(&["check", &file, "--resume", &dir]).status, 2);
    assert_eq!(std::fs::read(&quads).expect("quads"), longer);
}

/// Whether this process was started to ignore hang-ups, as by `nohup`; programs that it starts heed that.
fn ignores_hang_ups() -> bool {
    const SIGHUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    ignored.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & SIGHUP != 0)
}

#[test]
fn the_end_of_a_session_saves_the_run() {
    for name in ["-TERM", "-HUP"] {
        if name == "-HUP" && ignores_hang_ups() {
            eprintln!("SKIPPED: hang-ups are ignored here");
            continue;
        }
        let folder = Folder::new(&format!("hostile-signal{name}"));
        // A run that was over before the signal came gets a larger grid.
        let stopped = |most: u64| {
            let file = folder.file(&format!("grid{most}.mch"), &GRID.replace("58", &most.to_string()));
            let dir = folder.path(&format!("saved{most}"));
            let mut child =
                start(&["check", &file, "--checkpoint", &dir, "--checkpoint-every", "0.0005", "--workers", "1"]);
            let manifest = Path::new(&dir).join("manifest");
            wait_until("a checkpoint or the end", || manifest.exists() || child.try_wait().expect("a child").is_some());
            if child.try_wait().expect("a child").is_none() {
                signal(&child, name);
            }
            let status = child.wait().expect("it ends").code();
            assert!(matches!(status, Some(0 | 20)), "{name}: {status:?}");
            (status == Some(20)).then_some((most, file, dir))
        };
        let (most, file, dir) = [120, 160, 220].into_iter().find_map(stopped).expect("a run that a signal ends");
        let run = abridge(&["check", &file, "--resume", &dir, "--json"]);
        assert_eq!((run.status, &run.json()["states"]), (0, &(most + 1).pow(3).into()), "{name}");
    }
}

/// One evaluation that takes for ever; with a checkpoint nothing ends it in the middle.
const ENDLESS: &str = "MACHINE Endless VARIABLES xx INVARIANT xx : INTEGER INITIALISATION xx := 10**12
    OPERATIONS step = BEGIN WHILE xx > 0 DO xx := xx - 1 INVARIANT xx : INTEGER VARIANT xx END END END";

#[test]
fn a_second_ctrl_c_always_ends_it() {
    let folder = Folder::new("hostile-ctrl-c");
    let (file, dir) = (folder.file("Endless.mch", ENDLESS), folder.path("saved"));
    let mut child = start(&["check", &file, "--checkpoint", &dir, "--no-deadlock"]);
    wait_for(&Path::new(&dir).join("lock"));
    wait_for_handler(&child);
    wait_until("the end", || {
        let has_ended = child.try_wait().expect("a child").is_some();
        if !has_ended {
            signal(&child, "-INT");
        }
        has_ended
    });
}

#[test]
fn what_a_killed_run_left_behind_goes_away() {
    let folder = Folder::new("hostile-stale");
    let file = folder.file("Pair.mch", PAIR);
    let stale = folder.file("Pair.mch.abridge-new-999999999", "half");
    let recent = folder.file("Pair.mch.abridge-new-999999998", "half");
    let other = folder.file("Other.mch.abridge-new-999999999", "half");
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    for old in [&stale, &other] {
        std::fs::File::options().write(true).open(old).and_then(|file| file.set_modified(long_ago)).expect("a time");
    }
    assert_eq!(abridge(&["fmt", &file, "--write"]).status, 0);
    assert_eq!([&stale, &recent, &other].map(|path| Path::new(path).exists()), [false, true, true]);
}

/// A folder with a machine, beside one with something that is none of its business.
fn neighbours(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    for part in ["inside/deep", "outside"] {
        std::fs::create_dir_all(folder.path(part)).expect("a folder");
    }
    let secret = folder.file("outside/secret.def", "DEFINITIONS SECRET_LINE == 1 +;\n");
    folder.file("inside/deep/near.def", "DEFINITIONS near == 3\n");
    (folder, secret)
}

fn assert_refused(run: &Run, status: i32) {
    let text = format!("{}{}", run.stdout, run.stderr);
    assert_eq!(run.status, status, "{text}");
    assert!(text.contains("outside the folder of the machine") && text.contains("--allow-read"), "{text}");
    assert!(!text.contains("SECRET_LINE"), "{text}");
}

#[test]
fn definitions_are_read_only_around_the_machine() {
    let (folder, secret) = neighbours("hostile-definitions");
    symlink(&secret, folder.path("inside/link.def")).expect("a link");
    for path in [secret.as_str(), "../outside/secret.def", "deep/../../outside/secret.def", "link.def"] {
        let file =
            folder.file("inside/M.mch", &format!("MACHINE M DEFINITIONS \"{path}\" CONSTANTS k PROPERTIES k = 1 END"));
        for command in ["check", "typecheck", "show", "animate"] {
            assert_refused(&abridge(&[command, &file]), 150);
            assert_refused(&abridge(&[command, &file, "--json"]), 150);
        }
        // Allowed, it is read, and what is wrong in it is told.
        let told = abridge(&["typecheck", &file, "--allow-read", &folder.path("outside")]);
        assert!(told.status == 150 && told.stderr.contains("SECRET_LINE"), "{}", told.stderr);
        let told = abridge(&["typecheck", &file, "--include", &folder.path("outside")]);
        assert!(told.status == 150 && told.stderr.contains("SECRET_LINE"), "{}", told.stderr);
    }
    let near = "MACHINE M DEFINITIONS \"deep/near.def\" CONSTANTS k PROPERTIES k = near END";
    let file = folder.file("inside/M.mch", near);
    assert_eq!(abridge(&["typecheck", &file]).status, 0);
    let told = abridge(&["typecheck", &file, "--no-files"]);
    assert!(told.status == 150 && told.stderr.contains("--no-files"), "{}", told.stderr);
}

#[test]
fn machines_are_read_only_around_the_machine() {
    let (folder, _) = neighbours("hostile-machines");
    folder.file("outside/Other.mch", "MACHINE Other CONSTANTS SECRET_LINE PROPERTIES SECRET_LINE = END");
    let file = folder.file("inside/M.mch", "MACHINE M SEES Other /*@file \"../outside/Other.mch\" */ END");
    assert_refused(&abridge(&["typecheck", &file]), 150);
}

#[test]
fn externals_read_only_around_the_machine() {
    let (folder, secret) = neighbours("hostile-externals");
    folder.file("inside/own.txt", "mine");
    symlink(&secret, folder.path("inside/deep/link.txt")).expect("a link");
    let machine = |formula: &str| {
        let libraries = "\"LibraryIO.def\"; \"LibraryFiles.def\"; \"LibraryCSV.def\"; \"LibraryStrings.def\"";
        let text = format!("MACHINE M DEFINITIONS {libraries} CONSTANTS k PROPERTIES k = {formula} END");
        folder.file("inside/M.mch", &text)
    };
    let evaluated = |formula: &str, more: &[&str]| abridge(&[&["eval", &machine(formula), "k"], more].concat());
    let outside = folder.path("outside");
    for formula in [
        format!("READ_FILE_AS_STRING(\"{secret}\")"),
        "READ_FILE_AS_STRING(\"../outside/secret.def\")".to_owned(),
        "READ_FILE_AS_STRING(\"deep/link.txt\")".to_owned(),
        "READ_FILE_AS_STRINGS(\"../outside/secret.def\")".to_owned(),
        "bool(FILE_EXISTS(\"../outside/secret.def\"))".to_owned(),
        "FILES(\"../outside\")".to_owned(),
        "FILE_PROPERTY_VALUE(\"../outside/secret.def\",\"size_in_bytes\")".to_owned(),
    ] {
        assert_refused(&evaluated(&formula, &[]), 20);
        let told = evaluated(&formula, &["--allow-read", &outside]);
        assert_eq!(told.status, 0, "{formula}: {}{}", told.stdout, told.stderr);
    }
    assert!(evaluated("READ_FILE_AS_STRING(\"own.txt\")", &[]).stdout.contains("mine"));
    let told = evaluated("READ_FILE_AS_STRING(\"own.txt\")", &["--no-files"]);
    assert!(told.status == 20 && told.stderr.contains("--no-files"), "{}", told.stderr);
    assert!(evaluated("bool(FILE_EXISTS(\"absent.txt\"))", &[]).stdout.contains("FALSE"));
}

#[test]
fn no_external_writes_a_file() {
    let folder = Folder::new("hostile-writing");
    folder.file("own.txt", "mine");
    let machine = "MACHINE M DEFINITIONS \"LibraryIO.def\"; \"LibraryXML.def\";
        EXTERNAL_PREDICATE_IS_DETERMINED_INTO_FILE == STRING * STRING * INTEGER; IS_DETERMINED_INTO_FILE(F, N, V) == (V = V)
        CONSTANTS k PROPERTIES k = 7 & IS_DETERMINED_INTO_FILE(\"determined.txt\", \"k\", k)
            & IS_DETERMINED_INTO_FILE(\"own.txt\", \"k\", k) & fprintf(\"own.txt\", \"~w\", k) & fprintf(\"printed.txt\", \"~w\", k)
        VARIABLES v INVARIANT v : INTEGER INITIALISATION v := 0 OPERATIONS
        print = BEGIN FPRINTF(\"own.txt\", \"~w\", [v]) ; FPRINTF(\"appended.txt\", \"~w\", [v]) END;
        write = SELECT WRITE_XML([], \"written.xml\") THEN v := 1 END END";
    let file = folder.file("M.mch", machine);
    let told = abridge(&["check", &file]);
    // WRITE_XML is refused, and the rest is evaluated.
    assert!(
        told.status == 20 && told.stdout.contains("`WRITE_XML` is not supported"),
        "{}{}",
        told.stdout,
        told.stderr
    );
    assert_eq!(abridge(&["eval", &file, "k"]).status, 0);
    let names = std::fs::read_dir(folder.path("")).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["M.mch", "own.txt"]);
    assert_eq!(std::fs::read_to_string(folder.path("own.txt")).expect("a file"), "mine");
}

#[test]
fn nothing_but_text_reaches_the_terminal() {
    let folder = Folder::new("hostile-text");
    let hostile = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
    let machine = format!(
        "MACHINE M VARIABLES ss INVARIANT ss /= \"{hostile}x\" INITIALISATION ss := \"{hostile}\"
         OPERATIONS step(pp) = SELECT pp : {{\"{hostile}x\"}} THEN ss := pp END END"
    );
    let file = folder.file(&format!("M{hostile}.mch"), &machine);
    let wrong = folder.file(&format!("W{hostile}.mch"), &format!("MACHINE W {hostile} VARIABLES `{hostile}` END"));
    let picture = folder.path("picture.svg");
    let runs: [&[&str]; 10] = [
        &["check", &file],
        &["check", &file, "--json"],
        &["check", &file, "--profile"],
        &["graph", &file],
        &["graph", &file, "-o", &picture],
        &["graph", &file, "--format", "svg"],
        &["show", &file],
        &["eval", &file, "ss"],
        &["check", &wrong],
        &["typecheck", &wrong, "--json"],
    ];
    let is_harmful = |ch: char| ch.is_control() && ch != '\n' && ch != '\t' || ch == '\u{202e}';
    for args in runs {
        let told = abridge(args);
        let text = told.stdout + &told.stderr;
        assert!(!text.contains(is_harmful), "{args:?}: {text:?}");
        assert!(args.contains(&"-o") || args[0] == "show" || text.contains("owned"), "{args:?}: {text:?}");
    }
    let drawn = std::fs::read_to_string(picture).expect("a picture");
    assert!(drawn.contains("owned") && !drawn.contains(is_harmful), "{drawn:?}");
    // JSON says the same as before.
    let value = abridge(&["eval", &file, "ss", "--json"]).json()["value"].clone();
    assert_eq!(value, Value::String(format!("\"{hostile}\"")));
}

#[test]
fn devices_and_pipes_are_no_machines() {
    let folder = Folder::new("hostile-devices");
    let pipe = folder.path("pipe.mch");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for file in ["/dev/zero", pipe.as_str()] {
        for command in ["check", "parse", "show", "fmt", "typecheck"] {
            let told = abridge(&[command, file]);
            assert!(told.status == 150 && told.stderr.contains("not a file"), "{command} {file}: {}", told.stderr);
        }
    }
    let importing = |path: &str| folder.file("M.mch", &format!("MACHINE M DEFINITIONS \"{path}\" END"));
    assert_eq!(abridge(&["check", &importing("pipe.mch")]).status, 150);
    assert_eq!(abridge(&["check", &importing("/dev/zero"), "--allow-read", "/dev"]).status, 150);
    let huge = folder.path("huge.mch");
    std::fs::File::create(&huge).and_then(|file| file.set_len(3 << 30)).expect("a file with a hole");
    let told = abridge(&["check", &huge]);
    assert!(told.status == 150 && told.stderr.contains("MB, which is the most"), "{}", told.stderr);
}

#[test]
fn files_that_do_not_fit_into_memory_are_not_read() {
    let folder = Folder::new("hostile-large");
    let huge = folder.path("huge.txt");
    std::fs::File::create(&huge).and_then(|file| file.set_len(3 << 30)).expect("a file with a hole");
    let text = "MACHINE M DEFINITIONS \"LibraryIO.def\"; \"LibraryStrings.def\" VARIABLES nn INVARIANT nn : INTEGER
        INITIALISATION nn := STRING_LENGTH(READ_FILE_AS_STRING(\"huge.txt\")) END";
    let file = folder.file("M.mch", text);
    let told = abridge(&["check", &file, "--memory", "1G", "--json"]);
    assert_eq!(told.status, 20, "{}", told.stdout);
    assert!(told.json()["message"].as_str().is_some_and(|text| text.contains("more than 128 MB")), "{}", told.stdout);
    assert!(told.json()["peak_bytes"].as_u64().is_some_and(|bytes| bytes < 200 << 20), "{}", told.stdout);
}

#[test]
fn a_table_takes_little_more_memory_than_its_values() {
    let folder = Folder::new("hostile-table");
    let lines: String = (0..400_000).map(|n| format!("{n},{}\n", n % 1000)).collect();
    std::fs::write(folder.path("large.csv"), &lines).expect("a file");
    let text = "MACHINE M DEFINITIONS \"LibraryCSV.def\" VARIABLES nn INVARIANT nn : INTEGER
        INITIALISATION ANY tt WHERE tt = READ_CSV(\"large.csv\",FALSE,FALSE) & tt : INTEGER <-> INTEGER THEN nn := card(tt) END END";
    let told = abridge(&["check", &folder.file("M.mch", text), "--json", "--no-deadlock"]);
    let peak = told.json()["peak_bytes"].as_u64().expect("a number");
    assert!(told.status == 0 && peak < 70 << 20, "{} MB: {}", peak >> 20, told.stdout);
}

#[test]
fn an_evaluation_ends_when_its_time_or_memory_is_up() {
    let endless = "card({x|x : POW(1..40) & SIGMA(y).(y:x|y) = 400})";
    let told = abridge(&["eval", endless, "--time", "1"]);
    assert!(told.status == 20 && told.stderr.contains("time limit reached"), "{}{}", told.stdout, told.stderr);
    let told = abridge(&["eval", endless, "--time", "0.3", "--json"]);
    assert!(told.status == 20 && told.json()["kind"] == "error", "{}", told.stdout);
    let large = "union({x|x : POW(1..24) & card(x) > 1})";
    let told = abridge(&["eval", large, "--memory", "60M", "--time", "100"]);
    assert!(told.status == 20 && told.stderr.contains("memory limit reached"), "{}{}", told.stdout, told.stderr);
    let child = command(&["eval", endless]).stderr(Stdio::piped()).spawn().expect("the program starts");
    wait_for_handler(&child);
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(20));
    assert!(String::from_utf8_lossy(&output.stderr).contains("interrupted by the user"));
}

#[test]
fn a_stop_for_memory_is_told_as_one() {
    let folder = Folder::new("hostile-memory");
    let text = "MACHINE M VARIABLES ss INVARIANT ss <: INTEGER INITIALISATION ss := {}
        OPERATIONS grow = BEGIN ss := union({x|x : POW(1..24) & card(x) > 1}) END END";
    let told = abridge(&["check", &folder.file("M.mch", text), "--memory", "20M", "--time", "100", "--json"]);
    let limits = told.json()["limits"].to_string();
    assert!(told.status == 20 && limits.contains("memory limit reached"), "{limits}");
    assert!(!limits.contains("time limit"), "{limits}");
}

#[test]
fn small_things() {
    assert_eq!(abridge(&["eval", "-p", "MININT", "-3", "MININT"]).stdout, "-3 : INTEGER\n");
    let machine = "MACHINE M DEFINITIONS \"LibraryStrings.def\" END";
    let folder = Folder::new("hostile-small");
    let file = folder.file("M.mch", machine);
    for width in ["10**30", "16777300"] {
        let told = abridge(&["eval", &file, &format!("STRING_PADLEFT(\"a\",{width},\"b\")")]);
        assert!(told.status == 20 && told.stderr.contains("16777216"), "{}{}", told.stdout, told.stderr);
    }
    assert_eq!(abridge(&["eval", &file, "STRING_PADLEFT(\"a\",-(10**30),\"b\")"]).stdout, "\"a\" : STRING\n");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("the device");
    let told = run(command(&["completions", "bash"]).stdout(full).stderr(Stdio::piped()));
    assert!(told.status == 2 && told.stderr.contains("cannot write to standard output"), "{}", told.stderr);
}

#[test]
fn symbolic_values_are_b_text() {
    let formulas = [
        ("POW(NATURAL)", "POW(NATURAL)"),
        ("rec(a:NATURAL,b:1)", "rec(a:NATURAL,b:1)"),
        ("struct(a:NATURAL,b:{1,2})", "struct(a:NATURAL,b:{1,2})"),
        ("iseq1(NATURAL1) - {[1]}", "(iseq1(NATURAL1) - {{(1|->1)}})"),
        ("LET n BE n = 3 IN %x.(x:INTEGER|x+n) END", "LET n BE n = 3 IN %x.(x : INTEGER | x + n) END"),
        ("(%x.(x:INTEGER|x+1))~", ""),
        ("prj1(NATURAL,INTEGER)", ""),
        ("(INTEGER * NATURAL)[NATURAL1]", ""),
        ("POW1(STRING) * {1}", ""),
        ("NATURAL >+>> INTEGER", ""),
    ];
    for (formula, expected) in formulas {
        let json = abridge(&["eval", formula, "--json"]).json();
        let text = json["value"].as_str().unwrap_or_else(|| panic!("{formula}: {json}")).to_owned();
        assert!(expected.is_empty() || text == expected, "{text}");
        let again = abridge(&["eval", &text, "--json"]).json();
        assert_eq!((again["value"].as_str(), &again["type"]), (Some(text.as_str()), &json["type"]), "{formula}");
    }
    let folder = Folder::new("hostile-symbolic");
    let machine = "MACHINE M VARIABLES ff, nn INVARIANT ff : INTEGER --> INTEGER & nn < 2 INITIALISATION ff := {} <+ %x.(x:INTEGER|x) || nn := 0
        OPERATIONS step(pp) = SELECT pp = 7 THEN ff := %x.(x:INTEGER|x+nn+pp) || nn := nn + 1 END END";
    let told = abridge(&["check", &folder.file("M.mch", machine), "--json"]).json();
    let last = told["violation"]["trace"].as_array().and_then(|steps| steps.last()).expect("a step").to_string();
    assert!(last.contains("LET nn, pp BE nn = 1 & pp = 7 IN %x.(x : INTEGER | x + nn + pp) END"), "{last}");
}
