//! Wrong canonizers: none of them makes a wrong machine hold.
//!
//! Each comes with a machine whose bug it would hide, which the test shows by searching with it unchecked; a canonizer that hides nothing would prove
//! nothing about the checks.

use std::sync::Arc;

use abridge_check::{
    CanonizerStrategy, Config, Engine, Method, PorMode, Report, TemporalVerdict, Verdict, check, choose_reductions,
};
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_model::{Logic, Model};
use abridge_reduce::canonizer::{Canonized, ReductionPlan};
use abridge_reduce::symmetry::Quotiented;
use abridge_system::Properties;
use abridge_testkit::Project;

fn config_for(model: &Model, names: &str) -> Config {
    let reduce = choose_reductions(model, names).unwrap_or_else(|message| panic!("{message}"));
    Config { reduce, find_all: true, deadlock: false, ..Config::default() }
}

fn reduced(model: &Model, names: &str) -> Report {
    check(model, &config_for(model, names), &mut ())
}

/// A machine with one bug, and a wrong canonizer that hides it: definitions, variables with their types, start and operations.
struct Wrong {
    what: &'static str,
    definitions: &'static str,
    variables: &'static str,
    invariant: &'static str,
    start: &'static str,
    operations: &'static str,
}

const WRONG: &[Wrong] = &[
    Wrong {
        what: "forgets what a guard reads",
        definitions: "CANONIZER_c == BEGIN xx := 0 END",
        variables: "xx, yy",
        invariant: "xx : 0..3 & yy : 0..3 & yy < 2",
        start: "xx, yy := 0, 0",
        operations: "up = SELECT xx < 3 THEN xx := xx + 1 END; \
                     gain = SELECT xx = 3 & yy < 3 THEN yy := yy + 1 END; down = SELECT xx > 0 THEN xx := xx - 1 END",
    },
    Wrong {
        what: "rotates half of the state",
        definitions: "GENERATOR_c == BEGIN aa := %ii.(ii : 0..1 | aa(1 - ii)) END; ORDER_c == aa(0)",
        variables: "aa, bb",
        invariant: "aa : 0..1 --> 0..1 & bb : 0..1 --> 0..1 & bb(0) = 0",
        start: "aa, bb := (0..1) * {0}, (0..1) * {0}",
        operations: "mark(ii) = PRE ii : 0..1 & ran(aa) = {0} THEN aa(ii) := 1 END; \
                     set(ii) = PRE ii : 0..1 & aa(ii) = 1 THEN bb(ii) := 1 END",
    },
    Wrong {
        what: "is not total, and forgets the head of a queue",
        definitions: "CANONIZER_c == BEGIN qq := tail(qq) END",
        variables: "qq",
        invariant: "qq : seq(0..1) & size(qq) < 3",
        start: "qq := <>",
        operations: "put(ee) = PRE ee : 0..1 & size(qq) < 3 THEN qq := qq <- ee END; \
                     get = SELECT qq /= <> THEN qq := tail(qq) END",
    },
    Wrong {
        what: "breaks an atom of the invariant",
        definitions: "CANONIZER_c == BEGIN xx := min({xx, 2}) END",
        variables: "xx",
        invariant: "xx : 0..3 & xx < 3",
        start: "xx := 0",
        operations: "up = SELECT xx < 3 THEN xx := xx + 1 END; down = SELECT xx > 0 THEN xx := xx - 1 END",
    },
    Wrong {
        what: "exchanges places that have neighbours",
        definitions: "P == 0..3; PERMUTATION_c == P",
        variables: "ss",
        invariant: "ss <: P & !ii.(ii : ss => (ii + 2) mod 4 /: ss)",
        start: "ss := {}",
        operations: "add(ii) = PRE ii : P & card(ss) < 2 THEN ss := ss \\/ {ii} END; clear = BEGIN ss := {} END",
    },
    Wrong {
        what: "rotates a distinguished process",
        definitions: "P == 0..2; ROTATION_c == P; ORDER_c == ff(0)",
        variables: "ff",
        invariant: "ff : P --> 0..1 & ff(0) = 0",
        start: "ff := P * {0}",
        operations: "set(ii) = PRE ii : P & ran(ff) = {0} THEN ff(ii) := 1 END; clear = BEGIN ff := P * {0} END",
    },
    Wrong {
        what: "renumbers names that are compared with a number",
        definitions: "ID == NATURAL; REUSE_c == ID",
        variables: "used",
        invariant: "used <: ID & !xx.(xx : used => xx < 4)",
        start: "used := {0}",
        operations: "add = SELECT card(used) < 2 THEN used := used \\/ {max(used) + 1} END; \
                     drop = SELECT card(used) = 2 THEN used := used - {min(used)} END",
    },
    Wrong {
        what: "forgets names that are compared with each other",
        definitions: "ID == NATURAL; ABSTRACT_c == ID",
        variables: "xx, yy",
        invariant: "xx : ID & yy : ID & xx = yy",
        start: "xx, yy := 0, 0",
        operations: "up = SELECT yy < 2 THEN yy := yy + 1 END; down = SELECT yy > 0 THEN yy := yy - 1 END",
    },
    Wrong {
        what: "forgets the order of time stamps",
        definitions: "CANONIZER_c == BEGIN xx, yy := min({xx, 1}), min({yy, 1}) END",
        variables: "xx, yy",
        invariant: "xx : 0..3 & yy : 0..3 & xx <= yy + 1",
        start: "xx, yy := 0, 0",
        operations: "early = SELECT xx < 3 THEN xx := xx + 1 END; \
                     late = SELECT yy < 3 & yy < xx THEN yy := yy + 1 END; reset = BEGIN xx, yy := 0, 0 END",
    },
    Wrong {
        what: "identifies stages of a process",
        definitions: "GENERATOR_c == BEGIN xx := (xx + 1) mod 3 END",
        variables: "xx",
        invariant: "xx : 0..2 & xx /= 2",
        start: "xx := 0",
        operations: "one = SELECT xx = 0 THEN xx := 1 END; two = SELECT xx = 1 THEN xx := 2 END; \
                     back = SELECT xx > 0 THEN xx := 0 END",
    },
    Wrong {
        what: "has an inverse that does not undo it",
        definitions: "GENERATOR_c == BEGIN xx := max({xx - 1, 0}) END; INVERSE_c == BEGIN xx := xx END",
        variables: "xx",
        invariant: "xx : 0..3 & xx < 2",
        start: "xx := 0",
        operations: "up = SELECT xx < 3 THEN xx := xx + 1 END; down = SELECT xx > 0 THEN xx := xx - 1 END",
    },
    Wrong {
        what: "is right only together with another one",
        definitions: "P == 0..1; GENERATOR_c(ii) == PRE ii : P THEN ff := ff <+ {ii |-> 1 - ff(ii)} END",
        variables: "ff",
        invariant: "ff : P --> 0..1 & ff(0) + ff(1) < 2",
        start: "ff := P * {0}",
        operations: "set(ii) = PRE ii : P & ff(ii) = 0 THEN ff(ii) := 1 END; clear = BEGIN ff := P * {0} END",
    },
    Wrong {
        what: "maps a wrong state to one that is right by chance",
        definitions: "CANONIZER_c == IF xx = 2 & yy = 2 THEN xx, yy := 1, 1 END",
        variables: "xx, yy",
        invariant: "xx : 0..2 & yy : 0..2 & xx + yy < 4",
        start: "xx, yy := 0, 0",
        operations: "one = SELECT xx < 2 THEN xx := xx + 1 END; two = SELECT yy < 2 THEN yy := yy + 1 END; \
                     reset = BEGIN xx, yy := 0, 0 END",
    },
    Wrong {
        what: "is wrong in one state of many",
        definitions: "CANONIZER_c == IF xx = 777 THEN xx := 0 END",
        variables: "xx",
        invariant: "xx : 0..1000 & xx < 1000",
        start: "xx := 0",
        operations: "up = SELECT xx < 1000 THEN xx := xx + 1 END",
    },
    Wrong {
        what: "renumbers names whose distance counts",
        definitions: "ID == NATURAL; REUSE_c == ID",
        variables: "xx, yy",
        invariant: "xx : ID & yy : ID & yy - xx < 3",
        start: "xx, yy := 0, 1",
        operations: "grow = SELECT yy < 9 THEN yy := yy + 1 END; shift = SELECT yy < 9 THEN xx, yy := xx + 1, yy + 1 END",
    },
    Wrong {
        what: "forgets names that a guard compares",
        definitions: "ID == NATURAL; ABSTRACT_c == ID",
        variables: "xx, yy, zz",
        invariant: "xx : ID & yy : ID & zz : 0..1 & zz = 0",
        start: "xx, yy, zz := 0, 0, 0",
        operations: "up = SELECT yy < 2 THEN yy := yy + 1 END; hit = SELECT xx /= yy THEN zz := 1 END",
    },
    Wrong {
        what: "is wrong where an operation chooses",
        definitions: "CANONIZER_c == BEGIN xx := min({xx, 2}) END",
        variables: "xx",
        invariant: "xx : 0..3 & xx < 3",
        start: "xx := 0",
        operations: "go = ANY vv WHERE vv : 0..3 & vv <= xx + 1 THEN xx := vv END",
    },
    Wrong {
        what: "rounds negative numbers towards zero",
        definitions: "CANONIZER_c == BEGIN xx := xx / 2 * 2 END",
        variables: "xx, yy",
        invariant: "xx : -3..3 & yy : 0..1 & yy = 0",
        start: "xx, yy := 0, 0",
        operations: "up = SELECT xx < 3 THEN xx := xx + 1 END; down = SELECT xx > -3 THEN xx := xx - 1 END; hit = SELECT xx = -3 THEN yy := 1 END",
    },
    Wrong {
        what: "shortens a queue",
        definitions: "CANONIZER_c == IF size(qq) > 1 THEN qq := [first(qq), 0] END",
        variables: "qq",
        invariant: "qq : seq(0..1) & size(qq) <= 3 & (size(qq) = 3 => last(qq) = 0)",
        start: "qq := []",
        operations: "push(ii) = PRE ii : 0..1 & size(qq) < 3 THEN qq := qq <- ii END; pop = SELECT qq /= [] THEN qq := tail(qq) END",
    },
    Wrong {
        what: "joins sets of sets",
        definitions: "CANONIZER_c == IF ss /= {} THEN ss := {union(ss)} END",
        variables: "ss",
        invariant: "ss <: POW(0..2) & ({0, 1} : ss => {2} /: ss)",
        start: "ss := {}",
        operations: "add(tt) = PRE tt <: 0..2 & card(ss) < 2 THEN ss := ss \\/ {tt} END; clear = BEGIN ss := {} END",
    },
    Wrong {
        what: "has generators without a way back",
        definitions: "GENERATOR_c(aa) == PRE aa : 0..2 THEN ff := ff <+ {aa |-> 0} END",
        variables: "ff",
        invariant: "ff : 0..2 --> 0..1 & ff /= (0..2) * {1}",
        start: "ff := (0..2) * {0}",
        operations: "set(ii) = PRE ii : 0..2 THEN ff(ii) := 1 END",
    },
    Wrong {
        what: "orders states by a name that matters",
        definitions: "PERMUTATION_c == SS; ORDER_c == holder\nSETS SS = {s1,s2,s3}",
        variables: "holder, yy",
        invariant: "holder : SS & yy : 0..1 & yy = 0",
        start: "holder, yy := s1, 0",
        operations: "pass(xx) = PRE xx : SS THEN holder := xx END; hit = SELECT holder = s3 THEN yy := 1 END",
    },
    Wrong {
        what: "is wrong for one valuation of the constants",
        definitions: "CANONIZER_c == IF nn = 2 & kk = s3 & xx = 3 THEN xx := 0 END\nSETS SS = {s1,s2,s3}\nCONSTANTS kk, nn PROPERTIES kk : SS & nn : 0..2",
        variables: "xx",
        invariant: "xx : 0..3 & (nn = 2 & kk = s3 => xx < 3)",
        start: "xx := 0",
        operations: "up = SELECT xx < 3 & nn = 2 & kk = s3 THEN xx := xx + 1 END; re = BEGIN xx := 0 END",
    },
    Wrong {
        what: "has ties in its order",
        definitions: "P == 0..2; ROTATION_c == P; ORDER_c == card(ran(ff))",
        variables: "ff, tok, bad",
        invariant: "ff : P --> 0..1 & tok : 0..2 & bad : 0..1 & bad = 0",
        start: "ff, tok, bad := P * {0}, 0, 0",
        operations: "set(pp) = PRE pp : P & ff(pp) = 0 & tok = pp THEN ff(pp) := 1 || tok := (tok + 1) mod 3 END; \
                     clear = BEGIN ff := P * {0} END; hit = SELECT ff = {0 |-> 0, 1 |-> 1, 2 |-> 0} THEN bad := 1 END",
    },
    Wrong {
        what: "stops generating in a mode",
        definitions: "GENERATOR_c(ii) == PRE ii : 0..1 THEN IF mode = 0 THEN ff := ff <+ {ii |-> ff(1 - ii), 1 - ii |-> ff(ii)} END END",
        variables: "ff, mode, bad",
        invariant: "ff : 0..1 --> 0..2 & mode : 0..1 & bad : 0..1 & bad = 0",
        start: "ff, mode, bad := (0..1) * {0}, 0, 0",
        operations: "up(ii) = PRE ii : 0..1 & ff(ii) < 2 & mode = 0 THEN ff(ii) := ff(ii) + 1 END; \
                     go = SELECT ff = {0 |-> 2, 1 |-> 1} THEN mode := 1 END; hit = SELECT mode = 1 & ff(0) > ff(1) THEN bad := 1 END",
    },
    Wrong {
        what: "exchanges an element that a guard names",
        definitions: "PERMUTATION_c == SS\nSETS SS = {s1,s2,s3}",
        variables: "ss, bad",
        invariant: "ss <: SS & bad : 0..1 & bad = 0",
        start: "ss, bad := {}, 0",
        operations: "add(pp) = PRE pp : SS & card(ss) < 2 THEN ss := ss \\/ {pp} END; hit = SELECT s2 : ss & s3 : ss THEN bad := 1 END",
    },
    Wrong {
        what: "exchanges elements that a constant relates",
        definitions: "PERMUTATION_c == SS; ORDER_c == ss\nSETS SS = {s1,s2,s3}\nCONSTANTS next PROPERTIES next = {s1 |-> s2, s2 |-> s3, s3 |-> s1}",
        variables: "ss, bad",
        invariant: "ss <: SS * SS & bad : 0..1 & bad = 0",
        start: "ss, bad := {}, 0",
        operations: "add(pp, qq) = PRE pp : SS & qq : SS & pp /= qq & ss = {} THEN ss := {pp |-> qq} END; \
                     hit = SELECT ss /= {} & ss <: next~ THEN bad := 1 END",
    },
    Wrong {
        what: "takes its order from what it leaves as it is",
        definitions: "P == 0..2; ROTATION_c == P; ORDER_c == card({pp | pp : P & ff(pp) = gg(pp)})",
        variables: "ff, gg, bad",
        invariant: "ff : P --> 0..1 & gg : 0..2 --> 0..1 & bad : 0..1 & bad = 0",
        start: "ff, gg, bad := P * {0}, P * {0}, 0",
        operations: "sf(pp) = PRE pp : P & ff(pp) = 0 THEN ff(pp) := 1 END; sg(pp) = PRE pp : P & gg(pp) = 0 & gg(0) = 0 THEN gg(pp) := 1 END; \
                     hit = SELECT ff = {0 |-> 0, 1 |-> 1, 2 |-> 0} & gg = {0 |-> 0, 1 |-> 1, 2 |-> 0} THEN bad := 1 END",
    },
    Wrong {
        what: "uses chance",
        definitions: "EXTERNAL_FUNCTION_RANDOM == INTEGER * INTEGER --> INTEGER; RANDOM(xx, yy) == 0; CANONIZER_c == BEGIN xx := RANDOM(0, 3) END",
        variables: "xx, yy",
        invariant: "xx : 0..3 & yy : 0..1 & yy = 0",
        start: "xx, yy := 0, 0",
        operations: "up = SELECT xx < 3 THEN xx := xx + 1 END; hit = SELECT xx = 3 THEN yy := 1 END",
    },
    Wrong {
        what: "leaves a value without a meaning out",
        definitions: "CANONIZER_c == IF xx = 2 THEN xx := 0 END",
        variables: "xx",
        invariant: "xx : 0..2 ASSERTIONS 4 / (xx - 2) < 3",
        start: "xx := 0",
        operations: "up = SELECT xx < 2 THEN xx := xx + 1 END; down = SELECT xx > 0 THEN xx := xx - 1 END",
    },
    Wrong {
        what: "moves half of a table in step",
        definitions: "GENERATOR_c == BEGIN ff := {0 |-> ff(1), 1 |-> ff(0)} || gg := {0 |-> gg(1), 1 |-> gg(0)} END",
        variables: "ff, gg, bad",
        invariant: "ff : 0..1 --> 0..2 & gg : 0..1 --> 0..2 & bad : 0..1 & bad = 0",
        start: "ff, gg, bad := (0..1) * {0}, (0..1) * {0}, 0",
        operations: "uf(pp) = PRE pp : 0..1 & ff(pp) < 2 THEN ff(pp) := ff(pp) + 1 END; ug(pp) = PRE pp : 0..1 & gg(pp) < ff(pp) THEN gg(pp) := gg(pp) + 1 END; \
                     hit = SELECT ff(0) > ff(1) & gg(1 - 1) = 1 THEN bad := 1 END",
    },
    Wrong {
        what: "takes a time stamp by its remainder",
        definitions: "CANONIZER_c == BEGIN tt := tt mod 7 END",
        variables: "tt, bad",
        invariant: "tt : NATURAL & bad : 0..1 & bad = 0",
        start: "tt, bad := 0, 0",
        operations: "tick = SELECT tt < 5000 THEN tt := tt + 1 END; hit = SELECT tt = 4999 THEN bad := 1 END",
    },
    Wrong {
        what: "leaves states out that the scope leaves in",
        definitions: "CANONIZER_c == IF xx = 3 THEN xx := 2 END; SCOPE == xx /= 2",
        variables: "xx, yy",
        invariant: "xx : 0..3 & yy : 0..1 & yy = 0",
        start: "xx, yy := 0, 0",
        operations: "up = SELECT xx = 0 THEN xx := 3 END; hit = SELECT xx > 1 THEN yy := 1 END",
    },
    Wrong {
        what: "is not idempotent",
        definitions: "CANONIZER_c == BEGIN xx := 3 - xx END",
        variables: "xx, bad",
        invariant: "xx : 0..3 & bad : 0..1 & bad = 0",
        start: "xx, bad := 0, 0",
        operations: "one = SELECT xx = 0 THEN xx := 1 END; two = SELECT xx = 1 THEN xx := 2 END; hit = SELECT xx = 1 THEN bad := 1 END",
    },
    Wrong {
        what: "rounds reals",
        definitions: "CANONIZER_c == BEGIN xx := real(floor(xx)) END",
        variables: "xx, bad",
        invariant: "xx : REAL & bad : 0..1 & bad = 0",
        start: "xx, bad := 0.0, 0",
        operations: "up = SELECT xx < 2.0 THEN xx := xx + 0.5 END; hit = SELECT xx = 1.5 THEN bad := 1 END; re = BEGIN xx := 0.0 END",
    },
    Wrong {
        what: "renumbers names that another variable keeps",
        definitions: "ID == NATURAL; REUSE_c == ID",
        variables: "used, newest, bad",
        invariant: "used <: ID & newest : 0..9 & bad : 0..1 & bad = 0",
        start: "used, newest, bad := {0}, 0, 0",
        operations: "add = SELECT card(used) < 2 & newest < 4 THEN used := used \\/ {newest + 1} || newest := newest + 1 END; \
                     drop = SELECT card(used) = 2 THEN used := used - {min(used)} END; hit = SELECT newest = 3 & 3 : used THEN bad := 1 END",
    },
    Wrong {
        what: "turns a table and not the hand that points to it",
        definitions: "P == 0..3; GENERATOR_c == BEGIN ff := %ii.(ii : P | ff((ii + 1) mod 4)) END; ORDER_c == ff",
        variables: "ff, pos, bad",
        invariant: "ff : P --> 0..1 & pos : P & bad : 0..1 & bad = 0",
        start: "ff, pos, bad := P * {0}, 0, 0",
        operations: "mark = SELECT ran(ff) = {0} THEN ff(pos) := 1 END; hit = SELECT ff(0) = 1 THEN bad := 1 END; re = BEGIN ff := P * {0} END",
    },
    Wrong {
        what: "reverses a queue",
        definitions: "CANONIZER_c == IF size(qq) = 3 & qq(1) > qq(3) THEN qq := rev(qq) END",
        variables: "qq, bad",
        invariant: "qq : seq(0..2) & bad : 0..1 & bad = 0",
        start: "qq, bad := [], 0",
        operations: "push(ii) = PRE ii : 0..2 & size(qq) < 3 THEN qq := qq <- ii END; pop = SELECT qq /= [] THEN qq := tail(qq) END; \
                     hit = SELECT qq = [2,1,0] THEN bad := 1 END",
    },
    Wrong {
        what: "follows a constant",
        definitions: "CANONIZER_c == BEGIN xx := ff(xx) END\nCONSTANTS ff PROPERTIES ff : 0..3 --> 0..3 & ff = {0|->0,1|->1,2|->2,3|->2}",
        variables: "xx",
        invariant: "xx : 0..3 & xx < 3",
        start: "xx := 0",
        operations: "up = SELECT xx < 3 THEN xx := xx + 1 END; re = BEGIN xx := 0 END",
    },
    Wrong {
        what: "is wrong for one of more constants than proofs go through",
        definitions: "CANONIZER_c == IF kk = 13 & xx = 3 THEN xx := 0 END\nCONSTANTS kk PROPERTIES kk : 0..20",
        variables: "xx",
        invariant: "xx : 0..3 & (kk = 13 => xx < 3)",
        start: "xx := 0",
        operations: "up = SELECT xx < 3 THEN xx := xx + 1 END; re = BEGIN xx := 0 END",
    },
    Wrong {
        what: "has a right generator and a wrong one",
        definitions: "GENERATOR_c(kk) == PRE kk : 0..1 THEN IF kk = 0 THEN aa, bb := bb, aa ELSE bb, cc := cc, bb END END; ORDER_c == cc |-> bb |-> aa",
        variables: "aa, bb, cc, bad",
        invariant: "aa : 0..1 & bb : 0..1 & cc : 0..1 & bad : 0..1 & bad = 0",
        start: "aa, bb, cc, bad := 0, 0, 0, 0",
        operations: "ua = SELECT aa = 0 & cc = 0 THEN aa := 1 END; ub = SELECT bb = 0 & cc = 0 THEN bb := 1 END; \
                     uc = SELECT aa + bb = 2 THEN aa, bb, cc := 0, 0, 1 END; hit = SELECT cc = 1 THEN bad := 1 END",
    },
    Wrong {
        what: "has an order without a value",
        definitions: "P == 0..2; ROTATION_c == P; ORDER_c == 6 / ff(1)",
        variables: "ff, bad",
        invariant: "ff : P --> 0..2 & bad : 0..1 & bad = 0",
        start: "ff, bad := P * {1}, 0",
        operations: "up(pp) = PRE pp : P & ff(pp) < 2 & pp /= 2 THEN ff(pp) := ff(pp) + 1 END; hit = SELECT ff = {0|->2,1|->1,2|->1} THEN bad := 1 END",
    },
];

