//! The dialogues on a terminal: editing, history, completion, Ctrl-C during an evaluation, a narrow window, no colours.
//!
//! The program runs on a pseudo-terminal that it has as its controlling terminal, so that Ctrl-C is a signal while it computes. The test waits for what it
//! should print, never for a time.

#![cfg(unix)]

mod common;

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use common::Folder;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// Nothing takes so long unless it hangs.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Variable with the arguments of the program that `launcher` becomes.
const LAUNCHED: &str = "ABRIDGE_TEST_LAUNCHED";

/// Becomes the program, with its standard input as controlling terminal. It is no test of its own: without the variable, it does nothing.
#[test]
fn launcher() {
    let Some(args) = std::env::var_os(LAUNCHED) else { return };
    rustix::process::setsid().expect("a session of its own");
    rustix::process::ioctl_tiocsctty(std::io::stdin()).expect("a controlling terminal");
    let args = args.to_string_lossy().into_owned();
    let error = Command::new(env!("CARGO_BIN_EXE_abridge")).args(args.split('\n')).env_remove(LAUNCHED).exec();
    panic!("{error}");
}

struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// What was printed and not yet waited for.
    text: String,
}

impl Terminal {
    /// Starts a dialogue.
    fn start(args: &[&str], home: &str, n_columns: u16, variables: &[(&str, &str)]) -> Terminal {
        let mut terminal = Terminal::run(args, home, n_columns, variables);
        // A program that does not come to a prompt is killed with the terminal.
        terminal.wait("> ");
        terminal
    }

    fn run(args: &[&str], home: &str, n_columns: u16, variables: &[(&str, &str)]) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("it can be used");
        tcsetwinsize(&master, Winsize { ws_row: 24, ws_col: n_columns, ws_xpixel: 0, ws_ypixel: 0 }).expect("a window");
        let name = ptsname(&master, Vec::new()).expect("its name");
        let path = Path::new(std::ffi::OsStr::from_bytes(name.as_bytes()));
        let side = || Stdio::from(OpenOptions::new().read(true).write(true).open(path).expect("its other side"));
        let mut command = Command::new(std::env::current_exe().expect("this test"));
        command.args(["--exact", "launcher", "--nocapture"]).env(LAUNCHED, args.join("\n"));
        command.env("HOME", home).env("TERM", "xterm").env_remove("XDG_CACHE_HOME").env_remove("NO_COLOR");
        command
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE")
            .envs(variables.iter().copied())
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        let child = command.stdin(side()).stdout(side()).stderr(side()).spawn().expect("the program starts");
        let keyboard = File::from(master);
        let mut reader = keyboard.try_clone().expect("two ends");
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n_bytes @ 1..) = reader.read(&mut bytes) {
                let _ = sender.send(bytes[..n_bytes].to_vec());
            }
        });
        Terminal { child, keyboard, screen, text: String::new() }
    }

    fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("somebody reads");
    }

    /// Waits for a text on the screen; what came up to it.
    fn wait(&mut self, text: &str) -> String {
        loop {
            if let Some(idx) = self.text.find(text) {
                let rest = self.text.split_off(idx + text.len());
                return std::mem::replace(&mut self.text, rest);
            }
            match self.screen.recv_timeout(LONGEST_WAIT) {
                Ok(bytes) => self.text += &String::from_utf8_lossy(&bytes),
                Err(_) => panic!("no `{text}` in: {:?}", self.text),
            }
        }
    }

    /// Types a line; waits for an answer and the next prompt.
    fn ask(&mut self, line: &str, answer: &str) -> String {
        self.keys(&format!("{line}\r"));
        let text = self.wait(answer);
        text + &self.wait("> ")
    }

    /// Types a line and, when Ctrl-C has become a signal again, interrupts it.
    fn interrupt(&mut self, line: &str) {
        self.keys(&format!("{line}\r"));
        self.wait("\n");
        while !tcgetattr(&self.keyboard).expect("a terminal").local_modes.contains(LocalModes::ISIG) {
            std::thread::yield_now();
        }
        self.keys("\u{3}");
        self.wait("interrupted");
        self.wait("> ");
    }

    fn end(mut self) {
        self.keys("\u{4}");
        assert_eq!(self.status(), Some(0));
    }

    /// Waits for the end of the program.
    fn status(&mut self) -> Option<i32> {
        let start = Instant::now();
        loop {
            match self.child.try_wait().expect("a child") {
                Some(status) => return status.code(),
                None => assert!(start.elapsed() < LONGEST_WAIT, "it does not end: {:?}", self.text),
            }
            std::thread::yield_now();
        }
    }
}

/// A program that waits for input must not outlive a test that failed.
impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Does not look up often and takes minutes.
const LONG: &str = "card({s | s : POW(1..40) & SIGMA(y).(y:s|y) = 400})";

#[test]
fn lines_are_edited_completed_and_remembered() {
    let folder = Folder::new("terminal-edit");
    let mut terminal = Terminal::start(&["repl", "models/lift.mch"], &folder.path(""), 80, &[]);
    // Backspace, the start of the line, and the end.
    terminal.ask("+ 22\u{7f}\u{1}20 \u{5}", "22 : INTEGER");
    terminal.ask("shu\t", "shut : DOOR");
    terminal.ask("bool(\\fora\tx.(x:1..3 => x<4))", "TRUE : BOOL");
    terminal.ask(":let s = {1,2}", "{1,2} : POW(INTEGER)");
    terminal.ask("card(s) + 40", "42 : INTEGER");
    // The line before the last one.
    terminal.ask("\u{1b}[A\u{1b}[A", "{1,2} : POW(INTEGER)");
    terminal.end();
    let mut terminal = Terminal::start(&["repl"], &folder.path(""), 80, &[]);
    terminal.ask("\u{1b}[A", "{1,2} : POW(INTEGER)");
    terminal.end();
}

