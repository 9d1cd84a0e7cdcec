//! `abridge show`: a machine as the front end reads it.
//!
//! Views: overview, syntax tree, types, typed model, symmetry.

mod symmetry;

use std::fmt::Write as _;
use std::path::Path;

use abridge_diag::{SourceMap, Span};
use abridge_model::{CarrierKind, IdSet, Model, VarId, dump};
use abridge_sema::Options;
use abridge_syntax::ast::Ast;
use abridge_syntax::{Visitor, walk};
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::{complain, load_and_tell, print_json};
use crate::exit::Exit;
use crate::out::out;
use crate::report::{JsonSpan, count, json_diagnostics};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ShowView {
    Overview,
    Ast,
    Types,
    Model,
    Symmetry,
}

pub(crate) fn run(file: &Path, view: ShowView, options: &Options, json: bool) -> Exit {
    if view == ShowView::Ast {
        return show_tree(file, json);
    }
    let analysis = load_and_tell(file, options, json.then(|| json!({ "file": file })));
    let Some(model) = &analysis.model else { return Exit::WrongModel };
    if json {
        let mut value = model_json(model, &analysis.sources, view);
        if view == ShowView::Symmetry {
            value["symmetry"] = symmetry::to_json(model, &analysis.sources);
        }
        value["file"] = json!(file);
        value["ok"] = json!(true);
        value["diagnostics"] = json!(json_diagnostics(&analysis.sources, &analysis.diagnostics));
        print_json(&value);
        return Exit::Ok;
    }
    match view {
        ShowView::Types => out!("{}", types_text(model)),
        ShowView::Model => out!("{}", dump::dump(model)),
        ShowView::Symmetry => out!("{}", symmetry::text(model, &analysis.sources)),
        _ => out!("{}", overview(model)),
    }
    Exit::Ok
}

fn show_tree(file: &Path, as_json: bool) -> Exit {
    let parsed = super::parse_file(file);
    let has_errors = parsed.has_errors();
    if as_json {
        let tree = parsed.tree.as_ref().map(|tree| json_tree(tree, &parsed.sources));
        print_json(
            &json!({ "file": file, "ok": !has_errors, "tree": tree, "diagnostics": json_diagnostics(&parsed.sources, &parsed.diagnostics) }),
        );
    } else {
        complain(&parsed.sources, &parsed.diagnostics);
        if let Some(tree) = &parsed.tree {
            let mut text = TreeText { out: String::new(), depth: 0 };
            walk(tree, &mut text);
            out!("{}", text.out);
        }
    }
    super::exit_for(has_errors)
}

/// The tree as indented lines.
struct TreeText {
    out: String,
    depth: usize,
}

impl Visitor for TreeText {
    fn enter(&mut self, label: &str, _span: Span) {
        let _ = writeln!(self.out, "{:1$}{label}", "", self.depth * 2);
        self.depth += 1;
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// One node; the list is in preorder and `parent` is an index into it, so that no reader needs recursion.
#[derive(Serialize)]
struct JsonNode {
    label: String,
    parent: Option<usize>,
    #[serde(flatten)]
    span: JsonSpan,
}

fn json_tree(tree: &Ast, sources: &SourceMap) -> Vec<JsonNode> {
    struct Collect<'a> {
        sources: &'a SourceMap,
        nodes: Vec<JsonNode>,
        open: Vec<usize>,
    }
    impl Visitor for Collect<'_> {
        fn enter(&mut self, label: &str, span: Span) {
            let parent = self.open.last().copied();
            self.open.push(self.nodes.len());
            self.nodes.push(JsonNode { label: label.to_owned(), parent, span: JsonSpan::new(self.sources, span) });
        }

        fn leave(&mut self) {
            self.open.pop();
        }
    }
    let mut collect = Collect { sources, nodes: Vec::new(), open: Vec::new() };
    walk(tree, &mut collect);
    collect.nodes
}

fn overview(model: &Model) -> String {
    let mut out = format!("{}\n", model.name);
    let mut line = |head: &str, text: String| {
        if !text.is_empty() {
            let _ = writeln!(out, "  {head:<12}{text}");
        }
    };
    let sets = model.sets.values().map(|set| format!("{} ({})", set.name, count(set.size() as usize, "element")));
    line("sets", join(sets));
    line("constants", join(model.constants.values().map(|constant| constant.name.to_string())));
    line("variables", join(model.state_variables().map(|(_, variable)| variable.name.to_string())));
    line(
        "invariant",
        if model.invariant.is_empty() { String::new() } else { count(model.invariant.len(), "conjunct") },
    );
    line("assertions", if model.assertions.is_empty() { String::new() } else { model.assertions.len().to_string() });
    let _ = writeln!(out, "  operations");
    for (_, op) in model.transitions() {
        let params = join(op.params.iter().map(|local| model.locals[*local].name.to_string()));
        let params = if params.is_empty() { params } else { format!("({params})") };
        let outputs = join(op.outputs.iter().map(|local| model.locals[*local].name.to_string()));
        let outputs = if outputs.is_empty() { outputs } else { format!("{outputs} <-- ") };
        let _ = writeln!(out, "    {outputs}{}{params}", op.name);
        let _ = writeln!(
            out,
            "      reads {}, writes {}",
            names(model, &op.effects.reads),
            names(model, &op.effects.writes)
        );
    }
    out
}

