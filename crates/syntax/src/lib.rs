//! B source text and its syntax tree.
//!
//! [`parse_file`] turns the text of one file into an [`ast::Ast`] and diagnostics, never failing as a whole: one bad operation
//! does not hide the next one's errors. [`print`] writes a tree back as text that parses to the same tree. The grammar is one
//! function per production under `grammar/`, on top of the tokens of `lexer.rs`; operators and their priorities stand in one table,
//! `operators.rs`.

pub mod ast;
mod children;
mod grammar;
mod lexer;
pub mod operators;
mod printer;
mod tree;

pub use children::Node;
pub use grammar::{parse_file, parse_formula, parse_substitution};
pub use printer::{PrintConfig, print, print_expr};
pub use tree::{Visitor, same_tree, walk};