#[test]
fn ctrl_c_ends_the_evaluation_and_not_the_session() {
    let folder = Folder::new("terminal-interrupt");
    let mut terminal = Terminal::start(&["repl"], &folder.path(""), 80, &[]);
    // At the prompt, the line is given up.
    terminal.keys("1 + \u{3}");
    terminal.wait("> ");
    terminal.ask("1 + 1", "2 : INTEGER");
    for _ in 0..2 {
        terminal.interrupt(LONG);
    }
    terminal.ask("20 + 3", "23 : INTEGER");
    terminal.end();
    let mut terminal = Terminal::start(&["animate", "models/airlock.mch"], &folder.path(""), 80, &[]);
    terminal.ask("1", "after 1: ");
    terminal.interrupt(&format!("eval {LONG}"));
    terminal.ask("request(inner)", "after 2: ");
    terminal.end();
}

/// Once the search says that it is in its third round, so that there are states to tell of.
#[test]
fn a_symbolic_search_that_is_interrupted_tells_what_it_found() {
    let folder = Folder::new("terminal-symbolic");
    for ctrl_c in [true, false] {
        let args = ["check", "models/McsLock.mch", "--engine", "symbolic", "--set-size", "PROC=6"];
        let mut terminal = Terminal::run(&args, &folder.path(""), 200, &[]);
        terminal.wait("depth 3");
        if ctrl_c {
            terminal.keys("\u{3}");
        } else {
            let id = terminal.child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
        }
        terminal.wait("interrupted by the user");
        let text = terminal.wait(" representatives");
        let n_states =
            text.trim_end_matches(" representatives").rsplit(|c: char| !c.is_ascii_digit() && c != ',').next();
        // More than one digit: the initial state is not all.
        assert!(n_states.is_some_and(|number| number.len() > 1), "{text}");
        assert_eq!(terminal.status(), Some(20));
    }
}

#[test]
fn a_line_is_edited_in_a_narrow_window() {
    let folder = Folder::new("terminal-narrow");
    let sum = (1..30).map(|n| n.to_string()).collect::<Vec<_>>().join(" + ");
    let mut terminal = Terminal::start(&["repl"], &folder.path(""), 40, &[]);
    terminal.ask(&format!("{sum}\u{7f}\u{7f}30"), "436 : INTEGER");
    // Lines of the program are broken between words.
    terminal.ask(":help", "value of an\r\n                   expression, truth");
    terminal.end();
}

/// Colours on a terminal, by option and by each convention of the environment; what stands in a pipe has them only by force.
#[test]
fn colours_follow_options_and_the_environment() {
    let folder = Folder::new("terminal-colours");
    let is_bold = |args: &[&str], variables: &[(&str, &str)]| {
        let mut terminal = Terminal::start(args, &folder.path(""), 80, variables);
        let text = terminal.ask("1", "is_open = {}");
        terminal.end();
        text.contains("\u{1b}[1m")
    };
    let plain = ["animate", "models/airlock.mch"];
    let off: [&[(&str, &str)]; 4] = [
        &[("NO_COLOR", "1")],
        &[("CLICOLOR", "0")],
        &[("TERM", "dumb")],
        &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")],
    ];
    for variables in off {
        assert!(!is_bold(&plain, variables), "{variables:?}");
    }
    assert!(is_bold(&plain, &[("CLICOLOR", "1")]) && is_bold(&plain, &[("TERM", "dumb"), ("CLICOLOR_FORCE", "1")]));
    assert!(is_bold(&["animate", "models/airlock.mch", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!is_bold(&["animate", "models/airlock.mch", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    let program = env!("CARGO_BIN_EXE_abridge");
    for (options, expected) in [("", false), ("CLICOLOR_FORCE=1", true), ("CLICOLOR_FORCE=0", false)] {
        let script = format!("{options} {program} check models/lift.mch | cat");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(folder).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        let output = command.output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&output.stdout).contains('\u{1b}'), expected, "{options}");
    }
}

/// Steps are completed and remembered in the animator, in a narrow window and on a terminal that cannot move its cursor.
#[test]
fn the_animator_completes_and_remembers() {
    let folder = Folder::new("terminal-animate");
    let mut terminal = Terminal::start(&["animate", "models/airlock.mch"], &folder.path(""), 40, &[("NO_COLOR", "1")]);
    terminal.ask("1", "after 1: ");
    terminal.ask("request(i\t", "after 2: request(inner)");
    terminal.ask("back", "after 1: ");
    // The line before the last one.
    terminal.ask("\u{1b}[A\u{1b}[A", "after 2: request(inner)");
    terminal.end();
    let dumb = [("TERM", "dumb")];
    let mut terminal = Terminal::start(&["repl"], &folder.path(""), 40, &dumb);
    terminal.ask("20 + 3", "23 : INTEGER");
    terminal.end();
}

#[test]
fn a_reader_may_leave() {
    let program = env!("CARGO_BIN_EXE_abridge");
    let script = format!("yes '1 + 1' | {program} repl | head -1");
    let output = Command::new("sh").args(["-c", &script]).output().expect("a shell");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2 : INTEGER\n");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}
