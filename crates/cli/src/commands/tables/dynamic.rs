//! The tables of Emerson and Wahl, "Dynamic Symmetry Reduction" (TACAS 2005), beside the symbolic engine.
//!
//! The paper prints no models; those under `models/` are reconstructions, so that only orders of magnitude compare. Of the paper's methods the engine has two: images of the whole
//! machine, and the same with representatives sorted inside the fixpoint.

use std::time::Instant;

use abridge_check::{Config, Engine, Method, check};
use abridge_sema::Options;

use super::TablesOptions;
use crate::exit::Exit;
use crate::load::load;
use crate::out::{errln, outln};
use crate::watch::{Interrupt, Watch, grouped};

/// Name in the paper, machine, sizes of its sets, and the published peak nodes and times: no symmetry, multiple representatives, counter abstraction, dynamic.
type Line = (&'static str, &'static str, &'static [(&'static str, u32)], [&'static str; 4]);

const LINES: &[Line] = &[
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
    let lines: Vec<&Line> = LINES.iter().filter(|(_, file, ..)| file.contains(&options.only)).collect();
    if lines.is_empty() {
        return None;
    }
    outln!("## E, Tables 1 and 2: dynamic symmetry reduction (reconstructed models; peak nodes and time)\n");
    outln!(
        "| problem | no symmetry | multiple representatives | counter abstraction | dynamic | ours: off | ours: dynamic |"
    );
    outln!("|---|---|---|---|---|---|---|");
    for (name, file, sizes, published) in lines {
        let path = options.models.join(file);
        let set_sizes = sizes.iter().map(|(set, size)| ((*set).to_owned(), *size)).collect();
        let analysis = load(&path, &Options { set_sizes, ..Options::default() });
        let Some(model) = &analysis.model else {
            let message = analysis.diagnostics.iter().find(|one| one.is_error()).map(|one| one.message.clone());
            errln!("error: {}: {}", path.display(), message.unwrap_or_default());
            return Some(Exit::WrongModel);
        };
        let ours = [Method::Off, Method::Auto].map(|symmetry| {
            let config = Config { engine: Engine::Symbolic, symmetry, temporal: false, ..Config::default() };
            let start = Instant::now();
            let mut watch = Watch::new(start, Some(options.time), None, false, interrupt.clone());
            let report = check(model, &config, &mut watch);
            let nodes = report.symbolic.as_ref().map_or(0, |symbolic| symbolic.peak_nodes);
            match report.limits.is_empty() {
                true => format!("{} / {:.2} s", grouped(nodes as u64), start.elapsed().as_secs_f64()),
                false => "*".to_owned(),
            }
        });
        outln!("| {name} | {} | {} |", published.join(" | "), ours.join(" | "));
    }
    outln!();
    None
}
