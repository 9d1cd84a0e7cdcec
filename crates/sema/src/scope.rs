//! Scopes: global names of machine instances, and frames of local names.
//!
//! The global names of a machine instance are in a [`InstanceNames`] table. Local names are in [`Frame`]s, which form a persistent chain: a frame never
//! changes, so the actual argument of a definition can later be lowered in the frame of its call. That keeps bound variables of the body and of the
//! argument apart.

use std::collections::{HashMap, HashSet};

use abridge_diag::Span;
use abridge_model::{ConstId, FreeTypeId, LocalId, OpId, SetId, SmolStr, Target, VarId};
use abridge_syntax::ast::ExprId;

use crate::project::UnitId;

/// Meaning of a global name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Set(SetId),
    Element(SetId, u32),
    Constant(ConstId),
    Variable(VarId, Access),
    FreeType(FreeTypeId),
    Constructor(FreeTypeId, u32),
}

/// Access of a machine to a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Own,
    /// Variable of an included, extended or imported machine: written only through its operations.
    Included,
    /// Variable of a seen machine: read only in INITIALISATION and OPERATIONS.
    Seen,
    /// Variable of a used machine: never written.
    Used,
    /// Variable of the abstraction that the refinement has replaced: only the invariant and assertions may mention it.
    Abstract,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NameEntry {
    pub(crate) symbol: Symbol,
    /// Place of the declaration.
    pub(crate) span: Span,
    /// The name is a parameter of the machine, which PROPERTIES may not mention.
    pub(crate) is_param: bool,
    /// The name is declared by this machine itself.
    pub(crate) is_own: bool,
}

/// Global names of one machine instance. Operations have a name space of their own.
#[derive(Clone, Default, Debug)]
pub(crate) struct InstanceNames {
    pub(crate) symbols: HashMap<SmolStr, NameEntry>,
    pub(crate) operations: HashMap<SmolStr, OpEntry>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct OpEntry {
    pub(crate) op: OpId,
    pub(crate) access: OpAccess,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OpAccess {
    /// Own operation; callable only when the preference allows.
    Own,
    /// Own LOCAL_OPERATIONS.
    Local,
    Included,
    Seen,
    Used,
}

/// Context in which a formula is lowered: its tree and the innermost frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ctx {
    pub(crate) unit: UnitId,
    pub(crate) frame: FrameId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FrameId(pub(crate) u32);

pub(crate) struct Frame {
    pub(crate) parent: Option<FrameId>,
    /// Index of each name among the locals, if there are many.
    index: HashMap<SmolStr, usize>,
    /// Next outer frame with locals, which the body of a definition sees beyond its formals.
    outer_locals: Option<FrameId>,
    /// Next outer frame that defines `$0`.
    outer_before: Option<FrameId>,
    pub(crate) kind: FrameKind,
}

pub(crate) enum FrameKind {
    /// Outermost frame, beyond which are the global names.
    Global,
    /// Names bound to locals.
    Locals(Vec<(SmolStr, LocalId, LocalKind)>),
    /// Formals of a definition, each with its actual argument and the context of the argument. Other names in the body never see formals of outer
    /// definitions.
    Formals(Vec<(SmolStr, ExprId, Ctx)>),
    /// Inside `x : (P)` or a WHILE invariant: `x$0` is the previous value of the target.
    Before(Vec<(SmolStr, BeforeValue)>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum BeforeValue {
    /// Value of the target itself.
    Target(Target),
    /// Local that keeps the old value.
    Local(LocalId),
}

/// Construct that introduced a local, which decides its permitted uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LocalKind {
    Parameter,
    Output,
    Var,
    /// Quantifiers, comprehensions, ANY, LET.
    Bound,
}

/// Meaning of a local name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LocalMeaning {
    Local(LocalId, LocalKind),
    /// Formal of a definition: its argument, and the context in which to lower it.
    Formal(ExprId, Ctx),
}

/// Number of locals up to which a linear search is fastest.
const MAX_SCANNED_LOCALS: usize = 16;

#[derive(Default)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// All names that some frame binds. Others, which include most global names, are not looked up in the frames.
    names: HashSet<SmolStr>,
}

impl Frames {
    pub(crate) fn push(&mut self, parent: Option<FrameId>, kind: FrameKind) -> FrameId {
        let outer_locals = parent.and_then(|parent| match self.frames[parent.0 as usize].kind {
            FrameKind::Locals(_) => Some(parent),
            _ => self.frames[parent.0 as usize].outer_locals,
        });
        match &kind {
            FrameKind::Locals(locals) => self.names.extend(locals.iter().map(|(name, ..)| name.clone())),
            FrameKind::Formals(formals) => self.names.extend(formals.iter().map(|(name, ..)| name.clone())),
            FrameKind::Global | FrameKind::Before(_) => {}
        }
        let index = match &kind {
            FrameKind::Locals(locals) if locals.len() > MAX_SCANNED_LOCALS => {
                locals.iter().enumerate().map(|(idx, (name, ..))| (name.clone(), idx)).collect()
            }
            _ => HashMap::new(),
        };
        let outer_before = parent.and_then(|parent| self.before_at(parent));
        self.frames.push(Frame { parent, index, outer_locals, outer_before, kind });
        FrameId(self.frames.len() as u32 - 1)
    }