/// Wrong canonizers behind a clock of 400 steps: tests of the first states do not meet what is wrong, so that only a proof or a comparison with all states could tell.
const LATE: &[Wrong] = &[
    Wrong {
        what: "hides a division by zero",
        definitions: "CANONIZER_c == IF xx = 1 THEN xx := 2 END",
        variables: "xx, yy",
        invariant: "xx : 0..2 & yy : 0..9",
        start: "xx, yy := 0, 0",
        operations: "up = SELECT is_late & xx < 2 THEN xx := xx + 1 END; go = SELECT is_late & xx = 1 THEN yy := 4 / (xx - 1) END",
    },
    Wrong {
        what: "exchanges a constant",
        definitions: "PERMUTATION_c == SS\nSETS SS = {s1,s2,s3}\nCONSTANTS kk PROPERTIES kk = s3",
        variables: "ss",
        invariant: "ss <: SS & ss /= {kk}",
        start: "ss := {}",
        operations: "add(xx) = PRE is_late & xx : SS & card(ss) < 1 THEN ss := ss \\/ {xx} END; clear = SELECT is_late THEN BEGIN ss := {} END END",
    },
    Wrong {
        what: "breaks an assertion",
        definitions: "CANONIZER_c == IF xx = 3 THEN xx := 0 END",
        variables: "xx",
        invariant: "xx : 0..3 ASSERTIONS xx < 3",
        start: "xx := 0",
        operations: "up = SELECT is_late & xx < 3 THEN xx := xx + 1 END; down = SELECT is_late & xx > 0 THEN xx := 0 END",
    },
    Wrong {
        what: "hides an invariant without a value",
        definitions: "CANONIZER_c == IF xx = 3 THEN xx := 0 END",
        variables: "xx",
        invariant: "xx : 0..3 & 6 / (3 - xx) > 0",
        start: "xx := 0",
        operations: "up = SELECT is_late & xx < 3 THEN xx := xx + 1 END; down = SELECT is_late & xx > 0 THEN xx := 0 END",
    },
    Wrong {
        what: "compares numbers beyond 32 bits",
        definitions: "CANONIZER_c == IF xx * xx * xx > 4000000000 THEN xx := 0 END",
        variables: "xx",
        invariant: "xx : 0..3000 & xx < 2000",
        start: "xx := 0",
        operations: "up = SELECT is_late & xx < 3000 THEN xx := xx + 500 END; down = SELECT is_late & xx > 0 THEN xx := 0 END",
    },
    Wrong {
        what: "leads out of the bounds of all operations",
        definitions: "CANONIZER_c == IF xx = 3 THEN xx := 103 END",
        variables: "xx, yy",
        invariant: "xx : 0..200 & yy : 0..1 & yy = 0",
        start: "xx, yy := 0, 0",
        operations: "up = SELECT is_late & xx < 3 THEN xx := xx + 1 END; hit = SELECT is_late & xx = 3 THEN yy := 1 END; down = SELECT is_late & xx > 0 THEN xx := 0 END",
    },
    Wrong {
        what: "counts in a loop",
        definitions: "CANONIZER_c == VAR nn IN nn := xx; WHILE nn > 1 DO nn := nn - 2 INVARIANT nn : NATURAL VARIANT nn END; xx := nn END",
        variables: "xx, yy",
        invariant: "xx : 0..6 & yy : 0..1 & yy = 0",
        start: "xx, yy := 0, 0",
        operations: "up = SELECT is_late & xx < 6 THEN xx := xx + 1 END; hit = SELECT is_late & xx = 6 THEN yy := 1 END; down = SELECT is_late & xx > 0 THEN xx := 0 END",
    },
    Wrong {
        what: "forgets a field of a record",
        definitions: "CANONIZER_c == BEGIN rr := rec(aa: rr'aa, bb: 0) END",
        variables: "rr",
        invariant: "rr : struct(aa: 0..2, bb: 0..2) & rr'bb < 2",
        start: "rr := rec(aa: 0, bb: 0)",
        operations: "up = SELECT is_late & rr'bb < 2 THEN rr := rec(aa: rr'aa, bb: rr'bb + 1) END; dd = SELECT is_late THEN BEGIN rr := rec(aa: 0, bb: 0) END END",
    },
    Wrong {
        what: "has generators that depend on the state",
        definitions: "GENERATOR_c(aa) == PRE aa : ss THEN ss := ss - {aa} END",
        variables: "ss",
        invariant: "ss <: 0..2 & card(ss) < 3",
        start: "ss := {}",
        operations: "add(xx) = PRE is_late & xx : 0..2 THEN ss := ss \\/ {xx} END",
    },
    Wrong {
        what: "joins initial states",
        definitions: "CANONIZER_c == IF xx = 2 THEN xx := 0 END",
        variables: "xx, yy",
        invariant: "xx : 0..2 & yy : 0..1 & yy = 0",
        start: "xx :: 0..2 || yy := 0",
        operations: "hit = SELECT is_late & xx = 2 THEN yy := 1 END; stay = SELECT is_late THEN skip END",
    },
    Wrong {
        what: "is wrong inside a choice",
        definitions: "CANONIZER_c == IF xx = 2 THEN xx := 0 END",
        variables: "xx, yy",
        invariant: "xx : 0..2 & yy : 0..1 & yy = 0",
        start: "xx, yy := 0, 0",
        operations: "go = SELECT is_late THEN CHOICE xx :: 0..2 OR IF xx = 2 THEN yy := 1 END END END",
    },
    Wrong {
        what: "joins strings",
        definitions: "CANONIZER_c == IF xx = \"b\" THEN xx := \"a\" END",
        variables: "xx, yy",
        invariant: "xx : STRING & yy : 0..1 & yy = 0",
        start: "xx := \"a\" || yy := 0",
        operations: "go = SELECT is_late & xx = \"a\" THEN xx := \"b\" END; hit = SELECT is_late & xx = \"b\" THEN yy := 1 END; back = SELECT is_late THEN BEGIN xx := \"a\" END END",
    },
    Wrong {
        what: "sorts what operations treat in two ways",
        definitions: "CANONIZER_c == IF xx > yy THEN xx, yy := yy, xx END",
        variables: "xx, yy, zz",
        invariant: "xx : 0..2 & yy : 0..2 & zz : 0..1 & zz = 0",
        start: "xx, yy, zz := 0, 0, 0",
        operations: "ux = SELECT is_late & xx < 2 THEN xx := xx + 1 END; uy = SELECT is_late & yy < 2 & xx > 0 THEN yy := yy + 1 END; hit = SELECT is_late & xx = 2 & yy = 0 THEN zz := 1 END; re = SELECT is_late THEN BEGIN xx, yy := 0, 0 END END",
    },
    Wrong {
        what: "hides an application outside the domain",
        definitions: "CANONIZER_c == IF xx = 3 THEN xx := 0 END",
        variables: "xx, ff",
        invariant: "xx : 0..3 & ff : 0..2 +-> 0..1",
        start: "xx := 0 || ff := {0 |-> 0, 1 |-> 0, 2 |-> 0}",
        operations: "up = SELECT is_late & xx < 3 THEN xx := xx + 1 END; use = SELECT is_late & ff(xx) = 0 THEN ff(xx) := 1 END; re = SELECT is_late & xx > 0 THEN xx := 0 || ff := {0 |-> 0, 1 |-> 0, 2 |-> 0} END",
    },
    Wrong {
        what: "hides a failing ASSERT",
        definitions: "CANONIZER_c == IF xx = 3 THEN xx := 0 END",
        variables: "xx",
        invariant: "xx : 0..3",
        start: "xx := 0",
        operations: "up = SELECT is_late & xx < 3 THEN xx := xx + 1 END; re = SELECT is_late & xx > 0 THEN xx := 0 END; \
                     look = SELECT is_late THEN ASSERT xx < 3 THEN skip END END",
    },
    Wrong {
        what: "hides a loop whose invariant fails",
        definitions: "CANONIZER_c == IF xx = 3 THEN xx := 0 END",
        variables: "xx",
        invariant: "xx : 0..3",
        start: "xx := 0",
        operations: "up = SELECT is_late & xx < 3 THEN xx := xx + 1 END; re = SELECT is_late & xx > 0 THEN xx := 0 END; \
                     turn = SELECT is_late THEN VAR ii IN ii := 0; WHILE ii < 2 DO ii := ii + 1 INVARIANT ii : 0..2 & xx < 3 VARIANT 2 - ii END END END",
    },
];

