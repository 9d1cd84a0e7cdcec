//! Trees as S-expressions, for tests: `x + 1 = y` is `(= (+ x 1) y)`.

use crate::ast::*;

pub(super) fn unit(ast: &Ast) -> String {
    match &ast.unit {
        Unit::Formula(id) => formula(ast, *id),
        Unit::Substitution(id) => substitution(ast, *id),
        Unit::Definitions(definitions) => listed(definitions, |each| definition(ast, each)),
        Unit::Machine(machine) => self::machine(ast, machine),
    }
}

fn node(head: &str, parts: impl IntoIterator<Item = String>) -> String {
    let mut text = format!("({head}");
    for part in parts {
        text.push(' ');
        text.push_str(&part);
    }
    text + ")"
}

fn listed<T>(items: &[T], each: impl Fn(&T) -> String) -> String {
    let items: Vec<String> = items.iter().map(each).collect();
    format!("[{}]", items.join(" "))
}

fn names(idents: &[Ident]) -> String {
    listed(idents, |ident| ident.name.to_string())
}

fn declared(idents: &[DeclaredIdent]) -> String {
    listed(idents, |each| match &each.desc {
        Some(desc) => format!("{}:{desc:?}", each.ident.name),
        None => each.ident.name.to_string(),
    })
}

pub(super) fn formula(ast: &Ast, id: ExprId) -> String {
    let one = |id: &ExprId| formula(ast, *id);
    let all = |head: &str, ids: &[ExprId]| node(head, ids.iter().map(one));
    let fields = |head: &str, fields: &[(Ident, ExprId)]| {
        node(head, fields.iter().map(|(field, value)| format!("{}:{}", field.name, one(value))))
    };
    let shown = ast.expr(id);
    let text = match &shown.expr {
        Expr::Error => "<error>".to_owned(),
        Expr::Ident(name) => name.to_string(),
        Expr::Before(name) => format!("{name}$0"),
        Expr::Integer(text) | Expr::Real(text) => text.to_string(),
        Expr::String(value) => format!("{value:?}"),
        Expr::Template(parts) => node(
            "template",
            parts.iter().map(|part| match part {
                TemplatePart::Text(text) => format!("{text:?}"),
                TemplatePart::Expr(id) => one(id),
            }),
        ),
        Expr::Atom(atom) => atom.spelling(false).to_owned(),
        Expr::Neg(operand) => node("neg", [one(operand)]),
        Expr::Inverse(operand) => node("~", [one(operand)]),
        Expr::Not(operand) => node("not", [one(operand)]),
        Expr::And(operands) => all("&", operands),
        Expr::Or(operands) => all("or", operands),
        Expr::Binary(op, lhs, rhs) => node(op.info().ascii, [one(lhs), one(rhs)]),
        Expr::Builtin(builtin, args) => all(builtin.info().name, args),
        Expr::Apply(head, args) => node("apply", [one(head)].into_iter().chain(args.iter().map(one))),
        Expr::Image(relation, set) => node("image", [one(relation), one(set)]),
        Expr::Field(record, field) => node("field", [one(record), field.name.to_string()]),
        Expr::Tuple(elements) => all("tuple", elements),
        Expr::SetExtension(elements) => all("set", elements),
        Expr::SequenceExtension(elements) => all("sequence", elements),
        Expr::Comprehension { ids, pred, maplets } => {
            node(if *maplets { "maplets" } else { "such" }, [names(ids), one(pred)])
        }
        Expr::SetImage { ids, pred, expr } => node("all", [names(ids), one(pred), one(expr)]),
        Expr::Quantified { kind, ids, pred, expr } => node(kind.spelling(false), [names(ids), one(pred), one(expr)]),
        Expr::Forall { ids, pred } => node("!", [names(ids), one(pred)]),
        Expr::Exists { ids, pred } => node("#", [names(ids), one(pred)]),
        Expr::Record(entries) => fields("rec", entries),
        Expr::Struct(entries) => fields("struct", entries),
        Expr::If { branches, otherwise } => {
            let branches = branches.iter().flat_map(|(condition, result)| [one(condition), one(result)]);
            node("if", branches.chain([one(otherwise)]))
        }
        Expr::Let { ids, pred, body } => node("let", [names(ids), one(pred), one(body)]),
        Expr::Substituted(it) => node(":=", [names(&it.ids), listed(&it.values, one), one(&it.pred)]),
        Expr::OfType(operand, ty) => node("oftype", [one(operand), one(ty)]),
        Expr::Labelled { labels, pred } => node("label", [labels.join(","), one(pred)]),
        Expr::Described { expr, text } => node("desc", [one(expr), format!("{text:?}")]),
    };
    if shown.symbolic { node("symbolic", [text]) } else { text }
}

