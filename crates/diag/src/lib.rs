//! Source positions and diagnostics.
//!
//! A [`SourceMap`] has all files of a project, and a [`Span`] is a range in one of them. A [`Diagnostic`] is data: id, severity, message, labelled
//! spans, notes, help. [`render`] turns it into text, and only the command line calls it. [`with_stack`] grows the stack for recursion over user
//! input. [`StopFlag`] ends long computations, and [`drop_aside`] keeps their ends short. Start with `diagnostic.rs`.

mod aside;
mod diagnostic;
mod render;
mod source;
mod stack;
mod stop;
mod visible;

pub use aside::{AsideSet, drop_aside};
pub use diagnostic::{Diagnostic, Label, Severity, in_order};
pub use render::{RenderConfig, render};
pub use source::{FileId, LineColumn, SourceFile, SourceMap, Span, decoded};
pub use stack::{MAX_DEPTH, drop_in_turn, expect_depth, with_stack};
pub use stop::StopFlag;
pub use visible::{is_unsafe, visible};