    /// Looks a name up among the local frames.
    pub(crate) fn find(&self, frame: FrameId, name: &str) -> Option<LocalMeaning> {
        if !self.names.contains(name) {
            return None;
        }
        let mut inside_definition = false;
        let mut next = Some(frame);
        while let Some(id) = next {
            let frame = &self.frames[id.0 as usize];
            match &frame.kind {
                FrameKind::Locals(locals) => {
                    let found = match locals.len() {
                        0..=MAX_SCANNED_LOCALS => locals.iter().rev().find(|(known, ..)| known == name),
                        _ => frame.index.get(name).map(|idx| &locals[*idx]),
                    };
                    if let Some((_, local, kind)) = found {
                        return Some(LocalMeaning::Local(*local, *kind));
                    }
                }
                FrameKind::Formals(formals) if !inside_definition => {
                    inside_definition = true;
                    if let Some((_, arg, ctx)) = formals.iter().find(|(known, ..)| known == name) {
                        return Some(LocalMeaning::Formal(*arg, *ctx));
                    }
                }
                _ => {}
            }
            next = if inside_definition { frame.outer_locals } else { frame.parent };
        }
        None
    }

    /// Value of `name$0`.
    pub(crate) fn find_before(&self, frame: FrameId, name: &str) -> Option<BeforeValue> {
        let mut next = self.before_at(frame);
        while let Some(id) = next {
            let frame = &self.frames[id.0 as usize];
            if let FrameKind::Before(names) = &frame.kind
                && let Some((_, value)) = names.iter().find(|(known, _)| known == name)
            {
                return Some(*value);
            }
            next = frame.outer_before;
        }
        None
    }

    /// True if `$0` has a meaning here.
    pub(crate) fn inside_before(&self, frame: FrameId) -> bool {
        self.before_at(frame).is_some()
    }

    /// Innermost frame for `$0`.
    fn before_at(&self, id: FrameId) -> Option<FrameId> {
        let frame = &self.frames[id.0 as usize];
        if matches!(frame.kind, FrameKind::Before(_)) { Some(id) } else { frame.outer_before }
    }

    /// All local names visible, for suggestions.
    pub(crate) fn names(&self, frame: FrameId) -> Vec<SmolStr> {
        let mut names = Vec::new();
        for frame in self.chain(frame) {
            match &frame.kind {
                FrameKind::Locals(locals) => names.extend(locals.iter().map(|(name, ..)| name.clone())),
                FrameKind::Formals(formals) => names.extend(formals.iter().map(|(name, ..)| name.clone())),
                _ => {}
            }
        }
        names
    }

    /// Innermost binder of a wanted name around a place in the body of a definition.
    pub(crate) fn binder_in_definition(
        &self,
        frame: FrameId,
        is_wanted: impl Fn(&SmolStr) -> bool,
    ) -> Option<(SmolStr, LocalId)> {
        for frame in self.chain(frame) {
            match &frame.kind {
                FrameKind::Locals(locals) => {
                    if let Some((name, local, _)) = locals.iter().find(|(name, ..)| is_wanted(name)) {
                        return Some((name.clone(), *local));
                    }
                }
                FrameKind::Formals(_) => return None,
                FrameKind::Global | FrameKind::Before(_) => {}
            }
        }
        None
    }

    /// All locals that binders in the body of a definition bind around a place.
    pub(crate) fn binders_of_definition(&self, frame: FrameId) -> Vec<(SmolStr, LocalId, LocalKind)> {
        let mut binders = Vec::new();
        for frame in self.chain(frame) {
            match &frame.kind {
                // The innermost binder of a name is the last one in a frame.
                FrameKind::Locals(locals) => binders.splice(0..0, locals.iter().cloned()).for_each(drop),
                FrameKind::Formals(_) => return binders,
                FrameKind::Global | FrameKind::Before(_) => {}
            }
        }
        Vec::new()
    }

    fn chain(&self, frame: FrameId) -> impl Iterator<Item = &Frame> {
        let mut next = Some(frame);
        std::iter::from_fn(move || {
            let frame = &self.frames[next?.0 as usize];
            next = frame.parent;
            Some(frame)
        })
    }
}