pub(super) fn substitution(ast: &Ast, id: SubstId) -> String {
    let expr = |id: &ExprId| formula(ast, *id);
    let one = |id: &SubstId| substitution(ast, *id);
    let all = |head: &str, ids: &[SubstId]| node(head, ids.iter().map(one));
    let branches = |head: &str, branches: &[(ExprId, SubstId)], otherwise: &Option<SubstId>| {
        let branches = branches.iter().flat_map(|(condition, body)| [expr(condition), one(body)]);
        node(head, branches.chain(otherwise.iter().map(|id| format!("else:{}", one(id)))))
    };
    match &ast.subst(id).subst {
        Subst::Error => "<error>".to_owned(),
        Subst::Skip => "skip".to_owned(),
        Subst::Block(body) => node("begin", [one(body)]),
        Subst::Assign { targets, values } => node(":=", [listed(targets, expr), listed(values, expr)]),
        Subst::BecomesElement { targets, set } => node("::", [names(targets), expr(set)]),
        Subst::BecomesSuch { targets, pred } => node(":", [names(targets), expr(pred)]),
        Subst::Pre { pred, body } => node("pre", [expr(pred), one(body)]),
        Subst::Assert { pred, body } => node("assert", [expr(pred), one(body)]),
        Subst::Witness { pred, body } => node("witness", [expr(pred), one(body)]),
        Subst::Select { branches: parts, otherwise } => branches("select", parts, otherwise),
        Subst::If { branches: parts, otherwise } => branches("if", parts, otherwise),
        Subst::Choice(parts) => all("choice", parts),
        Subst::Case { selector, branches, otherwise } => {
            let branches = branches.iter().flat_map(|(labels, body)| [listed(labels, expr), one(body)]);
            let otherwise = otherwise.iter().map(|id| format!("else:{}", one(id)));
            node("case", [expr(selector)].into_iter().chain(branches).chain(otherwise))
        }
        Subst::Any { ids, pred, body } => node("any", [names(ids), expr(pred), one(body)]),
        Subst::Let { ids, pred, body } => node("let", [names(ids), expr(pred), one(body)]),
        Subst::Var { ids, body } => node("var", [names(ids), one(body)]),
        Subst::While { condition, body, invariant, variant } => {
            node("while", [expr(condition), one(body), expr(invariant), expr(variant)])
        }
        Subst::Call { outputs, name, args } => {
            node("call", [listed(outputs, expr), name.name.to_string(), listed(args, expr)])
        }
        Subst::Sequence(parts) => all(";", parts),
        Subst::Parallel(parts) => all("||", parts),
    }
}

fn definition(ast: &Ast, definition: &Definition) -> String {
    match definition {
        Definition::Import { path, .. } => format!("{path:?}"),
        Definition::Named { name, params, body, .. } => {
            let body = match body {
                DefinitionBody::Formula(id) => formula(ast, *id),
                DefinitionBody::Substitution(id) => format!("do:{}", substitution(ast, *id)),
            };
            node("==", [name.name.to_string(), names(params), body])
        }
    }
}

fn machine_ref(ast: &Ast, machine: &MachineRef) -> String {
    let prefix = machine.prefix.iter().map(|prefix| format!("{prefix}."));
    let file = machine.file.iter().map(|file| format!("@{file:?}"));
    let args = machine.args.iter().map(|id| format!("({})", formula(ast, *id)));
    prefix.chain([machine.name.name.to_string()]).chain(args).chain(file).collect()
}

