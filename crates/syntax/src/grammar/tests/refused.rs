//! Texts with mistakes: what is said, where, and what is understood nevertheless.

use super::{recovered, refuse, refuse_file, refuse_substitution};
use crate::{parse_file, parse_formula, parse_substitution};

#[test]
fn sorts() {
    refuse("x<-1 & y=1", "predicate-expected \"x<-1\"");
    refuse("TRUE=TRUE & TRUE", "predicate-expected \"TRUE\"");
    refuse("(1=1)=TRUE", "expression-expected \"(1=1)\"");
    refuse("a = (b & c)", "expression-expected \"(b & c)\"");
    refuse("x+1 => y=2", "predicate-expected \"x+1\"");
    refuse("f(x=1)", "expression-expected \"x=1\"");
    refuse("{x=1, 2}", "expression-expected \"x=1\"");
    refuse("IF p THEN 1 ELSE x=1 END", "expression-expected \"x=1\"");
    refuse("not(1)", "predicate-expected \"1\"");
    refuse("bool(TRUE)", "predicate-expected \"TRUE\"");
    refuse("{x|1}", "predicate-expected \"1\"");
}

#[test]
fn missing_parentheses() {
    refuse("not x=1", "missing-parentheses \"x\"");
    refuse("!x.x>1", "missing-parentheses \"x\"");
    refuse("#x.x=1 & y=2", "missing-parentheses \"x\"");
    refuse("%x.x:S|x", "missing-parentheses \"x\"");
    refuse("dom f", "missing-parentheses \"f\"");
    refuse("op()", "empty-parentheses \"()\"");
    refuse("() = 1", "empty-parentheses \"()\"");
}
