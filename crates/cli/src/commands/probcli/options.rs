//! Options of ProB's command line, and what becomes of each.
//!
//! A row that promises more than its effect does would let scripts pass that should not.

use super::{INIT, Plan};
use crate::exit::Exit;
use crate::text::io_text;

/// One option with its other names.
pub(super) struct OptionRow {
    pub(super) names: &'static [&'static str],
    pub(super) n_values: usize,
    pub(super) effect: OptionEffect,
    /// Command or option of Abridge, the reason why there is no effect, or an alternative.
    pub(super) becomes: &'static str,
}

pub(super) enum OptionEffect {
    /// Options of `abridge check`.
    Check(&'static [&'static str]),
    /// A change of the plan that depends on the values.
    Do(fn(&mut Plan, &[&str]) -> Result<(), String>),
    /// Nothing, for the reason that the row has.
    None,
    /// An action that Abridge does not have.
    Missing,
}

const fn row(
    names: &'static [&'static str],
    n_values: usize,
    effect: OptionEffect,
    becomes: &'static str,
) -> OptionRow {
    OptionRow { names, n_values, effect, becomes }
}

fn check(plan: &mut Plan) {
    (plan.is_checked, plan.checks_states) = (true, true);
}

fn add(list: &mut Vec<String>, words: &[&str]) {
    list.extend(words.iter().map(|word| (*word).to_owned()));
}

fn milliseconds(text: &str) -> Result<String, String> {
    let number: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of milliseconds"))?;
    Ok((number / 1000.0).to_string())
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn mode(plan: &mut Plan, values: &[&str]) -> Result<(), String> {
    let order = match values[0] {
        "bf" => "bfs",
        "df" => "dfs",
        "mixed" => "mixed",
        other @ ("hash" | "heuristic" | "random" | "size" | "out_degree" | "out_degree_hash") => {
            plan.notes.push(format!("`-mc_mode {other}` has no effect: the order is breadth-first"));
            return Ok(());
        }
        other => return Err(format!("unknown mode of search `{other}`")),
    };
    add(&mut plan.check, &["--strategy", order]);
    Ok(())
}

/// Names that ProB gives to errors, with the exit statuses that they become.
const ERRORS: &[(&str, &[Exit])] = &[
    ("deadlock", &[Exit::Deadlock]),
    ("invariant_violation", &[Exit::Invariant]),
    ("assertion_violation", &[Exit::Assertion]),
    ("ltl", &[Exit::Temporal]),
    ("ltl_formula_violation", &[Exit::Temporal]),
    ("ctl", &[Exit::Temporal]),
    ("refinement_check_fails", &[Exit::Refinement]),
    ("model_check_incomplete", &[Exit::Incomplete]),
    // A check finds that the machine cannot start; the animator cannot initialise it.
    ("setup_constants_fails", &[Exit::Deadlock, Exit::No]),
    ("initialisation_fails", &[Exit::Deadlock, Exit::No]),
    ("well_definedness_error", &[Exit::IllDefined]),
    ("state_error", &[Exit::IllDefined]),
    ("precondition_error", &[Exit::IllDefined]),
    ("load_error", &[Exit::WrongModel]),
    ("type_error", &[Exit::WrongModel]),
    ("parse_error", &[Exit::WrongModel]),
    ("bmachine_static_checks", &[Exit::WrongModel]),
];

fn expect(plan: &mut Plan, values: &[&str]) -> Result<(), String> {
    let Some((name, exits)) = ERRORS.iter().find(|(name, _)| *name == values[0]) else {
        let names: Vec<&str> = ERRORS.iter().map(|(name, _)| *name).collect();
        return Err(format!("unknown kind of error `{}`; known are {}", values[0], names.join(", ")));
    };
    plan.expected = Some(((*name).to_owned(), exits));
    Ok(())
}

/// What a formula should be that is expected to be false.
fn false_formula() -> (String, &'static [Exit]) {
    ("FALSE".to_owned(), &[Exit::No])
}

/// Evaluates the formula in a file.
fn eval_file(plan: &mut Plan, file: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("cannot read `{file}`: {}", io_text(&error)))?;
    plan.other(&["eval", "--", text.trim()]);
    Ok(())
}

fn formula(plan: &mut Plan, option: &str, text: &str) -> Result<(), String> {
    plan.is_checked = true;
    add(&mut plan.check, &[option, text]);
    Ok(())
}

