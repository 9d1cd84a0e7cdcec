//! What circuits cover of the machines of a corpus, for runs with `--evaluator sliced`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::RowResult;
use crate::out::outln;

const CLASSES: [&str; 5] = [
    "everything by circuits",
    "all operations by circuits, some property not",
    "some operations by circuits",
    "no operation by circuits",
    "no operations",
];

/// Machines by what circuits cover of them, and by the reasons why they do not cover the rest.
#[derive(Default)]
pub(super) struct Cover {
    classes: [usize; CLASSES.len()],
    reasons: BTreeMap<String, usize>,
}

impl Cover {
    /// Nothing if no machine was evaluated by circuits on purpose.
    pub(super) fn of(outcomes: &[RowResult], options: &[String]) -> Option<Cover> {
        let is_asked = options.windows(2).any(|pair| pair == ["--evaluator", "sliced"])
            || options.iter().any(|option| option == "--evaluator=sliced");
        let mut cover = Cover::default();
        outcomes.iter().filter(|_| is_asked).for_each(|outcome| cover.add(&outcome.evaluator));
        (cover.classes.iter().sum::<usize>() > 0).then_some(cover)
    }

    fn add(&mut self, evaluator: &Value) {
        let (Some(all), Some(sliced)) = (evaluator["operations"].as_u64(), evaluator["sliced_operations"].as_u64())
        else {
            return;
        };
        let reasons = evaluator["reasons"].as_array().map(Vec::as_slice).unwrap_or_default();
        let reasons: BTreeSet<String> = reasons.iter().filter_map(Value::as_str).map(without_names).collect();
        let class = match sliced {
            _ if all == 0 => 4,
            _ if sliced == all && reasons.is_empty() => 0,
            _ if sliced == all => 1,
            0 => 3,
            _ => 2,
        };
        self.classes[class] += 1;
        reasons.into_iter().for_each(|reason| *self.reasons.entry(reason).or_default() += 1);
    }

    /// Reasons, the most frequent first.
    fn sorted_reasons(&self) -> Vec<(&str, usize)> {
        let mut reasons: Vec<(&str, usize)> = self.reasons.iter().map(|(reason, n)| (reason.as_str(), *n)).collect();
        reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        reasons
    }

    pub(super) fn print(&self) {
        outln!("machines by what circuits cover");
        for (class, n) in CLASSES.iter().zip(self.classes) {
            outln!("  {n:5}  {class}");
        }
        outln!("machines by reasons for the rest");
        for (reason, n) in self.sorted_reasons() {
            outln!("  {n:5}  {reason}");
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let classes: serde_json::Map<String, Value> =
            CLASSES.iter().zip(self.classes).map(|(class, n)| ((*class).to_owned(), json!(n))).collect();
        let reasons: Vec<Value> =
            self.sorted_reasons().into_iter().map(|(reason, n)| json!({ "reason": reason, "machines": n })).collect();
        json!({ "classes": classes, "reasons": reasons })
    }
}

/// A reason without the names and numbers of one machine: its kind of subject, and the cause.
fn without_names(reason: &str) -> String {
    let (subject, cause) = reason.split_once(" has no exact circuit: ").unwrap_or(("", reason));
    let is_particular = |word: &&str| word.starts_with(|first: char| first == '`' || first.is_ascii_digit());
    let kind = subject.split(' ').take_while(|word| !is_particular(word)).collect::<Vec<_>>().join(" ");
    let mut is_name = false;
    let cause: String = cause
        .split('`')
        .map(|part| {
            is_name = !is_name;
            if is_name { part } else { "a variable without cells" }
        })
        .collect();
    if kind.is_empty() { cause } else { format!("{kind}: {cause}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_counted_by_class_and_reason() {
        let outcome = |sliced: u64, all: u64, reasons: &[&str]| RowResult {
            evaluator: json!({ "operations": all, "sliced_operations": sliced, "reasons": reasons }),
            ..RowResult::default()
        };
        let reads = [
            "operation `inc` has no exact circuit: it reads `xx`",
            "operation `dec` has no exact circuit: it reads `y`",
        ];
        let outcomes = [
            outcome(2, 2, &[]),
            outcome(2, 2, &["invariant 13 has no exact circuit: an operator"]),
            outcome(1, 3, &reads),
            outcome(0, 3, &reads),
            outcome(0, 0, &[]),
            RowResult::default(),
        ];
        let options = ["--evaluator", "sliced"].map(str::to_owned);
        let cover = Cover::of(&outcomes, &options).expect("some machines");
        assert_eq!(cover.classes, [1; 5]);
        let expected = [("operation: it reads a variable without cells", 2), ("invariant: an operator", 1)];
        assert_eq!(cover.sorted_reasons(), expected);
        assert!(Cover::of(&outcomes, &[]).is_none());
    }
}
