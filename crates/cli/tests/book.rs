//! Examples in the documentation: every command of every page is run, and what it prints is compared with the page.
//!
//! - A block `b FILE` is saved under that name, in a folder of the page that also has the example machines.
//! - A block `console` with lines `$ abridge ...` runs commands. The lines behind one are what it prints; a line `...` stands for any lines, and lines `> ...` are typed.
//! - A block `console` that begins with `>` is a dialogue with `abridge repl`.
//! - Indented lines `abridge ...` are commands without output. They are run for two seconds at most, and must be accepted.
//!
//! Times, rates and sizes of memory are not compared.

mod common;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::{Folder, Run, abridge_with, command};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The README and all pages of the book; the pages of diagnostics have a test of their own.
fn pages() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("docs")).expect("the folder of pages");
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|end| end == "md"));
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

/// Words of a shell command; quotes of both kinds are known.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for ch in line.chars() {
        match (quote, ch) {
            (Some(open), ch) if ch == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(ch);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, ch) => word.get_or_insert_default().push(ch),
        }
    }
    words.extend(word);
    words
}

/// A line without what differs between runs, which is everything from a time on, and without blanks at its end.
fn comparable(line: &str) -> String {
    let is_time = |word: &&str| {
        let digits = word.trim_start_matches('(');
        digits.contains('.') && digits.chars().all(|ch| ch.is_ascii_digit() || ch == '.')
    };
    let mut words: Vec<&str> = line.split(' ').collect();
    for at in 0..words.len().saturating_sub(1) {
        if is_time(&words[at]) && words[at + 1].trim_end_matches([',', ')', ';']) == "s" {
            words.truncate(at);
            break;
        }
    }
    words.join(" ").trim_end().to_owned()
}

/// Asserts that lines are printed one after the other; `...` stands for any lines. What is printed behind the last one does not matter if that is asked for.
fn assert_printed(command: &str, expected: &[&str], run: &Run, is_open: bool) {
    let printed = run.stderr.clone() + &run.stdout;
    let mut lines = printed.lines().map(comparable);
    let mut may_skip = false;
    for line in expected {
        if *line == "..." {
            may_skip = true;
            continue;
        }
        let line = comparable(line);
        let is_there = if may_skip { lines.any(|other| other == line) } else { lines.next().as_ref() == Some(&line) };
        assert!(is_there, "`{command}` does not print `{line}` there:\n{printed}");
        may_skip = false;
    }
    let rest: Vec<String> = lines.collect();
    assert!(may_skip || is_open || rest.is_empty(), "`{command}` prints more:\n{}", rest.join("\n"));
}

/// A page and the folder that its commands run in.
struct Page {
    name: String,
    folder: Folder,
    n_examples: usize,
}

impl Page {
    fn new(path: &Path) -> Page {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let folder = Folder::new(&format!("book-{name}"));
        std::fs::create_dir(folder.path("models")).expect("a folder for machines");
        for entry in std::fs::read_dir(root().join("models")).expect("the example machines") {
            let entry = entry.expect("an entry").path();
            if entry.is_file() {
                let target =
                    folder.path(&format!("models/{}", entry.file_name().unwrap_or_default().to_string_lossy()));
                std::fs::copy(&entry, target).expect("a copy");
            }
        }
        Page { name, folder, n_examples: 0 }
    }

