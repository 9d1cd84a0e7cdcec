//! Families of reductions: `ROTATION_r == P`, `PERMUTATION_r == P`, `REUSE_r == ID`, `ABSTRACT_r == ID`.
//!
//! A family names a set. The typing conjuncts of the invariant tell which parts of the variables are elements of the set. The family is expanded into
//! a substitution in B, which is parsed and lowered like one written by the user. So users can read the expansion, and all later code knows
//! generators and canonizers only. An expansion that misses a part is not a reduction; the checks of reductions refute it.

use abridge_diag::{Diagnostic, SourceMap, Span, with_stack};
use abridge_model::SmolStr;
use abridge_syntax::ast::{self, Ast, BinaryOp, Builtin, ClauseKind, Definition, DefinitionBody, Expr, ExprId};
use abridge_syntax::{PrintConfig, parse_substitution, print_expr};

use crate::definitions::definitions_of;
use crate::project::{ParsedFile, SourceProject, UnitId};

/// Family expanded into a substitution.
pub(crate) struct Family {
    /// Name of the definition without its prefix.
    pub(crate) name: SmolStr,
    pub(crate) span: Span,
    pub(crate) kind: FamilyKind,
    /// Name of the set, if it is given by a name.
    pub(crate) set: Option<SmolStr>,
    /// Unit of the substitution.
    pub(crate) unit: UnitId,
    pub(crate) text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FamilyKind {
    Rotation,
    Permutation,
    Reuse,
    Abstract,
}

impl FamilyKind {
    /// True for canonizers, false for generators of a group.
    pub(crate) fn is_canonizer(self) -> bool {
        matches!(self, FamilyKind::Reuse | FamilyKind::Abstract)
    }
}

pub(crate) const PREFIXES: [(&str, FamilyKind); 4] = [
    ("ROTATION_", FamilyKind::Rotation),
    ("PERMUTATION_", FamilyKind::Permutation),
    ("REUSE_", FamilyKind::Reuse),
    ("ABSTRACT_", FamilyKind::Abstract),
];

/// Name of the function from elements to their images.
const MAP: &str = "map__";

/// Parameters of the generator of a permutation.
pub(crate) const EXCHANGED: [&str; 2] = ["first__", "second__"];

/// Expands the families of the main machine and adds the substitutions to the project.
pub(crate) fn expand(project: &mut SourceProject, sources: &mut SourceMap, diagnostics: &mut Vec<Diagnostic>) {
    if project.has_errors || project.machine(project.main).is_none() {
        return;
    }
    let mut found = Vec::new();
    {
        let ast = project.ast(project.main);
        for definition in definitions_of(ast) {
            let Definition::Named { name, params, body: DefinitionBody::Formula(set), .. } = definition else {
                continue;
            };
            let family = PREFIXES.iter().find_map(|(prefix, kind)| Some((name.name.strip_prefix(prefix)?, *kind)));
            let Some((short, kind)) = family.filter(|(short, _)| params.is_empty() && !short.is_empty()) else {
                continue;
            };
            let expander = Expander { ast, kind, set: text(ast, *set) };
            match expander.substitution(*set) {
                Ok(body) => {
                    let set = match &ast.expr(*set).expr {
                        Expr::Ident(name) => Some(name.clone()),
                        _ => None,
                    };
                    found.push((SmolStr::from(short), name.span, kind, set, body));
                }
                Err(message) => diagnostics.push(
                    Diagnostic::warning("wrong-reduction", format!("`{}` {message}", name.name))
                        .at(name.span)
                        .help("write a GENERATOR or a CANONIZER definition instead")
                        .note(format!("`{}` is ignored", name.name)),
                ),
            }
        }
    }
    for (name, span, kind, set, text) in found {
        let file = sources.add(format!("expansion of {name}"), text.as_str());
        let (ast, mistakes) = parse_substitution(file, &text);
        if let Some(mistake) = mistakes.into_iter().find(Diagnostic::is_error) {
            diagnostics.push(Diagnostic { severity: abridge_diag::Severity::Warning, ..mistake });
            continue;
        }
        let unit = UnitId(project.units.len() as u32);
        let path = format!("expansion of {name}").into();
        project.units.push(ParsedFile { path, ast, refs: Vec::new(), refines: None, imports: Vec::new() });
        project.families.push(Family { name, span, kind, set, unit, text });
    }
}

fn text(ast: &Ast, id: ExprId) -> String {
    print_expr(ast, id, PrintConfig::default())
}

/// Expansion of one family.
struct Expander<'a> {
    ast: &'a Ast,
    kind: FamilyKind,
    /// Text of the set.
    set: String,
}

