//! The tables of Emerson and Wahl, "Dynamic Symmetry Reduction" (TACAS 2005), beside the symbolic engine.
//!
//! The paper prints no models; those under `models/` are reconstructions, so that only orders of magnitude compare. Each of the paper's methods has a column: images of the whole
//! machine, a relation to several representatives, counters, and representatives sorted inside the fixpoint. Patterns, partial states up to permutations, are ours.

use std::time::Instant;

use abridge_check::{Config, Direction, Engine, Method, Representatives, check};
use abridge_diag::StopFlag;
use abridge_model::Model;
use abridge_sema::Options;

use super::TablesOptions;
use crate::exit::Exit;
use crate::load::load;
use crate::out::{errln, outln};
use crate::watch::{Interrupt, Watch, grouped, processor_time};

/// Name in the paper, machine, sizes of its sets, and the published peak nodes and times: no symmetry, multiple representatives, counter abstraction, dynamic.
type PublishedLine = (&'static str, &'static str, &'static [(&'static str, u32)], [&'static str; 4]);

const LINES: &[PublishedLine] = &[
    ("MsLock 10", "MsLock.mch", &[("PROC", 10)], ["-", "369,239 / 1:15 m", "68,154 / 29 s", "24,092 / 15 s"]),
    ("MsLock 20", "MsLock.mch", &[("PROC", 20)], ["-", "4,407,127 / 4:05 h", "325,325 / 7:06 m", "139,990 / 9:35 m"]),
    ("MsLock 30", "MsLock.mch", &[("PROC", 30)], ["-", "> 13 M / > 28 h", "725,672 / 24:26 m", "375,649 / 1:23 h"]),
    ("CCP 3", "GermanBug.mch", CCP[0], ["-", "16,522,710 / 13:12 h", "1,988,991 / 7:55 m", "14,088 / 1 s"]),
    ("CCP 5", "GermanBug.mch", CCP[1], ["-", "> 12 M / > 35 h", "4,001,573 / 1:49 h", "74,754 / 14 s"]),
    ("CCP 10", "GermanBug.mch", CCP[2], ["-", "-", "> 14 M / > 18 h", "1,075,206 / 26:35 m"]),
    ("CCP 15", "GermanBug.mch", CCP[3], ["-", "-", "-", "4,947,726 / 6:17 h"]),
    ("Compare&Swap 40", "McsLock.mch", &[("PROC", 40)], ["376,681 / 1 m", "157,470 / 25 s", "-", "48,433 / 10 s"]),
    (
        "Compare&Swap 50",
        "McsLock.mch",
        &[("PROC", 50)],
        ["> 14 M / > 24 h", "4,259,627 / 37:34 m", "-", "419,529 / 4:03 m"],
    ),
    ("Compare&Swap 60", "McsLock.mch", &[("PROC", 60)], ["-", "> 10 M / > 24 h", "-", "6,246,717 / 2:10 h"]),
    (
        "Fetch&Store 40",
        "FetchStoreLock.mch",
        &[("PROC", 40)],
        ["1,083,830 / 4:12 m", "413,036 / 2:02 m", "-", "160,628 / 40 s"],
    ),
    (
        "Fetch&Store 50",
        "FetchStoreLock.mch",
        &[("PROC", 50)],
        ["> 12 M / > 24 h", "> 11 M / > 24 h", "-", "2,017,634 / 29:43 m"],
    ),
    ("Fetch&Store 60", "FetchStoreLock.mch", &[("PROC", 60)], ["-", "-", "-", "> 12 M / > 24 h"]),
    (
        "Distributed list 30",
        "DistributedList.mch",
        &[("CELL", 30)],
        ["861,158 / 28 s", "708,339 / 20 s", "-", "60,394 / 2 s"],
    ),
    (
        "Distributed list 40",
        "DistributedList.mch",
        &[("CELL", 40)],
        ["6,380,209 / 4:35 m", "2,963,024 / 2:37 m", "-", "213,448 / 5 s"],
    ),
    (
        "Distributed list 50",
        "DistributedList.mch",
        &[("CELL", 50)],
        ["> 15 M / > 24 h", "13,580,042 / 29:30 m", "-", "271,366 / 11 s"],
    ),
    // Sizes that the paper does not have.
    ("Compare&Swap 2", "McsLock.mch", &[("PROC", 2)], NONE),
    ("Compare&Swap 3", "McsLock.mch", &[("PROC", 3)], NONE),
    ("Compare&Swap 4", "McsLock.mch", &[("PROC", 4)], NONE),
    ("Compare&Swap 8", "McsLock.mch", &[("PROC", 8)], NONE),
    ("Compare&Swap 12", "McsLock.mch", &[("PROC", 12)], NONE),
    ("Fetch&Store 2", "FetchStoreLock.mch", &[("PROC", 2)], NONE),
];

const NONE: [&str; 4] = ["-"; 4];

/// Machines with a queue: sets of queues have large diagrams forwards, so these are searched backwards, from states without mutual exclusion.
const BACKWARD: [&str; 3] = ["McsLock.mch", "FetchStoreLock.mch", "DistributedList.mch"];

/// Nodes at most; the runs of the paper ended at 10 to 15 million.
const MAX_NODES: usize = 1 << 24;

/// Our columns.
const METHODS: [(Method, Representatives); 5] = [
    (Method::Off, Representatives::Dynamic),
    (Method::Auto, Representatives::Multiple),
    (Method::Auto, Representatives::Counters),
    (Method::Auto, Representatives::Dynamic),
    (Method::Auto, Representatives::Patterns),
];

/// One value of data: the properties of control.
const CCP: [&[(&str, u32)]; 4] = [
    &[("NODE", 3), ("DATA", 1)],
    &[("NODE", 5), ("DATA", 1)],
    &[("NODE", 10), ("DATA", 1)],
    &[("NODE", 15), ("DATA", 1)],
];

/// Prints the tables; an exit status if a machine cannot be read.
pub(super) fn print(options: &TablesOptions, interrupt: &Interrupt) -> Option<Exit> {
    let lines: Vec<&PublishedLine> = LINES.iter().filter(|(_, file, ..)| file.contains(&options.only)).collect();
    if lines.is_empty() {
        return None;
    }
    outln!("## E, Tables 1 and 2: dynamic symmetry reduction (reconstructed models)\n");
    outln!("The paper: peak nodes / time. Ours: most live nodes, most nodes with garbage / processor time.\n");
    outln!(
        "| problem | no symmetry | multiple representatives | counter abstraction | dynamic | ours: off | ours: multiple | ours: counters | ours: dynamic | ours: patterns |"
    );
    outln!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, file, sizes, published) in lines {
        let path = options.models.join(file);
        let set_sizes = sizes.iter().map(|(set, size)| ((*set).to_owned(), *size)).collect();
        let analysis = load(&path, &Options { set_sizes, ..Options::default() });
        let Some(model) = &analysis.model else {
            let message = analysis.diagnostics.iter().find(|one| one.is_error()).map(|one| one.message.clone());
            errln!("error: {}: {}", path.display(), message.unwrap_or_default());
            return Some(Exit::WrongModel);
        };
        let ours = METHODS.map(|method| cell(model, method, BACKWARD.contains(file), options, interrupt));
        outln!("| {name} | {} | {} |", published.join(" | "), ours.join(" | "));
    }
    outln!();
    None
}

