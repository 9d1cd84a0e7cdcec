//! Where things are in the source, and what we have to say about them.
//!
//! [`SourceMap`] holds every file of a project; a [`Span`] is a range in one of them; a [`Diagnostic`] is data
//! (id, severity, message, labelled spans, notes, help) that is turned into text only at the edge, by [`render`].
//! Start with `diagnostic.rs`.

mod diagnostic;
mod render;
mod source;
mod stack;
mod visible;

pub use diagnostic::{Diagnostic, Label, Severity, in_order};
pub use render::{RenderConfig, render};
pub use source::{FileId, LineColumn, SourceFile, SourceMap, Span, decoded};
pub use stack::{MAX_DEPTH, with_stack};
pub use visible::{is_unsafe, visible};
