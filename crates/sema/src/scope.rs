//! Names and what they stand for.
//!
//! Global names of a machine instance live in a [`Names`] table. Local names live in [`Frame`]s, a persistent chain: a frame is
//! never changed, so the actual argument of a definition can later be lowered in the frame of its call, which is what keeps bound
//! variables of the body and of the argument apart.

use std::collections::{HashMap, HashSet};

use abridge_diag::Span;
use abridge_model::{ConstId, FreeTypeId, LocalId, OpId, SetId, SmolStr, Target, VarId};
use abridge_syntax::ast::ExprId;

use crate::project::UnitId;

/// What a global name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Set(SetId),
    Element(SetId, u32),
    Constant(ConstId),
    Variable(VarId, Access),
    FreeType(FreeTypeId),
    Constructor(FreeTypeId, u32),
}

/// How a machine may use a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Own,
    /// Of an included, extended or imported machine: written only through its operations.
    Included,
    /// Of a machine that is seen: read only in INITIALISATION and OPERATIONS.
    Seen,
    /// Of a machine that is used: never written.
    Used,
    /// Of the abstraction and gone in the refinement: only the invariant and assertions may mention it.
    Abstract,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NameEntry {
    pub(crate) symbol: Symbol,
    /// Where it is declared.
    pub(crate) span: Span,
    /// A parameter of the machine, which PROPERTIES may not mention.
    pub(crate) is_param: bool,
    /// Declared by this machine itself rather than by one it refers to.
    pub(crate) is_own: bool,
}

/// Global names of one machine instance. Operations have a name space of their own.
#[derive(Clone, Default, Debug)]
pub(crate) struct Names {
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

/// The position from which a formula is lowered: the tree it is in and the innermost local frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ctx {
    pub(crate) unit: UnitId,
    pub(crate) frame: FrameId,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FrameId(pub(crate) u32);

pub(crate) struct Frame {
    pub(crate) parent: Option<FrameId>,
    /// Where each name is among the locals, if there are many.
    index: HashMap<SmolStr, usize>,
    /// The next frame further out that binds locals: all that the body of a definition sees beyond its formals.
    outer_locals: Option<FrameId>,
    /// The next frame further out that says what `$0` means.
    outer_before: Option<FrameId>,
    pub(crate) kind: FrameKind,
}

pub(crate) enum FrameKind {
    /// The machine's global names lie beyond.
    Global,
    /// Names that are bound to locals.
    Locals(Vec<(SmolStr, LocalId, LocalKind)>),
    /// The formals of a definition, each with its actual argument and where that is to be lowered. Names inside the body that are not
    /// found here never see formals of definitions further out.
    Formals(Vec<(SmolStr, ExprId, Ctx)>),
    /// Inside `x : (P)` or a WHILE invariant: `x$0` is the value that the target had before.
    Before(Vec<(SmolStr, BeforeValue)>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum BeforeValue {
    /// Read the target itself.
    Target(Target),
    /// Read a local that keeps the old value.
    Local(LocalId),
}

/// What introduced a local, and so what may be done with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LocalKind {
    Parameter,
    Output,
    Var,
    /// Quantifiers, comprehensions, ANY, LET.
    Bound,
}

/// What a local name turned out to be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    Local(LocalId, LocalKind),
    /// A formal of a definition: lower this argument there.
    Formal(ExprId, Ctx),
}

/// So many names are found fastest one after the other.
const MAX_SCANNED_LOCALS: usize = 16;

#[derive(Default)]
pub(crate) struct Frames {
    frames: Vec<Frame>,
    /// All names that some frame binds. Others, most global ones among them, need no look at the frames, of which there may be
    /// many around a place.
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
    pub(crate) fn find(&self, frame: FrameId, name: &str) -> Option<Found> {
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
                        return Some(Found::Local(*local, *kind));
                    }
                }
                FrameKind::Formals(formals) if !inside_definition => {
                    inside_definition = true;
                    if let Some((_, arg, ctx)) = formals.iter().find(|(known, ..)| known == name) {
                        return Some(Found::Formal(*arg, *ctx));
                    }
                }
                _ => {}
            }
            next = if inside_definition { frame.outer_locals } else { frame.parent };
        }
        None
    }

    /// The value of `name$0`.
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

    /// Whether `$0` means anything here.
    pub(crate) fn inside_before(&self, frame: FrameId) -> bool {
        self.before_at(frame).is_some()
    }

    /// The innermost frame for `$0`.
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

    /// The innermost binder around a place in the body of a definition that binds a name of interest.
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

    /// All that binders of a definition's body bind around a place in that body.
    pub(crate) fn binders_of_definition(&self, frame: FrameId) -> Vec<(SmolStr, LocalId, LocalKind)> {
        let mut binders = Vec::new();
        for frame in self.chain(frame) {
            match &frame.kind {
                // The innermost binder of a name counts, and that is the last one in a frame.
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