/// Nodes and time of one method; how far it came if it does not finish, a dash if it does not apply.
fn cell(
    model: &Model,
    (symmetry, representatives): (Method, Representatives),
    is_backward: bool,
    options: &TablesOptions,
    interrupt: &Interrupt,
) -> String {
    if representatives == Representatives::Patterns && !is_backward {
        return "-".to_owned();
    }
    let (start, before) = (Instant::now(), processor_time());
    let time = options.time;
    // Relations are computed before the first poll of the watch.
    let stop = StopFlag::probed(move || start.elapsed().as_secs_f64() > time);
    let config = Config {
        engine: Engine::Symbolic,
        symmetry,
        representatives,
        direction: if is_backward { Direction::Backward } else { Direction::Forward },
        deadlock: !is_backward,
        max_nodes: MAX_NODES,
        temporal: false,
        stop,
        ..Config::default()
    };
    let mut watch = Watch::new(start, Some(time), None, false, interrupt.clone());
    let report = check(model, &config, &mut watch);
    let nodes = report.symbolic.as_ref().map_or((0, 0), |symbolic| (symbolic.live_nodes, symbolic.peak_nodes));
    let inapplicable = ["counter abstraction: ", "backward search: "];
    if report.limits.iter().any(|limit| inapplicable.iter().any(|start| limit.starts_with(start))) {
        return "-".to_owned();
    }
    let taken = processor_time().zip(before).map_or_else(|| start.elapsed(), |(now, before)| now - before);
    let seconds = taken.as_secs_f64();
    let backward = report.symbolic.as_ref().and_then(|symbolic| symbolic.backward.as_ref());
    if let Some(proof) = backward.and_then(|backward| backward.proof.as_ref()) {
        let what = match proof.patterns.len() {
            0 => "inductive".to_owned(),
            n_patterns => format!("{n_patterns} patterns"),
        };
        return format!("{what} / {seconds:.2} s");
    }
    let (live, peak) = nodes;
    let nodes = format!("{} live, {}", grouped(live as u64), grouped(peak as u64));
    if report.limits.is_empty() {
        return format!("{nodes} / {seconds:.2} s");
    }
    // No nodes are reported where the diagrams of the machine itself were not finished.
    if peak == 0 { format!("> {seconds:.0} s") } else { format!("> {nodes} / > {seconds:.0} s") }
}
