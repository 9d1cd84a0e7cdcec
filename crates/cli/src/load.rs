//! The door through which every command gets its model: the front end is picked by the name of the file.
//!
//! All front ends end in a model, so commands see no difference. A kind of file that no front end reads is refused by its name, which
//! says more than the syntax errors that reading it as classical B would yield.

use std::io::Read as _;
use std::path::Path;

use abridge_diag::{Diagnostic, SourceMap};
use abridge_model::Model;
use abridge_sema::{FormulaAnalysis, FormulaText, Options};

use crate::disk::{MachineFiles, names_in};

/// What a front end found out about a file.
pub(crate) struct Loaded {
    pub(crate) sources: SourceMap,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Present if there is no error.
    pub(crate) model: Option<Model>,
}

/// Reads the model in a file.
pub(crate) fn load(file: &Path, options: &Options) -> Loaded {
    match FrontEnd::of(file) {
        FrontEnd::ClassicalB => {
            let mut analysis = abridge_sema::analyse(&MachineFiles::around(Some(file), options), file, options);
            suggest(file, &mut analysis.diagnostics);
            Loaded { sources: analysis.sources, diagnostics: analysis.diagnostics, model: analysis.model }
        }
        FrontEnd::None(kind) => {
            Loaded { sources: SourceMap::new(), diagnostics: vec![refusal(file, kind)], model: None }
        }
    }
}

/// Reads the model in a file, or an empty one, with formulas beside it.
pub(crate) fn load_with(file: Option<&Path>, texts: &[FormulaText], options: &Options) -> FormulaAnalysis {
    match file.map(FrontEnd::of) {
        None | Some(FrontEnd::ClassicalB) => {
            let mut analysis =
                abridge_sema::analyse_formulas(&MachineFiles::around(file, options), file, texts, options);
            file.into_iter().for_each(|file| suggest(file, &mut analysis.diagnostics));
            analysis
        }
        Some(FrontEnd::None(kind)) => FormulaAnalysis {
            sources: SourceMap::new(),
            diagnostics: file.map(|file| refusal(file, kind)).into_iter().collect(),
            model: None,
            formulas: Vec::new(),
            files: Vec::new(),
        },
    }
}

/// Names a machine in the same folder if a file does not exist: one with an ending, or with nearly this name.
fn suggest(file: &Path, diagnostics: &mut [Diagnostic]) {
    let (Some(first), Some(name)) = (diagnostics.first_mut(), file.file_name()) else { return };
    if first.id != "file-unreadable" || first.span().is_some() || file.exists() {
        return;
    }
    let mut names = names_in(file.parent().unwrap_or(Path::new("")));
    names.retain(|name| MACHINE_ENDINGS.iter().any(|end| name.ends_with(end)));
    let name = name.to_string_lossy();
    let completed = MACHINE_ENDINGS.iter().map(|end| format!("{name}{end}")).find(|name| names.contains(name));
    let same = || names.iter().find(|known| known.eq_ignore_ascii_case(&name)).cloned();
    let near = || abridge_sema::nearest(&name, names.iter().map(String::as_str)).map(str::to_owned);
    if let Some(near) = completed.or_else(same).or_else(near) {
        let near = file.with_file_name(near);
        *first = first.clone().help(format!("a similar one exists: `{}`", near.display()));
    }
}

const MACHINE_ENDINGS: [&str; 4] = [".mch", ".ref", ".imp", ".sys"];