fn draw(plan: &mut Plan, kind: &str, file: &str) -> Result<(), String> {
    match kind {
        "state_space" | "statespace" | "state_space_sfdp" => plan.other(&["graph", "-o", file]),
        "history" => plan.missing.push(format!(
            "`-dot {kind}` cannot be done: `-his FILE.svg` draws the trace of a finding, `-his FILE` saves it"
        )),
        "enable_graph" | "dependence_graph" | "state_as_graph" | "signature_merge" | "transition_diagram" => {
            plan.missing.push(format!("`-dot {kind}` cannot be done: `abridge por --dot enabling` and `abridge graph --state` draw graphs of operations and states"));
        }
        other => {
            plan.missing.push(format!("`-dot {other}` cannot be done: of the graphs of ProB, `state_space` is drawn"))
        }
    }
    Ok(())
}

/// A drawing about an expression.
fn draw_formula(plan: &mut Plan, kind: &str, formula: &str, file: &str) -> Result<(), String> {
    match kind {
        "transition_diagram" => plan.other(&["graph", "--project", formula, "-o", file]),
        other => plan.missing.push(format!(
            "`-dotexpr {other}` cannot be done: of the graphs of expressions, `transition_diagram` is drawn"
        )),
    }
    Ok(())
}

fn table(plan: &mut Plan, kind: &str, file: &str) -> Result<(), String> {
    match kind {
        "operation_coverage" | "quick_operation_coverage" | "coverage" | "variable_coverage" | "minmax_table" => {
            check(plan);
            add(&mut plan.check, &[&format!("--coverage={file}")]);
        }
        other => plan.missing.push(format!(
            "`-csv {other}` cannot be done: of the tables of ProB, those of coverage are written (`--coverage=FILE`)"
        )),
    }
    Ok(())
}

fn replay(plan: &mut Plan, kind: &str, file: &str) -> Result<(), String> {
    match kind {
        "json" => plan.other(&["trace", "replay", file]),
        other => plan
            .missing
            .push(format!("`-trace_replay {other}` cannot be done: traces are read in the format of ProB 2 (json)")),
    }
    Ok(())
}

fn walk(plan: &mut Plan, n_steps: &str) -> Result<(), String> {
    let walk = format!("walk {}", number(n_steps)?);
    plan.other(&["animate", "--do", "init", "--do", &walk, "--do", "trace"]);
    Ok(())
}

