//! Preferences of a machine that configure `check`, where the command line says nothing else.

use abridge_check::{Config, Engine, Evaluator, Method, PorMode};
use abridge_model::Model;

/// The method that a machine prefers by SYMMETRY_MODE.
pub(super) fn symmetry(model: &Model) -> Option<Method> {
    match model.steering.preferences.get("SYMMETRY_MODE")?.to_lowercase().as_str() {
        "off" => Some(Method::Off),
        "flood" => Some(Method::Flood),
        "nauty" => Some(Method::Canon),
        "hash" => Some(Method::Marker { is_precise: true }),
        _ => None,
    }
}

/// Applies what is preferred about conditions that are not well-defined: TRY_FIND_ABORT.
pub(super) fn evaluation(model: &Model, config: &mut Config) {
    let Some(finds_errors) = model.steering.preferences.get("TRY_FIND_ABORT") else { return };
    let finds_errors = finds_errors.eq_ignore_ascii_case("TRUE");
    config.eval.ill_defined_guard_is_false = !finds_errors;
    if finds_errors {
        config.eval.ill_defined_search_is_false = false;
        // Circuits have conditions as they are without the preference.
        (config.evaluator, config.por, config.engine) = (Evaluator::Memo, PorMode::Off, Engine::Explicit);
    }
}
