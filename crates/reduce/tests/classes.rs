//! All exact methods have the same classes on every state of the machines of the tables, and giving up changes no verdict.

use std::collections::HashMap;
use std::num::NonZero;

use abridge_eval::EvalConfig;
use abridge_explicit::{Explicit, SystemConfig, judge};
use abridge_model::Model;
use abridge_model_system::ModelSystem as _;
use abridge_reduce::symmetry::{
    Auto, Canon, Canonizer, Flood, Marker, OwnLabelling, Quotient, Quotiented, Symmetry, symmetry_of,
};
use abridge_search::{Strategy, explore};
use abridge_sema::{Options, analyse};
use abridge_system::Properties;
use abridge_testkit::{FolderFiles, Project, models};

const ASKED: Properties = Properties { invariant: true, assertions: false, goal: false, propositions: false };

fn search() -> abridge_search::SearchConfig {
    abridge_search::SearchConfig {
        strategy: Strategy::BreadthFirst,
        properties: ASKED,
        deadlock: true,
        stop_at_first: false,
        max_states: None,
        max_depth: None,
        max_findings: 1,
        workers: NonZero::<usize>::MIN,
    }
}

fn model(file: &str, sets: &[&str], size: u32) -> Model {
    let set_sizes = sets.iter().map(|set| ((*set).to_owned(), size)).collect();
    let analysis = analyse(&FolderFiles, &models::path(file), &Options { set_sizes, ..Options::default() });
    analysis.model.unwrap_or_else(|| panic!("{file}: {:?}", analysis.diagnostics))
}

fn system<'m>(model: &'m Model, is_pinned: bool) -> Explicit<'m> {
    let config = SystemConfig { pin_constants: is_pinned, ..SystemConfig::default() };
    Explicit::new(judge(model, EvalConfig::default()), config)
}

/// Asserts that two canonizers put states into the same classes; how many classes there are.
fn assert_same(name: &str, states: &[Vec<u32>], left: &mut dyn Canonizer, right: &mut dyn Canonizer) -> usize {
    let mut there = HashMap::new();
    let mut back = HashMap::new();
    for state in states {
        let (mut one, mut other) = (state.clone(), state.clone());
        left.represent(&mut one);
        right.represent(&mut other);
        assert_eq!(there.entry(one.clone()).or_insert_with(|| other.clone()), &other, "{name}");
        assert_eq!(back.entry(other).or_insert_with(|| one.clone()), &one, "{name}");
    }
    there.len()
}

#[test]
fn all_methods_have_the_same_classes() {
    let machines: [(&str, &[&str], u32, usize); 9] = [
        ("scheduler0.mch", &["PROC"], 4, 25),
        ("scheduler1.ref", &["PROC"], 4, 50),
        ("RussianPostalPuzzle.mch", &["KeyIDs"], 3, 118),
        ("USB.mch", &["TRANSFERS"], 2, 213),
        ("TokenRing.mch", &["Servers"], 4, 173),
        ("Dining.mch", &["Phil", "Forks"], 3, 12),
        ("Towns.mch", &["TOWN"], 3, 104),
        ("TicTacToe_SimplerSym.mch", &[], 0, 1449),
        ("TicTacToe_Sym.mch", &[], 0, 1460),
    ];
    for (file, sets, size, n_classes) in machines {
        let model = model(file, sets, size);
        let system = system(&model, size == 0);
        let exploration = explore(&system, &search(), &mut ());
        let state = |idx| exploration.table.get(idx).expect("in memory");
        let states: Vec<Vec<u32>> = (0..exploration.table.len() as u32).map(state).collect();
        let Symmetry { group, .. } = symmetry_of(&model, ASKED, &[], system.pinned());
        let auto = Auto::new(&system, group.clone());
        let canon = Canon::new(&system, group.clone(), OwnLabelling);
        let flood = Flood::new(&system, group.clone());
        let marker = Marker::new(&system, group.clone(), true);
        let found = assert_same(file, &states, &mut auto.judge(), &mut canon.judge());
        assert_eq!(found, n_classes, "{file}");
        assert_same(file, &states, &mut auto.judge(), &mut flood.judge());
        assert_same(file, &states, &mut auto.judge(), &mut marker.judge());
        #[cfg(feature = "nauty")]
        {
            let nauty = Canon::new(&system, group, abridge_reduce::symmetry::Nauty);
            assert_same(file, &states, &mut auto.judge(), &mut nauty.judge());
        }
    }
}

/// A counter beside a set that stays as it is: there is nothing to gain.
#[test]
fn what_does_not_pay_is_given_up() {
    let text = "MACHINE m SETS S VARIABLES n, s INVARIANT n : 0..20000 & s <: S INITIALISATION n, s := 0, {}
        OPERATIONS up = PRE n < 20000 THEN n := n + 1 END; fill = PRE n = 20000 THEN s :: POW(S) END END";
    let analysis = Project::new(&[("m.mch", text)]).analyse();
    let model = analysis.model.expect("a model");
    let counts = |workers: usize| {
        let system = system(&model, false);
        let group = symmetry_of(&model, ASKED, &[], system.pinned()).group;
        let auto = Auto::new(&system, group);
        let config = abridge_search::SearchConfig { workers: NonZero::new(workers).expect("not zero"), ..search() };
        explore(&Quotiented::new(&system, &auto), &config, &mut ()).table.len()
    };
    // The last set takes each of its four values, since it is not looked at any more.
    assert_eq!([counts(1), counts(2), counts(8)], [20_001 + 3; 3]);
}
