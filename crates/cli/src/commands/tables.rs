//! `abridge bench tables`: the tables of the symmetry papers beside our numbers.
//!
//! Tables 1 and 2 of Leuschel, Butler, Spermann, Turner, "Symmetry Reduction for B by Permutation Flooding" (F), and Tables 4.1 to 4.4, C.1 and C.2 of
//! Spermann's thesis (S). Machines are those under `models/`. Nodes include the root, as there.

mod canonizers;
mod dynamic;

use std::path::{Path, PathBuf};
use std::time::Instant;

use abridge_check::{Config, Method, check};
use abridge_model::Model;
use abridge_sema::Options;
use clap::Args;

use crate::commands::seconds;
use crate::exit::Exit;
use crate::load::load;
use crate::out::{errln, outln};
use crate::watch::{Interrupt, Watch, grouped};

#[derive(Args)]
pub(crate) struct TablesOptions {
    /// Folder of the machines
    #[arg(long, value_name = "DIR", default_value = "models")]
    models: PathBuf,
    /// Run only machines whose name contains TEXT
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Time limit per run
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    time: f64,
}

/// A published table. A line has machine, sets, size of the sets, and one number per column; `-` stands for a missing number.
struct PublishedTable {
    title: &'static str,
    columns: &'static [Column],
    lines: &'static str,
}

/// Quantity of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Nodes(Ours),
    Transitions(Ours),
    Seconds(Ours),
}

/// Our method that a column is compared with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ours {
    Off,
    Flood,
    Marker,
    Canon,
    /// Any exact method.
    Auto,
}

use Column::{Nodes, Seconds, Transitions};
use Ours::{Auto, Canon, Flood, Marker, Off};

const METHODS: [Ours; 5] = [Off, Auto, Canon, Flood, Marker];

impl Ours {
    fn method(self) -> Method {
        match self {
            Off => Method::Off,
            Auto => Method::Auto,
            Canon => Method::Canon,
            Flood => Method::Flood,
            Marker => Method::Marker { is_precise: false },
        }
    }
}

