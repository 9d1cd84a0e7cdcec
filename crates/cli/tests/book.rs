//! Examples in the documentation: every dialogue in a `console` block is held again, and every answer compared.
//!
//! In the tutorial, a block `b FILE` is saved under that name. A line `...` stands for any further output.
//!
//! A block is a list of lines `> COMMAND`, each followed by its answer, for `abridge repl`; or `$ abridge ...` followed by the output of the command. Blocks with times in them are
//! compared up to the first line with one.

mod common;

use std::path::Path;

use common::{Folder, abridge, abridge_with, command};

/// The `console` blocks of a page.
fn blocks(page: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(path).expect("the page");
    let parts = text.split("```console\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// Words of a shell command; only double quotes are known.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (idx, part) in line.split('"').enumerate() {
        match idx % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[test]
fn dialogues_in_the_documentation_are_true() {
    let mut n_examples = 0;
    for block in blocks("docs/dialogues.md") {
        let commands: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("> ")).collect();
        let answers: String =
            block.lines().filter(|line| !line.starts_with("> ")).map(|line| format!("{line}\n")).collect();
        let run = abridge_with(&["repl"], &(commands.join("\n") + "\n"));
        assert_eq!(run.stdout, answers, "{block}");
        n_examples += commands.len();
    }
    assert!(n_examples >= 5, "{n_examples}");
    println!("{n_examples} examples of docs/dialogues.md");
}

#[test]
fn commands_in_the_readme_are_true() {
    let mut n_examples = 0;
    for block in blocks("README.md") {
        let (first, rest) = block.split_once('\n').expect("a command and its output");
        let command = first.strip_prefix("$ ").expect("a command");
        let command = command.strip_prefix("cargo run --release -- ").or_else(|| command.strip_prefix("abridge "));
        // Other programs are not run.
        let Some(command) = command else { continue };
        let args = words(command);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        // What a person typed at a prompt is typed again.
        let typed: String =
            rest.lines().filter_map(|line| line.strip_prefix("> ")).map(|line| format!("{line}\n")).collect();
        let run = if typed.is_empty() { abridge(&args) } else { abridge_with(&args, &typed) };
        let expected: Vec<&str> =
            rest.lines().filter(|line| !line.starts_with("> ")).take_while(|line| !line.contains("states/s")).collect();
        let found: Vec<&str> = run.stdout.lines().take(expected.len()).collect();
        assert_eq!(found, expected, "{command}");
        n_examples += 1;
    }
    assert!(n_examples >= 3, "{n_examples}");
    println!("{n_examples} examples of README.md");
}

#[test]
fn the_tutorial_is_true() {
    let folder = Folder::new("tutorial");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorial.md");
    let text = std::fs::read_to_string(path).expect("the page");
    let mut n_examples = 0;
    for block in text.split("```").skip(1).step_by(2) {
        let (kind, content) = block.split_once('\n').expect("a block of several lines");
        if let Some(name) = kind.strip_prefix("b ") {
            folder.file(name, content);
            continue;
        }
        for example in content.split("$ abridge ").skip(1) {
            let (line, output) = example.split_once('\n').expect("a command and its output");
            let args = words(line);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let done = command(&args).current_dir(folder.path("")).output().expect("the program runs");
            let found = String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
            let expected: Vec<&str> = output.lines().take_while(|line| *line != "...").collect();
            let found: Vec<&str> = found.lines().take(expected.len()).collect();
            assert_eq!(found, expected, "{line}");
            n_examples += 1;
        }
    }
    assert!(n_examples >= 8, "{n_examples}");
    assert!(folder.names().contains(&"shop.html".to_owned()));
    println!("{n_examples} examples of docs/tutorial.md");
}