fn names(model: &Model, set: &IdSet<VarId>) -> String {
    let text = join(set.iter().map(|id| model.variables[id].name.to_string()));
    if text.is_empty() { "nothing".to_owned() } else { text }
}

fn join(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

fn types_text(model: &Model) -> String {
    let mut rows: Vec<(&str, String, String)> = Vec::new();
    for set in model.sets.values() {
        rows.push(("set", set.name.to_string(), format!("{} elements", set.size())));
    }
    for constant in model.constants.values() {
        rows.push(("constant", constant.name.to_string(), model.type_text(constant.ty)));
    }
    for (_, variable) in model.state_variables() {
        rows.push(("variable", variable.name.to_string(), model.type_text(variable.ty)));
    }
    for (_, op) in model.operations.iter() {
        for (what, locals) in [("parameter", &op.params), ("output", &op.outputs)] {
            for local in locals {
                let local = &model.locals[*local];
                rows.push((what, format!("{} of {}", local.name, op.name), model.type_text(local.ty)));
            }
        }
    }
    let width = rows.iter().map(|(_, name, _)| name.chars().count()).max().unwrap_or(0);
    rows.iter().map(|(what, name, ty)| format!("{what:<10} {name:<width$}  {ty}\n")).collect()
}

fn model_json(model: &Model, sources: &SourceMap, view: ShowView) -> Value {
    let place = |span| json!(JsonSpan::new(sources, span));
    let variables =
        |set: &IdSet<VarId>| -> Vec<&str> { set.iter().map(|id| model.variables[id].name.as_str()).collect() };
    let conjuncts = |list: &[abridge_model::Conjunct]| -> Vec<Value> {
        let json = |conjunct: &abridge_model::Conjunct| {
            json!({
                "text": dump::pred_text(model, conjunct.pred),
                "labels": conjunct.labels.iter().map(|label| label.as_str()).collect::<Vec<_>>(),
                "machine": conjunct.machine.as_str(),
                "reads": variables(&conjunct.reads),
                "gluing": conjunct.is_gluing,
                "place": place(conjunct.span),
            })
        };
        list.iter().map(json).collect()
    };
    let sets = model.sets.values().map(|set| {
        let elements: Vec<String> = (0..set.size()).map(|index| set.element_name(index).to_string()).collect();
        json!({ "name": set.name.as_str(), "deferred": matches!(set.kind, CarrierKind::Deferred { .. }), "size": set.size(), "elements": elements })
    });
    let locals = |list: &[abridge_model::LocalId]| -> Vec<Value> {
        list.iter().map(|local| json!({ "name": model.locals[*local].name.as_str(), "type": model.type_text(model.locals[*local].ty) })).collect()
    };
    let operations = model.operations.values().map(|op| {
        json!({
            "name": op.name.as_str(),
            "parameters": locals(&op.params),
            "outputs": locals(&op.outputs),
            "transition": op.is_top_level,
            "reads": variables(&op.effects.reads),
            "guard_reads": variables(&op.effects.guard_reads),
            "writes": variables(&op.effects.writes),
            "place": place(op.origin.span),
        })
    });
    let mut value = json!({
        "name": model.name.as_str(),
        "sets": sets.collect::<Vec<_>>(),
        "constants": model.constants.values().map(|c| json!({ "name": c.name.as_str(), "type": model.type_text(c.ty), "place": place(c.origin.span) })).collect::<Vec<_>>(),
        "variables": model.variables.values().map(|v| json!({ "name": v.name.as_str(), "type": model.type_text(v.ty), "abstract": v.is_abstract, "place": place(v.origin.span) })).collect::<Vec<_>>(),
        "operations": operations.collect::<Vec<_>>(),
    });
    if view != ShowView::Types {
        value["properties"] = json!(conjuncts(&model.properties));
        value["invariant"] = json!(conjuncts(&model.invariant));
        value["assertions"] = json!(conjuncts(&model.assertions));
    }
    if view == ShowView::Model {
        value["dump"] = json!(dump::dump(model));
    }
    value
}