impl Wrong {
    fn text(&self, is_late: bool) -> String {
        let Wrong { definitions, variables, invariant, start, operations, .. } = self;
        if !is_late {
            return format!(
                "MACHINE Wrong\nDEFINITIONS {definitions}\nVARIABLES {variables}\nINVARIANT {invariant}\n\
                 INITIALISATION {start}\nOPERATIONS {operations}\nEND"
            );
        }
        format!(
            "MACHINE Wrong\nDEFINITIONS is_late == (tt = 400); {definitions}\nVARIABLES tt, {variables}\nINVARIANT tt : 0..400 & {invariant}\n\
             INITIALISATION {start} || tt := 0\nOPERATIONS {operations}; tick = SELECT tt < 400 THEN tt := tt + 1 END\nEND"
        )
    }
}

/// Searches with a reduction that nobody checked.
fn unchecked_findings(model: &Model, config: &Config) -> usize {
    let plan = ReductionPlan::new(model, &config.reduce, true, |_| false);
    let transformations = plan.functions.clone();
    let system =
        Explicit::new(judge(model, config.eval.clone()), SystemConfig { transformations, ..SystemConfig::default() });
    let canonized = Canonized::new(&system, &plan);
    let search = abridge_search::SearchConfig {
        strategy: abridge_search::Strategy::BreadthFirst,
        properties: Properties { invariant: true, assertions: true, ..Properties::default() },
        deadlock: false,
        stop_at_first: true,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: std::num::NonZero::<usize>::MIN,
    };
    abridge_search::explore(&Quotiented::new(&system, &canonized), &search, &mut ()).findings.len()
}