    fn run(&mut self, args: &[&str], typed: &str) -> Run {
        self.n_examples += 1;
        let mut command = command(args);
        command.current_dir(self.folder.path("")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), typed.as_bytes());
        Run::new(child.wait_with_output().expect("the program ends"))
    }

    fn block(&mut self, kind: &str, content: &str) {
        if let Some(name) = kind.strip_prefix("b ") {
            self.folder.file(name, content);
        } else if kind == "console" && content.starts_with("> ") {
            self.dialogue(content);
        } else if kind == "console" {
            self.commands(content);
        }
    }

    fn dialogue(&mut self, content: &str) {
        let commands: Vec<&str> = content.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        let answers: String =
            content.lines().filter(|line| !line.starts_with("> ")).map(|line| format!("{line}\n")).collect();
        assert_eq!(abridge_with(&["repl"], &(commands.join("\n") + "\n")).stdout, answers, "{}", self.name);
        self.n_examples += commands.len();
    }

    fn commands(&mut self, content: &str) {
        for example in format!("\n{content}").split("\n$ ").skip(1) {
            let (line, output) = example.split_once('\n').unwrap_or((example, ""));
            let command = line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("abridge "));
            // Other programs are not run.
            let Some(command) = command else { continue };
            let args = words(command);
            let typed: String =
                output.lines().filter_map(|line| line.strip_prefix("> ")).map(|line| format!("{line}\n")).collect();
            let run = self.run(&args.iter().map(String::as_str).collect::<Vec<_>>(), &typed);
            let expected: Vec<&str> = output.lines().filter(|line| !line.starts_with("> ")).collect();
            // What is shown of a long report may end early.
            let is_open = !typed.is_empty() || args.first().is_some_and(|word| word == "check");
            assert_printed(&format!("{}: abridge {command}", self.name), &expected, &run, is_open);
        }
    }

    /// Runs a command without output, up to a bound.
    fn indented(&mut self, line: &str) {
        // A comment stands behind several blanks or a number sign.
        let line = line.split("  ").next().unwrap_or_default().split(" #").next().unwrap_or_default();
        let line = [" > ", " | "].iter().fold(line, |line, sign| line.split(sign).next().unwrap_or_default()).trim();
        let mut args = words(line.trim_start_matches("abridge "));
        // Benchmarks take minutes, and a corpus is not part of the repository.
        if args.first().is_none_or(|word| ["bench", "corpus"].contains(&word.as_str())) {
            return;
        }
        let is_placeholder = |word: &String| word.chars().next().is_some_and(char::is_uppercase) && !word.contains('.');
        // A run that ended cannot be gone on with, and the folder of another disk is not there.
        let needs_more = |word: &String| word == "--resume" || word == "--spill";
        if args.iter().skip(1).any(|word| is_placeholder(word) || needs_more(word)) {
            return;
        }
        for name in args.clone().iter().filter(|word| word.ends_with(".mch") && !word.contains('/')) {
            let text = std::fs::read_to_string(root().join("models/lift.mch")).expect("a machine");
            let machine = name.trim_end_matches(".mch");
            self.folder.file(name, &text.replacen("MACHINE lift", &format!("MACHINE {machine}"), 1));
        }
        if args.first().is_some_and(|word| word == "check" || word == "refine") {
            args.extend(["--time", "2"].map(str::to_owned));
        }
        let run = self.run(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
        assert!(![2, 101, 150].contains(&run.status), "{}: `{line}`: {}{}", self.name, run.stdout, run.stderr);
    }
}

#[test]
fn every_example_is_true() {
    let (mut n_examples, mut n_pages) = (0, 0);
    for path in pages() {
        let text = std::fs::read_to_string(&path).expect("the page");
        let mut page = Page::new(&path);
        for (number, part) in text.split("```").enumerate() {
            if number % 2 == 1 {
                let (kind, content) = part.split_once('\n').expect("a block of several lines");
                page.block(kind, content);
                continue;
            }
            for line in part.lines().filter_map(|line| line.strip_prefix("    ")) {
                if line.starts_with("abridge ") {
                    page.indented(line);
                }
            }
        }
        n_examples += page.n_examples;
        n_pages += usize::from(page.n_examples > 0);
    }
    println!("{n_examples} examples on {n_pages} pages of the documentation are true");
    assert!(n_examples >= 80 && n_pages >= 12, "{n_examples} examples on {n_pages} pages");
}

/// The pages of the book with those of diagnostics.
fn chapters() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("docs/diagnostics")).expect("the folder of diagnostics");
    let mut chapters: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    chapters.extend(pages().into_iter().filter(|path| path.starts_with(root().join("docs"))));
    chapters.retain(|path| !path.ends_with("SUMMARY.md"));
    chapters
}

/// A page that is not a chapter is not built, and a link out of the folder of the book leads nowhere in it.
#[test]
fn links_stay_in_the_book() {
    let docs = root().join("docs");
    let summary = std::fs::read_to_string(docs.join("SUMMARY.md")).expect("the summary");
    for path in chapters() {
        let name = path.strip_prefix(&docs).expect("a page of the book").to_string_lossy().into_owned();
        assert!(summary.contains(&format!("({name})")), "{name} is not in the summary");
        let text = std::fs::read_to_string(&path).expect("the page");
        let is_inside = |link: &str| !link.contains("../") || name.contains('/') && link.matches("../").count() == 1;
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            assert!(is_inside(link), "{name} links to `{link}`, which is not in the book");
        }
    }
}

/// The book has every page, and its links lead somewhere.
#[test]
fn the_book_is_whole() {
    let summary = std::fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the summary");
    for path in pages() {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_listed = summary.contains(&format!("({name})")) || ["SUMMARY.md", "README.md"].contains(&&*name);
        assert!(is_listed, "{name} is not in the summary");
        let text = std::fs::read_to_string(&path).expect("the page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            // Code may look like a link.
            let is_outside = !link.contains('.') || link.contains("://") || link.contains(char::is_whitespace);
            let target = path.parent().unwrap_or(&path).join(link);
            assert!(is_outside || target.exists(), "{name} links to `{link}`");
        }
    }
}

/// Every command with all its options is on the page of commands, as the program itself prints it.
#[test]
fn the_page_of_commands_is_whole() {
    let page = std::fs::read_to_string(root().join("docs/commands.md")).expect("the page");
    let help = abridge_with(&["--help"], "").stdout;
    let commands = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("commands");
    // Long descriptions go on in lines that are indented further.
    let first_lines = commands.lines().filter(|line| !line.starts_with("   "));
    for name in first_lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        assert!(page.contains(&format!("\n$ abridge {name} --help\n")), "{name} is missing");
    }
}
