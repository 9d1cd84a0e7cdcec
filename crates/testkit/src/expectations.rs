//! The `//!` header of a model file: what a checker must find there.
//!
//! The vocabulary is fixed and described in `models/README.md`. A line that no test checks would be believed without being true, so
//! [`expectations`] refuses unknown keys, unknown values and properties for which there is no check.

use abridge_check::Notion;

/// Sizes of sets, for instance `PROC` and 3.
pub type Sizes = Vec<(String, u32)>;

/// One line of a header: `key[qualifiers]: value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub claim: Claim,
    pub sizes: Sizes,
    pub about: About,
}

/// The part of the state space that a count is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum About {
    All,
    /// `[symmetry]`: one state of each orbit.
    Orbits,
    /// `[markers]`: the states that the approximate method of symmetry markers visits.
    Markers,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The subtests to run; `is_slow` if only when slow tests are asked for.
    Run {
        subtests: Vec<Subtest>,
        is_slow: bool,
    },
    CompatProb,
    SetSizes(Sizes),
    Count(Count, u64),
    Deadlocks(u64),
    Holds(Property),
    /// With the length of the shortest trace; temporal properties have none.
    Fails(Property, Option<usize>),
    ReachesGoal(usize),
    /// The machine refines its abstraction.
    Refines(Notion),
    /// With the length of the shortest trace, the step that fails included.
    FailsToRefine(Notion, usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subtest {
    Parse,
    Types,
    Check,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    States,
    /// States and the root.
    Nodes,
    Transitions,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    Invariant,
    Assertions,
    /// That no state is without successor.
    Deadlock,
    /// The temporal properties of the machine that have this name.
    Temporal(String),
    /// Of every state of the machine.
    Predicate(String),
}

/// All expectations of a file.
///
/// # Errors
/// When a line is not of the documented form.
pub fn expectations(text: &str) -> Result<Vec<Expectation>, String> {
    let lines = text.lines().take_while(|line| line.starts_with("//!"));
    lines.map(|line| line.trim_start_matches("//!").trim()).map(expectation).collect()
}

fn expectation(line: &str) -> Result<Expectation, String> {
    let (head, value) = line.split_once(": ").ok_or_else(|| format!("`{line}` is not `key: value`"))?;
    let (key, qualifiers) = match head.split_once('[') {
        Some((key, rest)) => (key, rest.strip_suffix(']').ok_or_else(|| format!("`{head}` lacks `]`"))?),
        None => (head, ""),
    };
    let claim = claim(key, value.trim())?;
    let (mut about, mut sizes) = (About::All, Sizes::new());
    for part in qualifiers.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part {
            "symmetry" => about = About::Orbits,
            "markers" => about = About::Markers,
            part => sizes.push(size(part)?),
        }
    }
    let is_count = matches!(claim, Claim::Count(..));
    if !is_count && (about != About::All || !sizes.is_empty()) {
        return Err(format!("`{key}` takes no qualifiers"));
    }
    Ok(Expectation { claim, sizes, about })
}

fn claim(key: &str, value: &str) -> Result<Claim, String> {
    Ok(match key {
        "run" => Claim::Run { subtests: subtests(value)?, is_slow: false },
        "run-slow" => Claim::Run { subtests: subtests(value)?, is_slow: true },
        "compat" if value == "prob" => Claim::CompatProb,
        "set-size" => Claim::SetSizes(value.split(',').map(size).collect::<Result<_, _>>()?),
        "states" => Claim::Count(Count::States, number(value)?),
        "nodes" => Claim::Count(Count::Nodes, number(value)?),
        "transitions" => Claim::Count(Count::Transitions, number(value)?),
        "deadlocks" => Claim::Deadlocks(number(value)?),
        "holds" => Claim::Holds(property(value)?),
        "fails" => match property(value)? {
            temporal @ Property::Temporal(_) => Claim::Fails(temporal, None),
            _ => {
                let (name, length) = with_length(value)?;
                match property(name)? {
                    Property::Predicate(_) | Property::Temporal(_) => {
                        return Err(format!("`fails: {value}` names no property with a shortest trace"));
                    }
                    property => Claim::Fails(property, Some(length)),
                }
            }
        },
        "reaches" => match with_length(value)? {
            ("GOAL", length) => Claim::ReachesGoal(length),
            (name, _) => return Err(format!("`reaches: {name}`: only `GOAL` can be reached")),
        },
        "refines" => Claim::Refines(notion(value)?),
        "fails-to-refine" => {
            let (name, length) = with_length(value)?;
            Claim::FailsToRefine(notion(name)?, length)
        }
        _ => return Err(format!("`{key}: {value}` is not a known key and value")),
    })
}