/// The ways of a run with a reduction.
fn ways(config: &Config) -> Vec<(&'static str, Config)> {
    let config = Config { max_states: Some(10_000), ..config.clone() };
    let mut local = config.clone();
    local.reduce.iter_mut().for_each(|chosen| chosen.strategy = CanonizerStrategy::Local);
    vec![
        ("alone", config.clone()),
        ("compared", Config { check_reduce: true, ..config.clone() }),
        ("symbolically", Config { engine: Engine::Symbolic, ..config.clone() }),
        ("locally", local),
        ("first states as they are", Config { canonises_start: false, ..config.clone() }),
        ("with symmetry", Config { symmetry: Method::Auto, ..config.clone() }),
        ("compared, with symmetry", Config { symmetry: Method::Auto, check_reduce: true, ..config.clone() }),
        ("with partial order", Config { por: PorMode::Semantic, ..config }),
    ]
}

#[test]
fn wrong_canonizers_never_end_in_holds() {
    let (mut n_refuted, mut n_runs) = (0, 0);
    let all = WRONG.iter().map(|wrong| (wrong, false)).chain(LATE.iter().map(|wrong| (wrong, true)));
    for (wrong, is_late) in all {
        let (what, text) = (wrong.what, wrong.text(is_late));
        let project = Project::new(&[("Wrong.mch", &text)]);
        let model = project.analyse().model.unwrap_or_else(|| panic!("{what}: {}", project.diagnostics()));
        let plain = Config { deadlock: false, max_states: Some(10_000), ..Config::default() };
        assert_eq!(check(&model, &plain, &mut ()).verdict, Verdict::Violated, "{what}: the machine has a bug");
        let config = config_for(&model, "c");
        assert_eq!(unchecked_findings(&model, &config), 0, "{what}: unchecked, it hides the bug");
        for (way, config) in ways(&config) {
            let report = check(&model, &config, &mut ());
            assert_ne!(report.verdict, Verdict::Holds, "{what}, {way}");
            // Permutations of constants beside other reductions are refused before anything is examined.
            let Some(reduction) = report.reduction else {
                assert_eq!((config.symmetry, report.verdict), (Method::Auto, Verdict::Incomplete), "{what}, {way}");
                continue;
            };
            assert!(!reduction.is_proved, "{what}, {way}: {reduction:?}");
            n_refuted += usize::from(reduction.is_refuted());
            n_runs += 1;
        }
    }
    let n_wrong = WRONG.len() + LATE.len();
    eprintln!("{n_wrong} wrong canonizers, {n_refuted} of {n_runs} runs refuted them");
    assert!(n_wrong >= 12 && n_refuted * 2 > n_runs);
}

