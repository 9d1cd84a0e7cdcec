//! `abridge preferences`: what becomes of the preferences of ProB.

use abridge_sema::{PreferenceRow, preference_table};
use clap::Args;
use serde_json::json;

use crate::commands::print_json;
use crate::exit::Exit;
use crate::out::{errln, out};
use crate::text::aligned;

#[derive(Args)]
pub(crate) struct PreferencesOptions {
    /// Preferences whose names contain this text [default: all]
    name: Option<String>,
}

pub(crate) fn run(options: &PreferencesOptions, json: bool) -> Exit {
    let wanted = options.name.as_deref().unwrap_or_default().to_uppercase();
    let rows: Vec<PreferenceRow> = preference_table().into_iter().filter(|row| row.name.contains(&wanted)).collect();
    if json {
        let row = |row: &PreferenceRow| json!({ "name": row.name, "effect": row.effect, "value": row.value, "text": row.text });
        print_json(&rows.iter().map(row).collect::<Vec<_>>());
    } else if rows.is_empty() {
        errln!("no preference has `{wanted}` in its name");
    } else {
        let row = |row: &PreferenceRow| {
            let effect = row.value.map_or(row.effect.to_owned(), |value| format!("{} {value}", row.effect));
            vec![row.name.to_owned(), effect, row.text.to_owned()]
        };
        out!("{}", aligned(&rows.iter().map(row).collect::<Vec<_>>(), 3));
    }
    if rows.is_empty() { Exit::No } else { Exit::Ok }
}
