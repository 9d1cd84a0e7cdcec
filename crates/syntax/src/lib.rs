//! Lexer, parser, syntax tree and printer of B files.
//!
//! [`parse_file`] turns the text of one file into an [`ast::Ast`] and diagnostics. It always returns a tree, so one faulty operation does not hide
//! the errors of the next. [`print`] writes a tree as text that parses to the same tree. The grammar has one function per production under
//! `grammar/`, over the tokens of `lexer.rs`. The table in `operators.rs` has the spelling and priority of operators.

pub mod ast;
mod children;
mod grammar;
mod lexer;
pub mod operators;
mod printer;
mod tree;

pub use children::AstNode;
pub use grammar::{parse_file, parse_formula, parse_substitution};
pub use printer::{PrintConfig, print, print_expr};
pub use tree::{Visitor, same_tree, walk};