/// A machine whose bug is not about its invariant: text, formula, and whether deadlocks are looked for.
struct Hidden {
    what: &'static str,
    text: &'static str,
    formula: Option<(Logic, &'static str)>,
    deadlock: bool,
}

const HIDDEN: &[Hidden] = &[
    Hidden {
        what: "a deadlock",
        text: "DEFINITIONS CANONIZER_c == IF xx = 17 THEN xx := 0 END VARIABLES xx INVARIANT xx : 0..20 INITIALISATION xx := 0 \
               OPERATIONS up(ii) = PRE ii : 1..2 & xx < 19 & xx /= 17 THEN xx := xx + ii END; re = SELECT xx > 18 THEN xx := 0 END",
        formula: None,
        deadlock: true,
    },
    Hidden {
        what: "an atom of LTL",
        text: "DEFINITIONS CANONIZER_c == IF xx = 2 THEN xx := 1 END VARIABLES xx INVARIANT xx : 0..2 INITIALISATION xx := 0 \
               OPERATIONS aa = SELECT xx = 0 THEN xx := 1 END; bb = SELECT xx = 1 THEN xx := 2 END; cc = SELECT xx = 2 THEN xx := 1 END",
        formula: Some((Logic::Ltl, "F G {xx = 1}")),
        deadlock: false,
    },
    Hidden {
        what: "the name of a step",
        text: "DEFINITIONS CANONIZER_c == IF xx = 2 THEN xx := 1 END VARIABLES xx INVARIANT xx : 0..2 INITIALISATION xx := 0 \
               OPERATIONS aa = SELECT xx = 0 THEN xx := 1 END; go = SELECT xx = 1 THEN xx := 2 END; hit = SELECT xx = 2 THEN xx := 2 END",
        formula: Some((Logic::Ltl, "G not([hit])")),
        deadlock: false,
    },
    Hidden {
        what: "fairness",
        text: "DEFINITIONS CANONIZER_c == IF xx = 2 THEN xx := 1 END VARIABLES xx, bad INVARIANT xx : 0..2 & bad : 0..1 INITIALISATION xx, bad := 0, 0 \
               OPERATIONS aa = SELECT xx = 0 THEN xx := 1 END; go = SELECT xx = 1 THEN xx := 2 END; bk = SELECT xx = 2 THEN xx := 1 END; \
               stop = SELECT xx = 2 & bad = 0 THEN bad := 1 END",
        formula: Some((Logic::Ltl, "SF(stop) => F G {xx < 2}")),
        deadlock: false,
    },
    Hidden {
        what: "what is enabled on some path",
        text: "DEFINITIONS CANONIZER_c == IF xx = 1 THEN xx := 2 END VARIABLES xx INVARIANT xx : 0..2 INITIALISATION xx := 0 \
               OPERATIONS aa = SELECT xx /= 1 THEN xx := 2 END; bb = SELECT xx = 0 THEN xx := 1 END; cc = SELECT xx = 1 THEN xx := 2 END",
        formula: Some((Logic::Ctl, "AG e(aa)")),
        deadlock: false,
    },
    Hidden {
        what: "an argument of a step",
        text: "DEFINITIONS P == 0..1; ROTATION_c == P VARIABLES ff INVARIANT ff : P --> 0..1 INITIALISATION ff := P * {0} \
               OPERATIONS set(ii) = PRE ii : P & ran(ff) = {0} THEN ff(ii) := 1 END; clear = BEGIN ff := P * {0} END",
        formula: Some((Logic::Ltl, "G not([set(1)])")),
        deadlock: false,
    },
    Hidden {
        what: "a goal",
        text: "DEFINITIONS GOAL == xx = 3; CANONIZER_c == IF xx = 3 THEN xx := 0 END VARIABLES xx INVARIANT xx : 0..3 INITIALISATION xx := 0 \
               OPERATIONS up = SELECT xx < 3 THEN xx := xx + 1 END; re = SELECT xx > 0 THEN xx := 0 END",
        formula: None,
        deadlock: false,
    },
    Hidden {
        what: "the past",
        text: "DEFINITIONS CANONIZER_c == IF xx = 1 THEN xx := 0 END VARIABLES xx INVARIANT xx : 0..1 INITIALISATION xx := 0 \
               OPERATIONS flip = BEGIN xx := 1 - xx END",
        formula: Some((Logic::Ltl, "G (H {xx = 0})")),
        deadlock: false,
    },
    Hidden {
        what: "operations that change places",
        text: "DEFINITIONS GENERATOR_c == BEGIN aa, bb := bb, aa END VARIABLES aa, bb INVARIANT aa : 0..1 & bb : 0..1 INITIALISATION aa, bb := 0, 0 \
               OPERATIONS ua = SELECT bb = 1 & aa = 0 THEN aa := 1 END; ub = SELECT aa = 1 & bb = 0 THEN bb := 1 END; \
               sa = SELECT aa + bb = 0 THEN aa := 1 END; sb = SELECT aa + bb = 0 THEN bb := 1 END; re = BEGIN aa, bb := 0, 0 END",
        formula: Some((Logic::Ltl, "G not([ub])")),
        deadlock: false,
    },
    Hidden {
        what: "a step of branching time",
        text: "DEFINITIONS CANONIZER_c == IF xx = 1 THEN xx := 0 END VARIABLES xx INVARIANT xx : 0..1 INITIALISATION xx := 0 \
               OPERATIONS flip = BEGIN xx := 1 - xx END; back = SELECT xx = 1 THEN xx := 0 END",
        formula: Some((Logic::Ctl, "AG not(EX [back] true)")),
        deadlock: false,
    },
    Hidden {
        what: "fairness of a step with an argument",
        text: "DEFINITIONS P == 0..1; ROTATION_c == P VARIABLES ff, dd INVARIANT ff : P --> 0..1 & dd : 0..1 INITIALISATION ff, dd := P * {0}, 0 \
               OPERATIONS set(ii) = PRE ii : P & ran(ff) = {0} & dd = 0 THEN ff(ii) := 1 END; clear = SELECT dd = 0 THEN ff := P * {0} END; \
               stop(ii) = PRE ii : P & ff(ii) = 1 & dd = 0 THEN dd := 1 END",
        formula: Some((Logic::Ltl, "SF(stop(1)) => F {dd = 1}")),
        deadlock: false,
    },
];

#[test]
fn bugs_beyond_the_invariant_are_not_hidden() {
    for Hidden { what, text, formula, deadlock } in HIDDEN {
        let project = Project::new(&[("Hidden.mch", &format!("MACHINE Hidden {text} END"))]);
        let plain = Config { deadlock: *deadlock, find_all: true, ..Config::default() };
        let formulas: Vec<(Logic, &str)> = formula.iter().copied().collect();
        let prepared = project.with_formulas(&formulas, &plain);
        let (model, prepared) = prepared.unwrap_or_else(|| panic!("{what}: {}", project.diagnostics()));
        let plain = Config { formulas: Arc::new(prepared), ..plain };
        let verdict = check(&model, &plain, &mut ()).verdict;
        assert!(matches!(verdict, Verdict::Violated | Verdict::GoalReached), "{what}: the machine has a bug");
        let config = Config { reduce: config_for(&model, "c").reduce, ..plain };
        for (way, config) in ways(&config) {
            let report = check(&model, &config, &mut ());
            assert_ne!(report.verdict, Verdict::Holds, "{what}, {way}");
            let claims = report.temporal.iter().filter(|formula| formula.verdict == TemporalVerdict::Holds).count();
            assert_eq!(claims, 0, "{what}, {way}: {:?}", report.limits);
        }
    }
}

/// Proofs take bounds from the invariant. With symmetry reduction, images of functions would leave bounds that name elements, and `c` hide the bug.
#[test]
fn bounds_of_proofs_survive_symmetry_reduction() {
    let text = "MACHINE Bounds SETS S = {s1, s2, s3} DEFINITIONS \
                CANONIZER_c == IF tt = {} THEN tt := {s2} ELSIF tt /= {s2} THEN bad := 0 END VARIABLES tt, bad \
                INVARIANT tt <: {s2} & bad : 0..1 ASSERTIONS bad = 0 INITIALISATION tt, bad := {}, 0 \
                OPERATIONS boom = BEGIN bad := 1 END END";
    let model = Project::model_of(text);
    for engine in [Engine::Explicit, Engine::Symbolic] {
        let config = Config { invariant: false, symmetry: Method::Auto, engine, ..config_for(&model, "c") };
        let report = check(&model, &config, &mut ());
        assert_eq!(report.verdict, Verdict::Violated, "{engine:?}: {:?}", report.limits);
        assert!(report.reduction.is_some_and(|it| it.is_proved), "{engine:?}");
    }
}

/// Partial order reduction knows that `mode` is always 0, which is not so in the images of states.
#[test]
fn facts_of_partial_order_reduction_survive_the_functions() {
    let text = "MACHINE Roles DEFINITIONS GENERATOR_c == BEGIN s0, s1 := s1, s0 || mode := 1 - mode END; ORDER_c == 1 - mode \
                VARIABLES s0, s1, mode, saw INVARIANT s0 : 0..2 & s1 : 0..2 & mode : 0..1 & saw : 0..1 & mode = 0 \
                ASSERTIONS saw = 0 INITIALISATION s0, s1, mode, saw := 0, 0, 0, 0 OPERATIONS \
                set(ii) = PRE ii : 0..1 & (ii = 0 => s0 = 0) & (ii = 1 => s1 = 0) THEN IF ii = 0 THEN s0 := 1 ELSE s1 := 1 END END; \
                look(ii) = PRE ii : 0..1 & (ii = 0 => s0 = 1) & (ii = 1 => s1 = 1) \
                THEN IF ii = 0 THEN s0 := 2 ELSE s1 := 2 END || IF ii = mode THEN saw := 1 END END END";
    let model = Project::model_of(text);
    for (por, check_reduce) in
        [PorMode::Off, PorMode::Syntactic, PorMode::Semantic].map(|por| (por, por == PorMode::Off))
    {
        let config = Config { invariant: false, por, check_reduce, ..config_for(&model, "c") };
        let report = check(&model, &config, &mut ());
        assert_eq!(report.verdict, Verdict::Violated, "{por:?}: {:?}", report.limits);
        assert!(report.reduction.is_some_and(|it| it.is_proved));
    }
}

/// A violation that only the reduced system has refutes the reduction, and is shown with the steps of the canonizer.
#[test]
fn a_violation_that_the_machine_has_not_refutes_the_reduction() {
    let text = "MACHINE Spurious DEFINITIONS CANONIZER_c == IF xx = 500 THEN xx := 2000 END VARIABLES xx \
                INVARIANT xx : NATURAL & xx < 1500 INITIALISATION xx := 0 \
                OPERATIONS up = SELECT xx < 1000 THEN xx := xx + 1 END END";
    let report = reduced(&Project::model_of(text), "c");
    assert_eq!(report.verdict, Verdict::Incomplete, "{:?}", report.limits);
    assert!(report.limits.iter().any(|limit| limit.starts_with("reduction refuted")), "{:?}", report.limits);
    let reduction = report.reduction.expect("a reduction");
    assert!(reduction.is_refuted() && reduction.is_contradicted && !reduction.is_proved);
    let steps = reduction.unrealised.expect("a trace").trace.steps;
    assert_eq!(steps.last().map(|step| step.name.as_str()), Some("(canonised)"));
}

/// A violation that is not found again along the representatives is looked for in the machine itself.
#[test]
fn a_violation_behind_a_canonizer_without_rest_is_found_again() {
    // Every application adds one, so that no representative is its own.
    let text = "MACHINE Restless DEFINITIONS CANONIZER_c == BEGIN tt := tt + 1 END VARIABLES xx, tt \
                INVARIANT xx : 0..5 & tt : NATURAL & xx < 5 INITIALISATION xx, tt := 0, 0 \
                OPERATIONS up = SELECT xx < 5 THEN xx := xx + 1 END END";
    let report = reduced(&Project::model_of(text), "c");
    assert_eq!(report.verdict, Verdict::Violated, "{:?}", report.limits);
    assert!(report.violations.iter().all(|violation| violation.trace.gap.is_none()));
}

#[test]
fn a_local_strategy_that_never_ends_is_told() {
    let text = "MACHINE Endless DEFINITIONS GENERATOR_c == BEGIN xx := xx - 1 END VARIABLES xx, yy \
                INVARIANT xx : INTEGER & yy : 0..1 INITIALISATION xx, yy := 0, 0 OPERATIONS flip = BEGIN yy := 1 - yy END END";
    let model = Project::model_of(text);
    let report = reduced(&model, "c:local");
    assert_eq!(report.verdict, Verdict::Incomplete);
    assert!(report.limits.iter().any(|limit| limit.contains("does not come to an end")), "{:?}", report.limits);
}
