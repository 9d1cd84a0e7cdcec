//! Tables 1 to 3 of Lluch Lafuente, Meseguer, Vandin, "State Space c-Reductions of Concurrent Systems in Rewriting Logic", beside our numbers.
//!
//! The paper prints no rules; the machines under `models/` were reconstructed from its counts. A cell that differs is marked, and its reason is given below the
//! table: a count that is silently off would make the reconstruction worthless.

use std::time::Instant;

use abridge_check::{Config, Method, check, choose_reductions};

use super::{TablesOptions, model};
use crate::exit::Exit;
use crate::out::{errln, outln};
use crate::watch::{Interrupt, Watch, grouped};

/// A published table: states per machine and reduction.
struct CanonizerTable {
    title: &'static str,
    file: &'static str,
    set: &'static str,
    /// Reductions, and whether the first state is canonised.
    columns: &'static [(&'static str, bool)],
    /// Size, and the published number for each column; `-` where there is none.
    lines: &'static str,
    /// Why cells differ.
    reasons: &'static str,
}

const TABLES: &[CanonizerTable] = &[
    CanonizerTable {
        title: "C, Table 3: philosophers with messages",
        file: "ForkMessages.mch",
        set: "PHIL",
        columns: &[("nr", true), ("nr,rp,fs", true), ("na", false), ("na,rs", true)],
        lines: "\
            2 21 10 18 10
            3 115 27 76 27
            4 801 86 322 86
            5 6251 275 1364 275
            6 54869 982 5778 982
            7 541731 3499 24476 3499
            8 - 13016 103682 13006
            9 - 48828 439204 48819",
        reasons: "`nr,rp,fs` is not strong: which of several rotations with equal phases is kept depends on an order of messages that the paper does not print. That of `rp` gives \
                  its counts, except for 6 philosophers, where it is 983. `na` leaves the first state as it is.",
    },
    CanonizerTable {
        title: "C, Table 1: Peterson, as per cent of the states that are saved",
        file: "Peterson.mch",
        set: "PROC",
        columns: &[("", true), ("swap:local", true), ("swap:enumerate", true), ("all", true)],
        lines: "\
            2 - - 45.46% 45.46%
            3 - 76.60% 82.98% 82.98%
            4 - 92.85% 94.81% 94.81%",
        reasons: "Orbits are 6, 20 and 62. The paper saves 82.98 % for 3 processes, which is 16 states and not the number of orbits; 94.81 % are 53 of 1,021 states. Its local strategy \
                  is not printed.",
    },
    CanonizerTable {
        title: "C, Table 2: chain replication",
        file: "ChainReplication.mch",
        set: "CLIENT",
        columns: &[("", true), ("swap:local", true), ("all", true)],
        lines: "\
            2 72063 29534 12235
            3 952747 307532 160121",
        reasons: "The paper prints neither rules nor sizes of messages; the machine is the protocol of van Renesse and Schneider with one request for each client, and servers that fail. Generators that \
                  exchange any two clients reach the least state, so that the local strategy is as strong as enumeration.",
    },
    CanonizerTable {
        title: "C, Table 1: database managers, as per cent of the states that are saved",
        file: "Managers.mch",
        set: "MANAGER",
        columns: &[("", true), ("swap:local", true), ("all", true)],
        lines: "\
            7 - 98.83% 99.70%
            8 - 99.45% 99.91%",
        reasons: "Generators that exchange any two managers reach the least state, so that the local strategy is as strong as enumeration here; that of the paper is weaker.",
    },
];

/// Prints the tables; an exit status if a machine is not there.
pub(super) fn print(options: &TablesOptions, interrupt: &Interrupt) -> Option<Exit> {
    for table in TABLES.iter().filter(|table| table.file.contains(&options.only)) {
        outln!("## {}\n", table.title);
        let names = table.columns.iter().map(|(names, _)| if names.is_empty() { "off" } else { *names });
        outln!("| size | {} |", names.collect::<Vec<_>>().join(" | "));
        outln!("|---|{}", "---|".repeat(table.columns.len()));
        for line in table.lines.lines() {
            match row(table, line.trim(), options, interrupt) {
                Ok(text) => outln!("{text}"),
                Err(message) => {
                    errln!("error: {message}");
                    return Some(Exit::WrongModel);
                }
            }
        }
        outln!("\nCells are states, the published number if it differs, and seconds. {}\n", table.reasons);
    }
    None
}

fn row(table: &CanonizerTable, line: &str, options: &TablesOptions, interrupt: &Interrupt) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [size, published @ ..] = &words[..] else { return Err(format!("`{line}` is not a row")) };
    let model = model(&options.models.join(table.file), table.set, size)?;
    let mut cells = vec![(*size).to_owned()];
    let mut all_states = None;
    for ((names, canonises_start), published) in table.columns.iter().zip(published) {
        let reduce = if names.is_empty() { Vec::new() } else { choose_reductions(&model, names)? };
        let config = Config {
            reduce,
            canonises_start: *canonises_start,
            find_all: true,
            deadlock: false,
            symmetry: Method::Off,
            ..Config::default()
        };
        let start = Instant::now();
        let mut watch = Watch::new(start, Some(options.time), None, false, interrupt.clone());
        let report = check(&model, &config, &mut watch);
        // A reduction without a proof is one limit; the table is about counts.
        let is_finished = report.limits.iter().all(|limit| limit.starts_with("reduction tested on"));
        if names.is_empty() {
            all_states = is_finished.then_some(report.states);
        }
        cells.push(match is_finished {
            true => {
                let differs = difference(report.states, all_states, published);
                format!("{}{differs} / {:.2}", grouped(report.states), start.elapsed().as_secs_f64())
            }
            false => "*".to_owned(),
        });
    }
    Ok(format!("| {} |", cells.join(" | ")))
}

/// The published number, if it is another one.
fn difference(states: u64, all_states: Option<u64>, published: &str) -> String {
    let is_same = match (published.strip_suffix('%'), all_states) {
        _ if published == "-" => true,
        // The paper prints two digits, and rounds 45.4545 up.
        (Some(percent), Some(all)) => {
            let saved = 100.0 * (1.0 - states as f64 / all as f64);
            percent.parse::<f64>().is_ok_and(|published| (saved - published).abs() < 0.01)
        }
        (Some(_), None) => true,
        (None, _) => published == states.to_string(),
    };
    if is_same { String::new() } else { format!(" (! {published})") }
}