fn operation(ast: &Ast, operation: &Operation) -> String {
    let refines = operation.refines.iter().map(|name| format!("ref:{}", name.name));
    let head = [names(&operation.outputs), operation.name.name.to_string(), names(&operation.params)];
    let desc = operation.desc.iter().map(|desc| format!("{desc:?}"));
    let body = substitution(ast, operation.body);
    node("op", head.into_iter().chain(refines).chain([body]).chain(desc))
}

fn set(set: &SetDecl) -> String {
    let name = declared(std::slice::from_ref(&set.name));
    match &set.kind {
        SetDeclKind::Deferred => name,
        SetDeclKind::Enumerated(elements) => format!("{name}={}", declared(elements)),
        SetDeclKind::EnumeratedBy(definition) => format!("{name}={}", definition.name),
    }
}

fn free_type(ast: &Ast, each: &FreeType) -> String {
    let constructors = listed(&each.constructors, |constructor| {
        let arg = constructor.arg.map_or(String::new(), |id| format!(":{}", formula(ast, id)));
        format!("{}{arg}", constructor.name.name)
    });
    node("free", [each.name.name.to_string(), names(&each.params), constructors])
}

fn clause(ast: &Ast, clause: &Clause) -> String {
    let refs = |head: &str, refs: &[MachineRef]| node(head, refs.iter().map(|each| machine_ref(ast, each)));
    let definitions = |head: &str, list: &[Definition]| node(head, list.iter().map(|each| definition(ast, each)));
    let operations = |head: &str, list: &[Operation]| node(head, list.iter().map(|each| operation(ast, each)));
    match &clause.kind {
        ClauseKind::Constraints(id) => node("constraints", [formula(ast, *id)]),
        ClauseKind::Sees(list) => refs("sees", list),
        ClauseKind::Uses(list) => refs("uses", list),
        ClauseKind::Includes(list) => refs("includes", list),
        ClauseKind::Extends(list) => refs("extends", list),
        ClauseKind::Imports(list) => refs("imports", list),
        ClauseKind::Promotes(list) => node("promotes", [names(list)]),
        ClauseKind::Sets(list) => node("sets", list.iter().map(set)),
        ClauseKind::FreeTypes(list) => node("freetypes", list.iter().map(|each| free_type(ast, each))),
        ClauseKind::Constants(list) => node("constants", [declared(list)]),
        ClauseKind::AbstractConstants(list) => node("abstract-constants", [declared(list)]),
        ClauseKind::Properties(id) => node("properties", [formula(ast, *id)]),
        ClauseKind::Values(list) => {
            node("values", list.iter().map(|each| format!("{}={}", each.name.name, formula(ast, each.value))))
        }
        ClauseKind::Variables(list) => node("variables", [declared(list)]),
        ClauseKind::ConcreteVariables(list) => node("concrete-variables", [declared(list)]),
        ClauseKind::Invariant(id) => node("invariant", [formula(ast, *id)]),
        ClauseKind::Assertions(list) => node("assertions", list.iter().map(|id| formula(ast, *id))),
        ClauseKind::Initialisation(id) => node("init", [substitution(ast, *id)]),
        ClauseKind::Operations(list) => operations("operations", list),
        ClauseKind::LocalOperations(list) => operations("local-operations", list),
        ClauseKind::Definitions(list) => definitions("definitions", list),
        ClauseKind::Expressions(list) => definitions("expressions", list),
        ClauseKind::Predicates(list) => definitions("predicates", list),
    }
}

fn machine(ast: &Ast, machine: &Machine) -> String {
    let kind = format!("{:?}", machine.kind).to_lowercase();
    let mut head = vec![machine.name.name.to_string()];
    if !machine.params.is_empty() {
        head.push(names(&machine.params));
    }
    head.extend(machine.refines.iter().map(|name| format!("refines:{}", name.name)));
    head.extend(machine.pragmas.iter().map(|pragma| format!("{pragma:?}")));
    node(&kind, head.into_iter().chain(machine.clauses.iter().map(|each| clause(ast, each))))
}