impl Expander<'_> {
    fn substitution(&self, set: ExprId) -> Result<String, String> {
        let mut moved: Vec<(SmolStr, String)> = Vec::new();
        let mut names: Vec<String> = Vec::new();
        for (variable, ty, is_set) in self.typings() {
            let value = if is_set { self.image_of_set(ty, &variable) } else { self.image(ty, &variable) };
            let Some(value) = value? else { continue };
            names.extend(if is_set { self.names_in(ty, &variable)? } else { self.names_of(ty, &variable)? });
            moved.push((variable, value));
        }
        if moved.is_empty() {
            let message =
                format!("has no effect: no conjunct of the INVARIANT gives a variable a type with `{}`", self.set);
            return Err(message);
        }
        let targets: Vec<&str> = moved.iter().map(|(name, _)| name.as_str()).collect();
        let values: Vec<&str> = moved.iter().map(|(_, value)| value.as_str()).collect();
        let assignment = format!("{} := {}", targets.join(", "), values.join(", "));
        let set_text = &self.set;
        let body = match self.kind {
            // The map is constant, and each value depends on one variable; evaluation is faster for such assignments.
            FamilyKind::Rotation => {
                let next = format!("({})", self.successor(set)?);
                format!("BEGIN {} END", assignment.replace(MAP, &next))
            }
            FamilyKind::Permutation => {
                let [first, second] = EXCHANGED;
                let map = format!("(id({set_text}) <+ {{{first} |-> {second}, {second} |-> {first}}})");
                let assigned = assignment.replace(MAP, &map);
                format!("PRE {first} : {set_text} & {second} : {set_text} & {first} /= {second} THEN {assigned} END")
            }
            FamilyKind::Reuse | FamilyKind::Abstract => {
                let number = match self.kind {
                    FamilyKind::Reuse => "card({other__ | other__ : names__ & other__ < name__})",
                    _ => "0",
                };
                let used = names.join(" \\/ ");
                format!(
                    "LET names__ BE names__ = {used} IN LET map__ BE map__ = %name__.(name__ : names__ | {number}) IN \
                     {assignment} END END"
                )
            }
        };
        Ok(body)
    }

    /// Variables with the sets that the invariant gives them. The flag is true if the variable is a subset of the set, false if it is an element.
    fn typings(&self) -> Vec<(SmolStr, ExprId, bool)> {
        let Some(machine) = self.ast.machine() else { return Vec::new() };
        let clauses = || machine.clauses.iter().map(|clause| &clause.kind);
        let declared: Vec<&SmolStr> = clauses()
            .filter_map(|clause| match clause {
                ClauseKind::Variables(list) | ClauseKind::ConcreteVariables(list) => Some(list),
                _ => None,
            })
            .flatten()
            .map(|variable| &variable.ident.name)
            .collect();
        let mut typings: Vec<(SmolStr, ExprId, bool)> = Vec::new();
        let mut open: Vec<ExprId> = clauses()
            .filter_map(|clause| match clause {
                ClauseKind::Invariant(pred) => Some(*pred),
                _ => None,
            })
            .collect();
        while let Some(id) = open.pop() {
            match &self.ast.expr(id).expr {
                Expr::And(parts) => open.extend(parts.iter().rev()),
                Expr::Labelled { pred, .. } => open.push(*pred),
                Expr::Described { expr, .. } => open.push(*expr),
                Expr::Binary(op @ (BinaryOp::Member | BinaryOp::Subset), left, right) => {
                    if let Expr::Ident(name) = &self.ast.expr(*left).expr
                        && declared.contains(&name)
                        && typings.iter().all(|(known, ..)| known != name)
                    {
                        typings.push((name.clone(), *right, *op == BinaryOp::Subset));
                    }
                }
                _ => {}
            }
        }
        typings
    }

    fn is_moved(&self, ty: ExprId) -> bool {
        text(self.ast, ty) == self.set
    }

    /// Text of the image of a value of a type; `None` if the image is the value itself.
    fn image(&self, ty: ExprId, value: &str) -> Result<Option<String>, String> {
        with_stack(|| self.image_inner(ty, value))
    }

    fn image_inner(&self, ty: ExprId, value: &str) -> Result<Option<String>, String> {
        if self.is_moved(ty) {
            return Ok(Some(format!("{MAP}({value})")));
        }
        let ast = self.ast;
        match &ast.expr(ty).expr {
            Expr::Binary(op, left, right) if is_arrow(*op) => self.relation(*left, *right, value),
            Expr::Binary(BinaryOp::Times | BinaryOp::Cartesian, left, right) => {
                let first = self.image(*left, &format!("prj1({value})"))?;
                let second = self.image(*right, &format!("prj2({value})"))?;
                Ok(match (first, second) {
                    (None, None) => None,
                    (first, second) => {
                        let first = first.unwrap_or_else(|| format!("prj1({value})"));
                        let second = second.unwrap_or_else(|| format!("prj2({value})"));
                        Some(format!("({first} |-> {second})"))
                    }
                })
            }
            // Integers are not elements of the set, even if its size bounds them.
            Expr::Binary(BinaryOp::Interval, ..) => Ok(None),
            Expr::Builtin(builtin, args) => match (builtin, &args[..]) {
                (Builtin::Pow | Builtin::Pow1 | Builtin::Fin | Builtin::Fin1, [inner]) => {
                    self.image_of_set(*inner, value)
                }
                (Builtin::Seq | Builtin::Seq1 | Builtin::Iseq | Builtin::Iseq1 | Builtin::Perm, [inner]) => {
                    Ok(self.map_of(*inner)?.map(|map| format!("({value} ; {map})")))
                }
                _ => self.stays(ty),
            },
            _ => self.stays(ty),
        }
    }

    fn image_of_set(&self, element: ExprId, value: &str) -> Result<Option<String>, String> {
        match &self.ast.expr(element).expr {
            Expr::Binary(BinaryOp::Times | BinaryOp::Cartesian, left, right) => self.relation(*left, *right, value),
            _ => Ok(self.map_of(element)?.map(|map| format!("{map}[{value}]"))),
        }
    }

    fn relation(&self, left: ExprId, right: ExprId, value: &str) -> Result<Option<String>, String> {
        let (before, after) = (self.map_of(left)?, self.map_of(right)?);
        if before.is_none() && after.is_none() {
            return Ok(None);
        }
        let before = before.map(|map| format!("{map}~ ; ")).unwrap_or_default();
        let after = after.map(|map| format!(" ; {map}")).unwrap_or_default();
        Ok(Some(format!("({before}{value}{after})")))
    }

    /// Relation between the elements of a type and their images; `None` if it is the identity.
    fn map_of(&self, ty: ExprId) -> Result<Option<String>, String> {
        with_stack(|| self.map_of_inner(ty))
    }

    fn map_of_inner(&self, ty: ExprId) -> Result<Option<String>, String> {
        if self.is_moved(ty) {
            return Ok(Some(MAP.to_owned()));
        }
        if let Expr::Binary(BinaryOp::Times | BinaryOp::Cartesian, left, right) = &self.ast.expr(ty).expr {
            let (first, second) = (self.map_of(*left)?, self.map_of(*right)?);
            if first.is_none() && second.is_none() {
                return Ok(None);
            }
            let fixed = |part: ExprId| format!("id({})", text(self.ast, part));
            let (first, second) = (first.unwrap_or_else(|| fixed(*left)), second.unwrap_or_else(|| fixed(*right)));
            return Ok(Some(format!("({first} || {second})")));
        }
        let image = self.image(ty, "inner__")?;
        Ok(image.map(|image| format!("(%inner__.(inner__ : {} | {image}))", text(self.ast, ty))))
    }

    /// `None`, for the identity, on a type of another form. An error if the set occurs in the type.
    fn stays(&self, ty: ExprId) -> Result<Option<String>, String> {
        let mut is_inside = false;
        self.ast.for_each_node(abridge_syntax::AstNode::Expr(ty), &mut |node| {
            if let abridge_syntax::AstNode::Expr(id) = node {
                is_inside |= self.is_moved(id);
            }
        });
        if is_inside {
            return Err(format!("cannot be expanded: unsupported use of `{}` in `{}`", self.set, text(self.ast, ty)));
        }
        Ok(None)
    }

    /// Texts of the sets of names that occur in a value.
    fn names_of(&self, ty: ExprId, value: &str) -> Result<Vec<String>, String> {
        with_stack(|| self.names_of_inner(ty, value))
    }

    fn names_of_inner(&self, ty: ExprId, value: &str) -> Result<Vec<String>, String> {
        if self.is_moved(ty) {
            return Ok(vec![format!("{{{value}}}")]);
        }
        match &self.ast.expr(ty).expr {
            Expr::Binary(op, left, right) if is_arrow(*op) => self.names_in_relation(*left, *right, value),
            Expr::Binary(BinaryOp::Times | BinaryOp::Cartesian, left, right) => {
                let mut names = self.names_of(*left, &format!("prj1({value})"))?;
                names.extend(self.names_of(*right, &format!("prj2({value})"))?);
                Ok(names)
            }
            Expr::Builtin(builtin, args) => match (builtin, &args[..]) {
                (Builtin::Pow | Builtin::Pow1 | Builtin::Fin | Builtin::Fin1, [inner]) => self.names_in(*inner, value),
                (Builtin::Seq | Builtin::Seq1 | Builtin::Iseq | Builtin::Iseq1 | Builtin::Perm, [inner]) => {
                    self.names_in(*inner, &format!("ran({value})"))
                }
                _ => Ok(Vec::new()),
            },
            _ => Ok(Vec::new()),
        }
    }

    /// Texts of the sets of names that occur in the elements of a set.
    fn names_in(&self, element: ExprId, value: &str) -> Result<Vec<String>, String> {
        if self.is_moved(element) {
            return Ok(vec![value.to_owned()]);
        }
        match &self.ast.expr(element).expr {
            Expr::Binary(BinaryOp::Times | BinaryOp::Cartesian, left, right) => {
                self.names_in_relation(*left, *right, value)
            }
            _ if self.image(element, "inner__")?.is_none() => Ok(Vec::new()),
            _ => self.names_of(element, &format!("union({value})")).map_err(|_| self.unclear(element)),
        }
    }

    fn names_in_relation(&self, left: ExprId, right: ExprId, value: &str) -> Result<Vec<String>, String> {
        let mut names = self.names_in(left, &format!("dom({value})"))?;
        names.extend(self.names_in(right, &format!("ran({value})"))?);
        Ok(names)
    }

    fn unclear(&self, ty: ExprId) -> String {
        format!("cannot be expanded: the names in `{}` cannot be listed", text(self.ast, ty))
    }

    /// Cyclic successor function on the set.
    fn successor(&self, set: ExprId) -> Result<String, String> {
        if let Expr::Binary(BinaryOp::Interval, low, high) = &self.ast.expr(self.defined_as(set)).expr {
            let (low, high) = (text(self.ast, *low), text(self.ast, *high));
            let next = match (low.as_str(), high.parse::<u32>()) {
                ("0", Ok(last)) => format!("(el__ + 1) mod {}", u64::from(last) + 1),
                ("0", Err(_)) => format!("(el__ + 1) mod (({high}) + 1)"),
                _ => format!("({low}) + (el__ - ({low}) + 1) mod (({high}) - ({low}) + 1)"),
            };
            return Ok(format!("%el__.(el__ : {} | {next})", self.set));
        }
        if let Some(elements) = self.elements() {
            let pairs = elements.iter().zip(elements.iter().cycle().skip(1));
            let pairs: Vec<String> = pairs.map(|(from, to)| format!("{from} |-> {to}")).collect();
            return Ok(format!("{{{}}}", pairs.join(", ")));
        }
        Err(format!("needs an order: `{}` is neither an interval nor an enumerated set", self.set))
    }

    /// Body of a definition without parameters, followed through any number of definitions; `set` itself if it is not a definition.
    fn defined_as(&self, mut set: ExprId) -> ExprId {
        let definitions = definitions_of(self.ast);
        for _ in 0..=definitions.len() {
            let Expr::Ident(wanted) = &self.ast.expr(set).expr else { break };
            let body = definitions.iter().find_map(|definition| match definition {
                Definition::Named { name, params, body: DefinitionBody::Formula(body), .. }
                    if name.name == *wanted && params.is_empty() =>
                {
                    Some(*body)
                }
                _ => None,
            });
            let Some(body) = body else { break };
            set = body;
        }
        set
    }

    /// Elements of the set, if it is an enumerated set of the machine.
    fn elements(&self) -> Option<Vec<SmolStr>> {
        let sets = self.ast.machine()?.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Sets(list) => Some(list),
            _ => None,
        });
        let declared = sets.flatten().find(|declared| declared.name.ident.name == self.set.as_str())?;
        match &declared.kind {
            ast::SetDeclKind::Enumerated(elements) => Some(elements.iter().map(|it| it.ident.name.clone()).collect()),
            _ => None,
        }
    }
}

fn is_arrow(op: BinaryOp) -> bool {
    use BinaryOp as Op;
    matches!(
        op,
        Op::Relation
            | Op::PartialFunction
            | Op::TotalFunction
            | Op::PartialInjection
            | Op::TotalInjection
            | Op::PartialSurjection
            | Op::TotalSurjection
            | Op::PartialBijection
            | Op::TotalBijection
            | Op::TotalRelation
            | Op::SurjectionRelation
            | Op::TotalSurjectionRelation
    )
}