/// Why a file is not read at all, by its name.
pub(crate) fn refused(file: &Path) -> Option<Diagnostic> {
    match FrontEnd::of(file) {
        FrontEnd::ClassicalB => None,
        FrontEnd::None(kind) => Some(refusal(file, kind)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FrontEnd {
    ClassicalB,
    /// No front end reads this kind of file.
    None(&'static str),
}

impl FrontEnd {
    /// By the end of the file's name. What is not known is taken for classical B, which may have any name.
    fn of(file: &Path) -> FrontEnd {
        let ending = file.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
        match UNREADABLE.iter().find(|(endings, _)| endings.contains(&ending.as_str())) {
            Some((_, kind)) => FrontEnd::None(kind),
            None if file.is_dir() => FrontEnd::None("a folder"),
            None if is_rules_machine(file) => FrontEnd::None(RULES_MACHINE),
            None => FrontEnd::ClassicalB,
        }
    }
}

const RULES_MACHINE: &str = "a B rules machine";

/// Whether the first word of a file, after comments, is that of a rules machine, which may have the name of a machine.
fn is_rules_machine(file: &Path) -> bool {
    const N_FIRST_BYTES: u64 = 1 << 16;
    if !file.is_file() {
        return false;
    }
    let mut start = Vec::new();
    let is_read = std::fs::File::open(file).and_then(|file| file.take(N_FIRST_BYTES).read_to_end(&mut start));
    let text = String::from_utf8_lossy(&start);
    let mut rest = text.trim_start();
    loop {
        let (open, close) = if rest.starts_with("/*") { ("/*", "*/") } else { ("//", "\n") };
        match rest.strip_prefix(open).and_then(|comment| comment.split_once(close)) {
            Some((_, behind)) => rest = behind.trim_start(),
            None => return is_read.is_ok() && rest.starts_with("RULES_MACHINE"),
        }
    }
}

/// Kinds of models that are known by name only.
const UNREADABLE: &[(&[&str], &str)] = &[
    (&["eventb"], "an Event-B model as exported for ProB"),
    (&["bum", "bcm"], "an Event-B machine of Rodin"),
    (&["buc", "bcc"], "an Event-B context of Rodin"),
    (&["rmch"], RULES_MACHINE),
    (&["tla", "cfg"], "a TLA+ module or its configuration"),
    (&["als"], "an Alloy model"),
    (&["csp", "cspm"], "a CSP-M specification"),
    (&["zed", "tex", "fuzz"], "a Z specification"),
    (&["p", "pl", "xtl"], "a transition system in Prolog"),
    (&["maude"], "a Maude module"),
    (&["pml"], "a Promela model"),
    (&["prob"], "a machine as the parser of ProB writes it"),
    (&["smt", "smt2"], "an SMT-LIB script"),
    (&["smv"], "an SMV model"),
    (&["prob2trace"], "a trace; `abridge trace replay` takes the machine first and then the trace"),
    (&["prob2project", "json", "csv"], "no model"),
];

fn refusal(file: &Path, kind: &str) -> Diagnostic {
    let message = format!("cannot read `{}`: it is {kind}", file.display());
    Diagnostic::error("unsupported-file", message).help("models are read in classical B: .mch, .ref, .imp, .sys")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{FrontEnd, load};

    #[test]
    fn classical_b_may_have_any_name() {
        for name in ["a.mch", "a.ref", "a.imp", "a.sys", "a.MCH", "a.def", "a", "a.b", "tla.mch"] {
            assert_eq!(FrontEnd::of(Path::new(name)), FrontEnd::ClassicalB, "{name}");
        }
    }

    #[test]
    fn other_kinds_are_refused_by_name() {
        let kinds = [
            ("a.eventb", "Event-B model"),
            ("a.bum", "Event-B machine"),
            ("a.buc", "Event-B context"),
            ("a.rmch", "B rules machine"),
            ("a.tla", "TLA+"),
            ("a.als", "Alloy"),
        ];
        for (name, kind) in kinds {
            let loaded = load(Path::new(name), &abridge_sema::Options::default());
            assert!(loaded.model.is_none());
            let [only] = loaded.diagnostics.as_slice() else { panic!("{name}: {:?}", loaded.diagnostics) };
            assert_eq!(only.id, "unsupported-file");
            assert!(only.message.contains(kind), "{name}: {}", only.message);
        }
    }
}