const TABLES: &[PublishedTable] = &[
    PublishedTable {
        title: "F, Table 1: with and without flooding",
        columns: &[Seconds(Off), Seconds(Flood), Nodes(Off), Nodes(Flood), Transitions(Off), Transitions(Flood)],
        lines: "\
            scheduler.mch PID 1 0.01 0.01 4 4 5 5
            scheduler.mch PID 2 0.04 0.03 11 7 25 16
            scheduler.mch PID 3 0.09 0.04 36 11 121 38
            scheduler.mch PID 4 0.43 0.07 125 16 561 75
            scheduler.mch PID 5 1.97 0.23 438 22 2481 131
            scheduler.mch PID 6 8.63 1.22 1523 29 10489 210
            scheduler.mch PID 7 36.63 9.87 5232 37 42617 316
            RussianPostalPuzzle.mch KeyIDs 1 0.05 0.05 15 15 24 24
            RussianPostalPuzzle.mch KeyIDs 2 0.32 0.21 81 48 177 105
            RussianPostalPuzzle.mch KeyIDs 3 1.32 0.46 441 119 1227 331
            RussianPostalPuzzle.mch KeyIDs 4 8.73 1.90 2325 248 7869 838
            RussianPostalPuzzle.mch KeyIDs 5 54.06 12.18 11985 459 47795 1826
            scheduler0.mch PROC 1 0.01 0.01 5 5 6 6
            scheduler0.mch PROC 2 0.07 0.05 16 10 37 23
            scheduler0.mch PROC 3 0.28 0.07 55 17 190 59
            scheduler0.mch PROC 4 0.98 0.20 190 26 865 121
            scheduler0.mch PROC 5 4.52 0.75 649 37 3646 216
            scheduler0.mch PROC 6 20.35 4.74 2188 50 14581 351
            scheduler1.ref PROC 1 0.01 0.01 5 5 6 6
            scheduler1.ref PROC 2 0.05 0.06 27 14 62 32
            scheduler1.ref PROC 3 0.41 0.11 145 29 447 94
            scheduler1.ref PROC 4 2.96 0.34 825 51 2948 211
            scheduler1.ref PROC 5 23.93 1.70 5201 81 19925 405
            scheduler1.ref PROC 6 192.97 13.37 37009 120 145926 701
            scheduler1.ref PROC 7 941.46 167.95 297473 169 506084 1127
            USB.mch TRANSFERS 1 0.21 0.26 23 23 652 652
            USB.mch TRANSFERS 2 7.70 3.03 415 214 13120 6736
            USB.mch TRANSFERS 3 283.05 47.92 7663 1398 248540 45302",
    },
    PublishedTable {
        title: "F, Table 2: a more expensive invariant",
        columns: &[Seconds(Off), Seconds(Flood), Nodes(Off), Nodes(Flood), Transitions(Off), Transitions(Flood)],
        lines: "\
            scheduler1_plus.ref PROC 2 0.23 0.14 27 14 62 32
            scheduler1_plus.ref PROC 3 1.81 0.37 145 29 447 94
            scheduler1_plus.ref PROC 4 32.48 1.97 825 51 2948 211
            scheduler1_plus.ref PROC 5 766.19 11.18 5201 81 19925 405",
    },
    PublishedTable {
        title: "S, Table 4.1: all methods visit the same states",
        columns: &[
            Nodes(Off),
            Nodes(Auto),
            Seconds(Off),
            Seconds(Flood),
            Seconds(Marker),
            Seconds(Canon),
            Seconds(Auto),
        ],
        lines: "\
            scheduler0.mch PROC 2 16 10 0.04 0.03 0.03 0.05 0.03
            scheduler0.mch PROC 3 55 17 0.23 0.08 0.08 0.16 0.09
            scheduler0.mch PROC 4 190 26 1.10 0.24 0.17 0.60 0.21
            scheduler0.mch PROC 5 649 37 5.10 0.94 0.33 2.76 0.41
            scheduler0.mch PROC 6 2188 50 23.08 6.11 0.61 17.12 0.76
            scheduler0.mch PROC 7 7291 65 115.01 55.07 1.00 139.05 1.28
            scheduler1.ref PROC 2 27 14 0.06 0.04 0.03 0.26 0.05
            scheduler1.ref PROC 3 145 29 0.46 0.12 0.10 1.29 0.16
            scheduler1.ref PROC 4 825 51 3.36 0.43 0.25 6.27 0.39
            scheduler1.ref PROC 5 5201 81 27.13 2.28 0.54 35.56 0.84
            scheduler1.ref PROC 6 37009 120 333.82 35.71 0.96 674.26 1.61
            scheduler1.ref PROC 7 - 169 - - 1.66 - 2.80
            scheduler1.ref PROC 10 - 386 - - 6.51 - 11.37
            scheduler1.ref PROC 15 - 1041 - - 35.67 - 67.08
            scheduler1.ref PROC 20 - 2171 - - 141.96 - 257.16
            RussianPostalPuzzle.mch KeyIDs 1 15 15 0.03 0.03 0.03 0.07 0.06
            RussianPostalPuzzle.mch KeyIDs 2 81 48 0.21 0.14 0.13 0.42 0.25
            RussianPostalPuzzle.mch KeyIDs 3 441 119 1.40 0.54 0.43 2.20 0.81
            RussianPostalPuzzle.mch KeyIDs 4 2325 248 9.36 2.37 1.14 11.53 2.23
            RussianPostalPuzzle.mch KeyIDs 5 11985 459 64.52 15.91 2.58 63.97 5.57
            USB_4Endpoints.mch TRANSFERS 1 29 29 0.21 0.21 0.23 24.67 1.14
            USB_4Endpoints.mch TRANSFERS 2 694 355 10.69 5.80 7.74 547.17 21.97
            USB_4Endpoints.mch TRANSFERS 3 16906 3013 1533.54 265.19 208.40 - 297.43",
    },
    PublishedTable {
        title: "S, Table 4.2: methods visit different numbers of states (the thesis's older `canon` was not exact)",
        columns: &[
            Nodes(Off),
            Nodes(Flood),
            Nodes(Marker),
            Nodes(Auto),
            Seconds(Off),
            Seconds(Flood),
            Seconds(Marker),
            Seconds(Canon),
            Seconds(Auto),
        ],
        lines: "\
            TokenRing.mch Servers 2 35 19 19 19 0.07 0.06 0.05 0.11 0.07
            TokenRing.mch Servers 3 295 60 60 60 0.49 0.19 0.16 0.65 0.22
            TokenRing.mch Servers 4 3097 174 141 174 6.57 1.44 0.46 6.47 0.86
            TokenRing.mch Servers 5 38521 480 278 480 175.61 42.90 0.97 61.98 2.96
            TokenRing.mch Servers 6 - - 495 1252 - - 2.09 921.79 9.90
            TokenRing.mch Servers 7 - - 816 3160 - - 4.27 - 33.86
            Dining.mch Phil,Forks 2 21 8 7 8 0.07 0.05 0.04 0.06 0.05
            Dining.mch Phil,Forks 3 337 13 11 13 1.50 0.18 0.08 0.27 0.10
            Dining.mch Phil,Forks 4 17713 48 17 48 145.53 18.13 0.15 3.39 0.54
            Towns.mch TOWN 2 17 11 11 11 0.34 0.20 0.21 0.24 0.21
            Towns.mch TOWN 3 513 105 105 105 67.78 13.45 13.73 15.68 13.93
            Towns.mch TOWN 4 65537 3045 3011 3045 - 1721.73 1748.45 - 1732.03",
    },
    PublishedTable {
        title: "S, Tables 4.3 and 4.4: tic-tac-toe (the thesis counts flooded states; NAUTY timed out on the first)",
        columns: &[
            Nodes(Off),
            Nodes(Marker),
            Nodes(Auto),
            Seconds(Off),
            Seconds(Flood),
            Seconds(Marker),
            Seconds(Auto),
        ],
        lines: "\
            TicTacToe_Sym.mch - 0 5480 1401 - 518.6 138.3 139.2 -
            TicTacToe_SimplerSym.mch - 0 5480 1450 1450 97.6 26.6 26.7 29.1",
    },
    PublishedTable {
        title: "S, Tables C.1 and C.2: graphs that were labelled, which are the transitions between representatives",
        columns: &[Transitions(Auto)],
        lines: "\
            scheduler0.mch PROC 2 23
            scheduler0.mch PROC 3 59
            scheduler0.mch PROC 4 121
            scheduler0.mch PROC 5 216
            scheduler0.mch PROC 6 351
            scheduler0.mch PROC 7 533
            scheduler1.ref PROC 3 94
            RussianPostalPuzzle.mch KeyIDs 2 105
            USB_4Endpoints.mch TRANSFERS 1 838
            TokenRing.mch Servers 3 183",
    },
];

