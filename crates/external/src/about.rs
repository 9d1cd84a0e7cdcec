//! LibraryMeta: names, counts and preferences of the model.
//!
//! Functions that inspect the run, such as the number of states, are not supported: their values are not functions of the state.

use abridge_eval::{Result, Val};
use abridge_model::{Conjunct, ModelKind};
use abridge_value::{Int, Set, Value};

use super::{Call, number, text, unsupported_use};

impl Call<'_> {
    pub(super) fn about_function(&self) -> Result<Option<Val>> {
        match self.name {
            "GET_PREF" => self.preference(true),
            "GET_PREF_DEFAULT" => self.preference(false),
            "PROJECT_INFO" => self.names_of_project(),
            "PROJECT_STATISTICS" => self.counts_of_project(),
            "MACHINE_INFO" => self.kind_of_machine(),
            _ => Ok(None),
        }
    }

    fn preference(&self, as_set: bool) -> Result<Option<Val>> {
        let (name, set) = (self.str(0)?, &self.session.model().steering.preferences);
        if as_set && let Some(value) = set.get(name) {
            return text(value);
        }
        match name {
            "MAXINT" => text("3"),
            "MININT" => text("-1"),
            "DEFAULT_SETSIZE" => text("2"),
            _ => Err(unsupported_use(self.name, &format!("for the preference `{name}`"))),
        }
    }

    fn names_of_project(&self) -> Result<Option<Val>> {
        let model = self.session.model();
        let labels = |conjuncts: &[Conjunct]| -> Vec<String> {
            conjuncts.iter().flat_map(|conjunct| conjunct.labels.iter().map(ToString::to_string)).collect()
        };
        let names: Vec<String> = match self.str(0)? {
            "main-machine" => vec![model.name.to_string()],
            "variables" => model.state_variables().map(|(_, variable)| variable.name.to_string()).collect(),
            "constants" => model.constants.iter().map(|(_, constant)| constant.name.to_string()).collect(),
            "sets" => model.sets.iter().map(|(_, set)| set.name.to_string()).collect(),
            "operations" => model.transitions().map(|(_, operation)| operation.name.to_string()).collect(),
            "invariant_labels" => labels(&model.invariant),
            "assertion_labels" => labels(&model.assertions),
            other => return Err(unsupported_use(self.name, &format!("for `{other}`"))),
        };
        Ok(Some(names.into_iter().map(Value::string).collect::<Set>().into()))
    }

    fn counts_of_project(&self) -> Result<Option<Val>> {
        let model = self.session.model();
        let deferred = model.sets.iter().filter(|(_, set)| set.is_deferred()).count();
        let is_static = |assertion: &&Conjunct| assertion.reads.is_empty();
        number(Int::from(match self.str(0)? {
            "deferred_sets" => deferred,
            "enumerated_sets" => model.sets.len() - deferred,
            "constants" => model.constants.len(),
            "properties" => model.properties.len(),
            "variables" => model.state_variables().count(),
            "invariants" => model.invariant.len(),
            "operations" => model.transitions().count(),
            "static_assertions" => model.assertions.iter().filter(is_static).count(),
            "dynamic_assertions" => model.assertions.iter().filter(|assertion| !is_static(assertion)).count(),
            other => return Err(unsupported_use(self.name, &format!("for `{other}`"))),
        }))
    }

    fn kind_of_machine(&self) -> Result<Option<Val>> {
        let model = self.session.model();
        match (self.str(0)? == model.name, self.str(1)?) {
            (true, "TYPE") => text(match model.kind {
                ModelKind::Machine => "abstract_machine",
                ModelKind::Refinement => "refinement",
                ModelKind::Implementation => "implementation",
            }),
            (true, other) => Err(unsupported_use(self.name, &format!("for `{other}`"))),
            (false, _) => Err(unsupported_use(self.name, "for a machine other than the main one")),
        }
    }
}
