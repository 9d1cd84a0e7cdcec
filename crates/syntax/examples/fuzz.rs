//! Mutates files named on standard input.
use abridge_diag::*;
use std::io::Read;
fn main() {
    let mut list = String::new();
    std::io::stdin().read_to_string(&mut list).unwrap();
    let rounds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let mut seed = 0x1234_5678_9abc_def1u64;
    let mut rnd = move |n: usize| { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; (seed % n.max(1) as u64) as usize };
    let frags = ["(", ")", "{", "}", "[", "]", "END", "BEGIN", "IF", "THEN", "ELSE", ";", "||", "&", ":=", "==", "=", ",", "|", "!", "#", "%", ".", "\"", "'''", "/*", "*/", "```", "${", "PRE", "OPERATIONS", "DEFINITIONS", "INVARIANT", "VARIANT", "LET", "BE", "IN", "CASE", "OF", "EITHER", "OR", "x", "1", "-", "<", ">", "~", "'", "$0", "`", "\\", "\u{2212}", "∀", "é", "not", "dom", "rec", "struct", "/*@desc x*/", "/*@label y*/", "/*@symbolic*/", "MACHINE", "SETS", "VARIABLES", "WHILE", "DO", "ANY", "WHERE", "SELECT", "WHEN", "VAR", "skip", "REFINES", "::", "<--"];
    let files: Vec<(String, String)> = list.lines().map(|p| (p.to_owned(), String::from_utf8_lossy(&std::fs::read(p).unwrap()).into_owned())).filter(|(_, t)| t.len() < 20000).collect();
    let mut worst = (0.0, String::new());
    let mut ids = std::collections::BTreeMap::new();
    for _ in 0..rounds {
        let (_, text) = &files[rnd(files.len())];
        let mut t = text.clone();
        for _ in 0..1 + rnd(4) {
            let mut at = rnd(t.len() + 1); while !t.is_char_boundary(at) { at -= 1; }
            match rnd(4) {
                0 => { let mut e = (at + 1 + rnd(20)).min(t.len()); while !t.is_char_boundary(e) { e += 1; } t.replace_range(at..e, ""); }
                1 => { t.insert_str(at, &format!(" {} ", frags[rnd(frags.len())])); }
                2 => { t.insert_str(at, frags[rnd(frags.len())]); }
                _ => { if rnd(10) == 0 { t.truncate(at); } else { let mut e = (at + rnd(200)).min(t.len()); while !t.is_char_boundary(e) { e += 1; } let c = t[at..e].to_owned(); let mut to = rnd(t.len()); while !t.is_char_boundary(to) { to -= 1; } t.insert_str(to, &c); } }
            }
        }
        std::fs::write("/tmp/fuzz_current.mch", &t).unwrap();
        let start = std::time::Instant::now();
        let (ast, ds) = abridge_syntax::parse_file(FileId(0), &t);
        let s = start.elapsed().as_secs_f64();
        if s > worst.0 { worst = (s, t.clone()); }
        for d in &ds { *ids.entry(d.id).or_insert(0) += 1;
            for l in d.primary.iter().chain(&d.secondary) { assert!(l.span.start <= l.span.end && l.span.end as usize <= t.len() && t.is_char_boundary(l.span.start as usize) && t.is_char_boundary(l.span.end as usize), "{d:?}"); }
            if d.message.chars().next().unwrap().is_uppercase() || d.message.ends_with('.') { panic!("{d:?}"); }
        }
        for i in 0..ast.n_exprs() { let n = ast.expr(abridge_syntax::ast::ExprId(i as u32)); assert!(n.span.start <= n.span.end); }
        if !ds.iter().any(|d| d.is_error()) { for i in 1..ast.n_exprs() { assert!(!matches!(ast.expr(abridge_syntax::ast::ExprId(i as u32)).expr, abridge_syntax::ast::Expr::Error), "silent error node"); } }
        let mut map = SourceMap::new();
        map.add("f", t.as_str());
        for d in &ds { let _ = render(&map, d, RenderConfig::default()); }
    }
    println!("worst {:?}", worst.0);
    for (k, v) in ids { println!("{v:7} {k}"); }
}