pub(crate) fn run(options: &TablesOptions) -> Exit {
    let interrupt = Interrupt::new();
    for table in TABLES {
        let lines: Vec<&str> = table.lines.lines().map(str::trim).filter(|line| line.contains(&options.only)).collect();
        if lines.is_empty() {
            continue;
        }
        outln!("## {}\n", table.title);
        outln!("| machine | size | published | off | auto | canon | flood | marker |");
        outln!("|---|---|---|---|---|---|---|---|");
        for line in lines {
            match row(table, line, options, &interrupt) {
                Ok(text) => outln!("{text}"),
                Err(message) => {
                    errln!("error: {message}");
                    return Exit::WrongModel;
                }
            }
        }
        outln!();
    }
    let others = dynamic::print(options, &interrupt).or_else(|| canonizers::print(options, &interrupt));
    if let Some(exit) = others {
        return exit;
    }
    outln!(
        "Cells are nodes, transitions and seconds. `*`: not finished in {} s. `!`: not the published number.",
        options.time
    );
    Exit::Ok
}

/// Counts and time of a finished run.
struct CellResult {
    nodes: u64,
    transitions: u64,
    seconds: f64,
}

fn row(table: &PublishedTable, line: &str, options: &TablesOptions, interrupt: &Interrupt) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [file, sets, size, numbers @ ..] = &words[..] else { return Err(format!("`{line}` is not a row")) };
    let model = model(&options.models.join(file), sets, size)?;
    let published: Vec<(Column, &str)> =
        table.columns.iter().copied().zip(numbers.iter().copied()).filter(|(_, number)| *number != "-").collect();
    let mut cells = vec![(*file).to_owned(), (*size).to_owned(), published_text(&published)];
    for ours in METHODS {
        cells.push(match run_one(&model, file, ours, options, interrupt) {
            Some(outcome) => outcome_text(&outcome, ours, &published),
            None => "*".to_owned(),
        });
    }
    Ok(format!("| {} |", cells.join(" | ")))
}