/// All options that are known, in groups: checking, properties, formulas, models, animation, output, and what Abridge does not do.
pub(super) const OPTIONS: &[OptionRow] = &[
    row(
        &["model_check", "mc_all"],
        0,
        OptionEffect::Do(|plan, _| {
            check(plan);
            Ok(())
        }),
        "`abridge check`",
    ),
    row(
        &["mc"],
        1,
        OptionEffect::Do(|plan, values| {
            check(plan);
            let n_states = number(values[0])?;
            plan.max_drawn = Some(n_states);
            add(&mut plan.check, &["--max-states", &n_states.to_string()]);
            Ok(())
        }),
        "`abridge check --max-states N`",
    ),
    row(&["mc_mode"], 1, OptionEffect::Do(mode), "`--strategy bfs|dfs|mixed`; other orders are breadth-first"),
    row(
        &["bf", "breadth", "breadth_first"],
        0,
        OptionEffect::Check(&["--strategy", "bfs"]),
        "`--strategy bfs`, which is the default",
    ),
    row(&["df", "depth", "depth_first"], 0, OptionEffect::Check(&["--strategy", "dfs"]), "`--strategy dfs`"),
    row(&["nodead"], 0, OptionEffect::Check(&["--no-deadlock"]), "`--no-deadlock`"),
    row(&["noinv"], 0, OptionEffect::Check(&["--no-invariant"]), "`--no-invariant`"),
    row(&["noass"], 0, OptionEffect::Check(&["--no-assertions"]), "`--no-assertions`"),
    row(&["nogoal"], 0, OptionEffect::Check(&["--no-goal"]), "`--no-goal`"),
    row(&["noltl"], 0, OptionEffect::None, "temporal properties are checked with `-ltlassertions` only"),
    row(
        &["symbolic_model_check"],
        1,
        OptionEffect::Do(|plan, values| {
            check(plan);
            plan.notes.push(format!("`{}` becomes a symbolic search of the whole state space", values[0]));
            add(&mut plan.check, &["--engine", "symbolic"]);
            Ok(())
        }),
        "`abridge check --engine symbolic`",
    ),
    row(
        &["mc_with_tlc"],
        0,
        OptionEffect::Do(|plan, _| {
            check(plan);
            plan.notes.push("`-mc_with_tlc` is answered by Abridge itself".to_owned());
            Ok(())
        }),
        "`abridge check`: Abridge itself answers",
    ),
    row(
        &["mc_with_lts_min_seq", "mc_with_lts_min_sym", "mc_with_lts_seq", "mc_with_lts_sym"],
        0,
        OptionEffect::Do(|plan, _| {
            check(plan);
            plan.notes.push("LTSmin is not called: Abridge itself answers".to_owned());
            Ok(())
        }),
        "`abridge check`: Abridge itself answers",
    ),
    row(
        &["por"],
        1,
        OptionEffect::Do(|plan, values| {
            let how = if matches!(values[0], "off" | "none") { "off" } else { "semantic" };
            add(&mut plan.check, &["--por", how]);
            Ok(())
        }),
        "`--por semantic`, or `--por off`",
    ),
    row(
        &["global_time_out", "timeout", "time_out"],
        1,
        OptionEffect::Do(|plan, values| {
            let seconds = milliseconds(values[0])?;
            add(&mut plan.check, &["--time", &seconds]);
            Ok(())
        }),
        "`--time SECONDS`, from milliseconds",
    ),
    row(
        &["disable_timeout", "disable_time_out"],
        0,
        OptionEffect::Do(|plan, _| {
            add(&mut plan.model, &["-p", "TIME_OUT", "0"]);
            Ok(())
        }),
        "`-p TIME_OUT 0`: single evaluations have no time limit, also if the machine sets one",
    ),
    row(
        &["max_depth"],
        1,
        OptionEffect::Do(|plan, values| {
            add(&mut plan.check, &["--max-depth", &number(values[0])?.to_string()]);
            Ok(())
        }),
        "`--max-depth N`",
    ),
    row(
        &["goal"],
        1,
        OptionEffect::Do(|plan, values| {
            add(&mut plan.check, &["--goal", values[0]]);
            Ok(())
        }),
        "`--goal PRED`: the search ends at a state that satisfies it, with exit status 0",
    ),
    row(
        &["ltlassertions"],
        0,
        OptionEffect::Do(|plan, _| {
            (plan.is_checked, plan.checks_temporal) = (true, true);
            Ok(())
        }),
        "`abridge check`, which checks ASSERT_LTL and ASSERT_CTL unless `--no-temporal` is given",
    ),
    row(&["ltlformula"], 1, OptionEffect::Do(|plan, values| formula(plan, "--ltl", values[0])), "`--ltl FORMULA`"),
    row(&["ltlformulat"], 1, OptionEffect::Do(|plan, values| formula(plan, "--ltl", values[0])), "`--ltl FORMULA`"),
    row(
        &["ctlformula", "ctlformulat"],
        1,
        OptionEffect::Do(|plan, values| formula(plan, "--ctl", values[0])),
        "`--ctl FORMULA`",
    ),
    row(
        &["ltlfile"],
        1,
        OptionEffect::Do(|plan, values| formula(plan, "--formulas", values[0])),
        "`--formulas FILE`, with lines `ltl FORMULA` or `ctl FORMULA`",
    ),
    row(
        &["ltllimit"],
        1,
        OptionEffect::Do(|plan, values| {
            add(&mut plan.check, &["--max-states", &number(values[0])?.to_string()]);
            Ok(())
        }),
        "`--max-states N`",
    ),
    row(
        &["assertions", "main_assertions"],
        0,
        OptionEffect::Do(|plan, _| {
            plan.is_checked = true;
            add(&mut plan.check, &["--no-invariant", "--no-deadlock", "--no-goal"]);
            plan.checks_states = true;
            Ok(())
        }),
        "`abridge check --no-invariant --no-deadlock --no-goal`",
    ),
    row(
        &["refchk"],
        1,
        OptionEffect::Do(|plan, values| {
            plan.other(&["refine", "--against", values[0]]);
            Ok(())
        }),
        "`abridge refine FILE --against MACHINE`, where MACHINE is a .mch file",
    ),
    row(
        &["p", "pref"],
        2,
        OptionEffect::Do(|plan, values| {
            add(&mut plan.model, &["-p", values[0], values[1]]);
            let is_cap = ["MAX_OPERATIONS", "MAX_INITIALISATIONS"].contains(&values[0]);
            if is_cap && !plan.check.iter().any(|option| option == "--prob-limits") {
                add(&mut plan.check, &["--prob-limits"]);
            }
            Ok(())
        }),
        "`-p NAME VALUE`, for caps with `--prob-limits`; `abridge preferences` says what each does",
    ),
    row(
        &["card"],
        2,
        OptionEffect::Do(|plan, values| {
            let size = format!("{}={}", values[0], number(values[1])?);
            add(&mut plan.model, &["--set-size", &size]);
            Ok(())
        }),
        "`--set-size SET=N`",
    ),
    row(
        &["prefs"],
        1,
        OptionEffect::Missing,
        "files of preferences are not read; write `-p NAME VALUE`, or SET_PREF_NAME in the DEFINITIONS",
    ),
    row(&["pref_group"], 2, OptionEffect::Missing, "groups of preferences are not known; write `-p NAME VALUE`"),
    row(&["strict"], 0, OptionEffect::None, "an error is always an exit status"),
    row(
        &["expcterr", "expecterr"],
        1,
        OptionEffect::Do(expect),
        "exit status 0 if the run ends as expected, and 1 if not",
    ),
    row(
        &["init", "initialise"],
        0,
        OptionEffect::Do(|plan, _| {
            plan.other(&INIT);
            Ok(())
        }),
        "`abridge animate --do init`",
    ),
    row(
        &["animate"],
        1,
        OptionEffect::Do(|plan, values| walk(plan, values[0])),
        "`abridge animate --do init --do \"walk N\"`",
    ),
    row(
        &["execute"],
        1,
        OptionEffect::Do(|plan, values| {
            plan.notes.push("`-execute` takes random steps, not the first one of each list".to_owned());
            walk(plan, values[0])
        }),
        "`abridge animate --do init --do \"walk N\"`: steps are random",
    ),
    row(
        &["animate_all", "execute_all", "execute_monitor"],
        0,
        OptionEffect::Missing,
        "a walk needs an end; `-animate N` takes N steps",
    ),
    row(
        &["animate_until_ltl"],
        1,
        OptionEffect::Missing,
        "`abridge animate --do \"find PRED\"` goes to a nearest state",
    ),
    row(
        &["t"],
        0,
        OptionEffect::Missing,
        "traces of ProB 1 are not read; `-trace_replay json FILE` replays those of ProB 2",
    ),
    row(
        &["trace_replay", "tr"],
        2,
        OptionEffect::Do(|plan, values| replay(plan, values[0], values[1])),
        "`abridge trace replay FILE TRACE`, for traces in JSON",
    ),
    row(
        &["eval", "evalt"],
        1,
        OptionEffect::Do(|plan, values| {
            plan.other(&["eval", "--", values[0]]);
            Ok(())
        }),
        "`abridge eval FILE FORMULA`",
    ),
    row(
        &["evalf"],
        1,
        OptionEffect::Do(|plan, values| {
            plan.other(&["eval", "--", values[0]]);
            plan.expected = Some(false_formula());
            Ok(())
        }),
        "`abridge eval FILE FORMULA`, which should be false",
    ),
    row(
        &["eval_file", "evalt_file"],
        1,
        OptionEffect::Do(|plan, values| eval_file(plan, values[0])),
        "`abridge eval FILE FORMULA`, where FORMULA is the text of the file",
    ),
    row(
        &["evalf_file"],
        1,
        OptionEffect::Do(|plan, values| {
            plan.expected = Some(false_formula());
            eval_file(plan, values[0])
        }),
        "`abridge eval FILE FORMULA`, where FORMULA is the text of the file, which should be false",
    ),
    row(&["eval_rule_file"], 1, OptionEffect::Missing, "rules are not read"),
    row(
        &["repl"],
        0,
        OptionEffect::Do(|plan, _| {
            plan.other(&["repl"]);
            Ok(())
        }),
        "`abridge repl FILE`",
    ),
    row(
        &["typecheck", "tc"],
        0,
        OptionEffect::Do(|plan, _| {
            plan.other(&["typecheck"]);
            Ok(())
        }),
        "`abridge typecheck FILE`",
    ),
    row(
        &["dot"],
        2,
        OptionEffect::Do(|plan, values| draw(plan, values[0], values[1])),
        "`abridge graph FILE -o FILE.dot|svg`, for `state_space`",
    ),
    row(
        &["dotexpr"],
        3,
        OptionEffect::Do(|plan, values| draw_formula(plan, values[0], values[1], values[2])),
        "`abridge graph FILE --project EXPR -o FILE.dot|svg`, for `transition_diagram`",
    ),
    row(
        &["spdot"],
        1,
        OptionEffect::Do(|plan, values| draw(plan, "state_space", values[0])),
        "`abridge graph FILE -o FILE`",
    ),
    row(
        &["his"],
        1,
        OptionEffect::Do(|plan, values| {
            plan.history = Some(values[0].to_owned());
            Ok(())
        }),
        "`--save-trace FILE`, in the format of ProB 2; after a walk, `--do \"save FILE\"`",
    ),
    row(&["his_option"], 1, OptionEffect::None, "saved traces have steps and states"),
    row(&["profile", "prob_profile"], 0, OptionEffect::Check(&["--profile"]), "`--profile`"),
    row(
        &["coverage", "coverage_summary", "c"],
        0,
        OptionEffect::Check(&["--coverage"]),
        "`--coverage`: operations, values of variables, guards that are never true",
    ),
    row(&["statistics", "memory"], 0, OptionEffect::None, "`abridge check` always prints counts, time and memory"),
    row(
        &["pp", "ppf", "ppAB", "ppB", "pppl"],
        1,
        OptionEffect::Missing,
        "`abridge show --model` prints the composed machine, `abridge fmt` formats a file",
    ),
    row(
        &["pp_with_name"],
        2,
        OptionEffect::Missing,
        "`abridge show --model` prints the composed machine, `abridge fmt` formats a file",
    ),
    row(
        &["version", "svers", "short_version"],
        0,
        OptionEffect::Do(|plan, _| {
            plan.asks_version = true;
            Ok(())
        }),
        "the version of Abridge, as `abridge --version`",
    ),
    row(
        &["help", "h"],
        0,
        OptionEffect::Do(|plan, _| {
            plan.asks_help = true;
            Ok(())
        }),
        "the list of options, as `abridge probcli --list`",
    ),
    row(
        &["i"],
        0,
        OptionEffect::Do(|plan, _| {
            plan.other(&["animate"]);
            Ok(())
        }),
        "`abridge animate FILE`, which is interactive",
    ),
    row(&["animate_stats"], 0, OptionEffect::None, "walks have no statistics; `-coverage` has those of a check"),
    row(
        &["v", "vv", "verbose", "silent", "quiet", "force_no_silent", "nocolor", "no_color", "time"],
        0,
        OptionEffect::None,
        "the report has one form; `--json` is another, `--color` sets the colours",
    ),
    row(
        &["l", "log", "logxml", "logtlc"],
        1,
        OptionEffect::None,
        "there is no log; `--json` prints the report for programs",
    ),
    row(&["ll"], 0, OptionEffect::None, "there is no log; `--json` prints the report for programs"),
    row(&["test_mode"], 0, OptionEffect::None, "results depend on no chance; random walks print their seed"),
    row(&["cache"], 1, OptionEffect::None, "machines are read and typed at once, so that there is nothing to keep"),
    row(&["parsercp", "path", "comp_path"], 1, OptionEffect::None, "the parser is part of the program"),
    row(
        &["release_java_parser", "check_java_version", "fast_read_prob", "file_info", "gc_on", "gc_margin", "rc"],
        0,
        OptionEffect::None,
        "it is about the inside of ProB",
    ),
    row(
        &["cbc", "cbc_sequence"],
        1,
        OptionEffect::Missing,
        "there is no constraint-based checking; `-model_check` visits the reachable states",
    ),
    row(&["cbc_tests"], 3, OptionEffect::Missing, "test cases are not generated; `-animate N` walks at random"),
    row(&["mcm_tests"], 4, OptionEffect::Missing, "test cases are not generated; `-animate N` walks at random"),
    row(
        &["cbc_cover", "mcm_cover"],
        1,
        OptionEffect::Missing,
        "test cases are not generated; `-coverage` tells what is covered",
    ),
    row(
        &["cbc_assertions", "cbc_deadlock", "cbc_refinement", "cbc_redundant_invariants"],
        0,
        OptionEffect::Missing,
        "there is no constraint-based checking; `-model_check` visits the reachable states",
    ),
    row(
        &["bmc"],
        1,
        OptionEffect::Do(|plan, values| {
            check(plan);
            plan.notes.push("`-bmc` becomes a search of all states at that depth".to_owned());
            // Our depth counts the initialisation.
            add(&mut plan.check, &["--max-depth", &(number(values[0])? + 1).to_string()]);
            Ok(())
        }),
        "`abridge check --max-depth N`: all states at that depth are visited",
    ),
    row(
        &["csv"],
        2,
        OptionEffect::Do(|plan, values| table(plan, values[0], values[1])),
        "`abridge check --coverage=FILE`, for `operation_coverage` and the like",
    ),
    row(
        &["sptxt", "save", "save_state"],
        1,
        OptionEffect::Missing,
        "`abridge check --checkpoint FOLDER` saves a search, `--save-trace` a trace",
    ),
    row(&["load_state"], 1, OptionEffect::Missing, "`abridge check --resume FOLDER` goes on with a saved search"),
    row(&["dot_all"], 1, OptionEffect::Missing, "`abridge graph` draws state spaces and single states"),
    row(
        &["scope"],
        1,
        OptionEffect::Do(|plan, values| {
            add(&mut plan.check, &["--scope", values[0]]);
            Ok(())
        }),
        "`--scope PRED`: states outside are not explored",
    ),
    row(&["property"], 1, OptionEffect::Missing, "write the predicate into the PROPERTIES"),
    row(&["puml", "plantuml", "visb", "latex"], 2, OptionEffect::Missing, "there is no such drawing or report"),
    row(&["pumlexpr", "csvexpr"], 3, OptionEffect::Missing, "there is no such drawing or table"),
    row(
        &["evaldot"],
        1,
        OptionEffect::Missing,
        "`abridge graph FILE --state N` draws a state as a graph of its values",
    ),
    row(
        &["enabling_analysis", "feasibility_analysis", "read_write_matrix"],
        0,
        OptionEffect::Missing,
        "`abridge por FILE` shows which operations depend on each other, with reasons",
    ),
    row(
        &["enabling_analysis_csv", "read_write_matrix_csv"],
        1,
        OptionEffect::Missing,
        "`abridge por FILE` shows which operations depend on each other, with reasons",
    ),
    row(&["feasibility_analysis_csv"], 2, OptionEffect::Missing, "`-coverage` tells which operations are never taken"),
    row(
        &["rule_report", "bench_csv"],
        1,
        OptionEffect::Missing,
        "there is no such report; `--json` and `--report` have others",
    ),
    row(&["cc"], 2, OptionEffect::Missing, "`-coverage` prints coverage, which `--json` has for programs"),
    row(&["csp_guide", "csp_assertion"], 1, OptionEffect::Missing, "CSP is not read"),
    row(
        &["ltsmin", "ss", "sf"],
        0,
        OptionEffect::Missing,
        "there is no server for other programs; `--json` answers them",
    ),
    row(&["ltsmin2", "s"], 1, OptionEffect::Missing, "there is no server for other programs; `--json` answers them"),
    row(&["ltsmin_option"], 1, OptionEffect::None, "LTSmin is not called"),
    row(
        &["zmq_master", "zmq_worker"],
        1,
        OptionEffect::Missing,
        "searches are not distributed over machines; `--workers` uses the cores of one",
    ),
    row(
        &["hash64"],
        1,
        OptionEffect::Missing,
        "the state space has no hash; `-mc` prints the numbers of states and transitions",
    ),
    row(
        &[
            "lint",
            "vacuity",
            "vacuity_check",
            "machine_stats",
            "machine_files",
            "properties",
            "det_check",
            "det_constants",
        ],
        0,
        OptionEffect::Missing,
        "there is no such analysis; `abridge show FILE` prints what a machine consists of",
    ),
    row(
        &["wd", "wd_all", "wd_check", "wd_check_all", "wd_inv_proof"],
        0,
        OptionEffect::Missing,
        "nothing is proved; `-model_check` finds what is not well-defined in the reachable states",
    ),
];
