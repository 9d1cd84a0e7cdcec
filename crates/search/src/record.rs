//! Counts, findings and limits of a search.
//!
//! Every [`Completeness`] ends in [`SearchRecord::heed`]. One that is dropped would let a verdict claim more than was seen.

use std::collections::BTreeMap;

use abridge_system::{Completeness, Finding, FindingKind, Gap, Limit};

use crate::explore::SearchConfig;

/// Numbers of transitions: total and per operation.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    pub(crate) transitions: u64,
    pub(crate) per_operation: Vec<u64>,
}

impl Tally {
    pub(crate) fn add(&mut self, operation: u32, count: u64) {
        let operation = operation as usize;
        if self.per_operation.len() <= operation {
            self.per_operation.resize(operation + 1, 0);
        }
        let of_operation = &mut self.per_operation[operation];
        *of_operation = of_operation.saturating_add(count);
        self.transitions = self.transitions.saturating_add(count);
    }

    pub(crate) fn clear(&mut self) {
        self.transitions = 0;
        self.per_operation.clear();
    }

    pub(crate) fn take_over(&mut self, other: &Tally) {
        for (operation, count) in (0..).zip(&other.per_operation) {
            self.add(operation, *count);
        }
    }
}

/// Collected counts, findings and limits, and the end of the search.
#[derive(Default)]
pub(crate) struct SearchRecord {
    pub(crate) tally: Tally,
    pub(crate) findings: Vec<Finding>,
    /// Number of findings of each kind, conjunct and operation.
    n_found: BTreeMap<FindingKind, usize>,
    pub(crate) limits: Vec<Limit>,
    pub(crate) is_done: bool,
    /// The search ended at a limit, with states left to expand.
    pub(crate) is_stopped: bool,
}

impl SearchRecord {
    /// Record of a resumed search.
    pub(crate) fn resumed(tally: Tally, findings: Vec<Finding>, limits: Vec<Limit>) -> SearchRecord {
        let mut n_found = BTreeMap::new();
        findings.iter().for_each(|finding| *n_found.entry(finding.kind).or_default() += 1);
        SearchRecord { tally, findings, n_found, limits, ..SearchRecord::default() }
    }

    pub(crate) fn find(&mut self, config: &SearchConfig, finding: Finding) {
        let n_same = self.n_found.entry(finding.kind).or_default();
        if *n_same < config.max_findings {
            *n_same += 1;
            self.findings.push(finding);
        }
        self.is_done |= config.stop_at_first;
    }

    pub(crate) fn limit(&mut self, limit: Limit) {
        if !self.limits.contains(&limit) {
            self.limits.push(limit);
        }
    }

    /// Turns missing steps or truth values into a limit.
    pub(crate) fn heed(&mut self, completeness: Completeness) {
        if let Completeness::Missing(gap) = completeness {
            self.limit(Limit::Missing(gap));
        }
    }

    /// Turns a gap that was collected separately into a limit.
    pub(crate) fn heed_gap(&mut self, gap: Option<Gap>) {
        self.heed(gap.into());
    }

    /// Whether something says that steps of states so far may be missing.
    pub(crate) fn may_miss_steps(&self) -> bool {
        self.limits.iter().any(|limit| matches!(limit, Limit::Missing(_)))
            || self.findings.iter().any(|finding| matches!(finding.kind, FindingKind::IllDefined(_)))
    }

    pub(crate) fn stop(&mut self, limit: Limit) {
        self.limit(limit);
        self.is_done = true;
        self.is_stopped = true;
    }
}