fn model(path: &Path, sets: &str, size: &str) -> Result<Model, String> {
    let size: u32 = size.parse().unwrap_or(0);
    let sets = sets.split(',').filter(|_| size > 0);
    let options = Options { set_sizes: sets.map(|set| (set.to_owned(), size)).collect(), ..Options::default() };
    let analysis = load(path, &options);
    let message = analysis.diagnostics.iter().find(|one| one.is_error()).map(|one| one.message.clone());
    analysis.model.ok_or_else(|| format!("{}: {}", path.display(), message.unwrap_or_default()))
}

fn run_one(
    model: &Model,
    file: &str,
    ours: Ours,
    options: &TablesOptions,
    interrupt: &Interrupt,
) -> Option<CellResult> {
    let config =
        Config { find_all: true, assertions: false, goal: false, symmetry: ours.method(), ..Config::default() };
    // In the tables of tic-tac-toe the middle is a fixed square.
    let config = if file.starts_with("TicTacToe") { config.prob() } else { config };
    let mut watch = Watch::new(Instant::now(), Some(options.time), None, false, interrupt.clone());
    let start = Instant::now();
    let report = check(model, &config, &mut watch);
    let is_finished = report.limits.is_empty() || report.symmetry.is_approximate && report.limits.len() == 1;
    is_finished.then(|| CellResult {
        nodes: report.states + 1,
        transitions: report.transitions,
        seconds: start.elapsed().as_secs_f64(),
    })
}

fn published_text(published: &[(Column, &str)]) -> String {
    let name = |ours: Ours| match ours {
        Off => "off",
        Flood => "flood",
        Marker => "marker",
        Canon => "canon",
        Auto => "nauty",
    };
    let text = |(column, number): &(Column, &str)| match column {
        Nodes(ours) => format!("{}: {number} nodes", name(*ours)),
        Transitions(ours) => format!("{}: {number} transitions", name(*ours)),
        Seconds(ours) => format!("{}: {number} s", name(*ours)),
    };
    published.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn outcome_text(outcome: &CellResult, ours: Ours, published: &[(Column, &str)]) -> String {
    // Exact methods all have to agree with any published exact number.
    let is_meant = |other: Ours| other == ours || ![Off, Marker].contains(&ours) && ![Off, Marker].contains(&other);
    let differs = published.iter().any(|(column, number)| match column {
        Nodes(other) => is_meant(*other) && *number != outcome.nodes.to_string(),
        Transitions(other) => is_meant(*other) && *number != outcome.transitions.to_string(),
        Seconds(_) => false,
    });
    let mark = if differs { " !" } else { "" };
    format!("{} / {} / {:.3}{mark}", grouped(outcome.nodes), grouped(outcome.transitions), outcome.seconds)
}