fn notion(text: &str) -> Result<Notion, String> {
    match text {
        "traces" => Ok(Notion::Traces),
        "simulation" => Ok(Notion::Simulation),
        "failures" => Ok(Notion::Failures),
        _ => Err(format!("`{text}` is not a notion of refinement")),
    }
}

fn property(text: &str) -> Result<Property, String> {
    Ok(match text {
        "invariant" => Property::Invariant,
        "assertions" => Property::Assertions,
        "deadlock" => Property::Deadlock,
        temporal if is_temporal(temporal) => Property::Temporal(temporal.to_owned()),
        predicate => Property::Predicate(predicate.to_owned()),
    })
}

fn is_temporal(text: &str) -> bool {
    let is_word = text.chars().all(|ch| ch.is_alphanumeric() || ch == '_');
    is_word && (text.starts_with("ASSERT_LTL") || text.starts_with("ASSERT_CTL"))
}

fn subtests(text: &str) -> Result<Vec<Subtest>, String> {
    let subtest = |word: &str| match word.trim() {
        "parse" => Ok(Subtest::Parse),
        "types" => Ok(Subtest::Types),
        "check" => Ok(Subtest::Check),
        word => Err(format!("`{word}` is not a subtest")),
    };
    text.split(',').map(subtest).collect()
}

/// `property in n`
fn with_length(text: &str) -> Result<(&str, usize), String> {
    let (name, length) = text.rsplit_once(" in ").ok_or_else(|| format!("`{text}` does not say `in n`"))?;
    Ok((name, number(length)? as usize))
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

/// `S=3`
///
/// # Errors
/// When the text has another form.
pub fn size(text: &str) -> Result<(String, u32), String> {
    let (set, size) = text.split_once('=').ok_or_else(|| format!("`{text}` is not `SET=N`"))?;
    let size = size.trim().parse().map_err(|_| format!("`{text}` does not name a number"))?;
    Ok((set.trim().to_owned(), size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let text = "//! run: parse, types\n//! nodes[PROC=3, symmetry]: 14\n//! fails: deadlock in 4\nMACHINE m END";
        let parsed = expectations(text).expect("a header");
        assert_eq!(parsed.len(), 3);
        assert_eq!(parsed[0].claim, Claim::Run { subtests: vec![Subtest::Parse, Subtest::Types], is_slow: false });
        assert_eq!(parsed[1].claim, Claim::Count(Count::Nodes, 14));
        assert_eq!((parsed[1].sizes.as_slice(), parsed[1].about), ([("PROC".to_owned(), 3)].as_slice(), About::Orbits));
        assert_eq!(parsed[2].claim, Claim::Fails(Property::Deadlock, Some(4)));
        let temporal = expectations("//! holds: ASSERT_LTL\n//! fails: ASSERT_CTL2\nMACHINE m END").expect("a header");
        assert_eq!(temporal[0].claim, Claim::Holds(Property::Temporal("ASSERT_LTL".to_owned())));
        assert_eq!(temporal[1].claim, Claim::Fails(Property::Temporal("ASSERT_CTL2".to_owned()), None));
    }

    #[test]
    fn what_no_test_checks_is_refused() {
        for line in [
            "colour: red",
            "run: prove",
            "compat: tlc",
            "states: many",
            "deadlocks[symmetry]: 1",
            "fails: invariant",
            "fails: x > 1 in 3",
            "reaches: x > 1 in 3",
            "fails: ASSERT_LTL1 in 3",
            "refines: everything",
            "fails-to-refine: traces",
        ] {
            assert!(expectations(&format!("//! {line}\nMACHINE m END")).is_err(), "{line}");
        }
    }
}
