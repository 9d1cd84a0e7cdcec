//! Times large inputs.
use abridge_diag::*;
fn peak() -> String { std::fs::read_to_string("/proc/self/status").unwrap().lines().find(|l| l.starts_with("VmHWM")).unwrap().to_owned() }
fn time(name: &str, text: &str) {
    let s = std::time::Instant::now();
    let (ast, ds) = abridge_syntax::parse_formula(FileId(0), text);
    let n = ast.n_exprs();
    let e = s.elapsed();
    drop(ast);
    println!("{name}: {} bytes {:?} (drop {:?}) nodes {n} diags {} first {:?} {}", text.len(), e, s.elapsed() - e, ds.len(), ds.first().map(|d| (d.id, d.span().map(|s| (s.start, s.end)))), peak());
}
fn main() {
    println!("ExprNode {} Expr {} SubstNode {}", size_of::<abridge_syntax::ast::ExprNode>(), size_of::<abridge_syntax::ast::Expr>(), size_of::<abridge_syntax::ast::SubstNode>());
    let conj = "x_1=12 & y : NAT & f(x)+1<10 & z/=TRUE & ".repeat(250_000) + "x=1"; for _ in 0..10 { time("p", &conj); } if conj.len() > 1 { return; } let n = 100_000;
    time("parens", &format!("{}x{}", "(".repeat(n), ")".repeat(n)));
    time("open parens", &"(".repeat(n));
    time("open braces", &"{".repeat(n));
    time("open brackets", &"[".repeat(n));
    time("close parens", &")".repeat(n));
    time("not", &format!("{}x=1{}", "not(".repeat(n), ")".repeat(n)));
    time("if", &"IF x=1 THEN ".repeat(n));
    time("forall", &"!x.(".repeat(n));
    time("plus", &format!("{}x", "x+".repeat(1_000_000)));
    time("power", &format!("{}x", "x**".repeat(100_000)));
    time("implies", &format!("{}x", "x=>".repeat(100_000)));
    time("minus", &"-".repeat(1_000_000));
    time("and and", &"&".repeat(1_000_000));
    time("commas", &format!("{{{}}}", "a,".repeat(1_000_000)));
    time("brace commas", &"{a,".repeat(100_000));
    time("lts", &"< ".repeat(1_000_000));
    time("quotes", &"'".repeat(1_000_000));
    time("backquotes", &"`".repeat(1_000_000));
    time("templ", &"```${".repeat(100_000));
    time("strings", &"\"".repeat(1_000_001));
    time("comments", &"/*".repeat(1_000_001));
    time("calls", &format!("f{}", "(x)".repeat(1_000_000)));
    time("junk", &"x x ".repeat(1_000_000));
    time("ops", &"= ".repeat(1_000_000));
    time("fields", &format!("r{}", "'a".repeat(1_000_000)));
    let conj = "x_1=12 & y : NAT & f(x)+1<10 & z/=TRUE & ".repeat(250_000) + "x=1";
    time("10MB predicate", &conj);
    let conj = "x=1&".repeat(2_500_000) + "x=1";
    time("10MB dense", &conj);
    time("10MB error in the middle", &conj.replacen("x=1&", "x=)&", 1));
    let set = format!("{{{}1}}", "1,".repeat(5_000_000));
    time("10MB set", &set);
    let maplets = format!("{{{}1|->2}}", "a|->b,".repeat(1_700_000));
    time("10MB maplets", &maplets);
    for (name, text) in [("begin", "BEGIN ".repeat(n)), ("seq", "x:=1;".repeat(2_000_000)), ("par", "x:=1||".repeat(1_000_000)), ("ifs", "IF x=1 THEN ".repeat(n)), ("sparens", "(".repeat(n)), ("names", "x ".repeat(1_000_000))] {
        let s = std::time::Instant::now();
        let (_, ds) = abridge_syntax::parse_substitution(FileId(0), &text);
        println!("{name}: {:?} {} {:?}", s.elapsed(), ds.len(), ds.first().map(|d| d.id));
    }
    for (name, text) in [("ops", "MACHINE M OPERATIONS ".to_owned() + &"a=x:=1;".repeat(1_000_000)), ("defs", "DEFINITIONS ".to_owned() + &"a==x:=1;".repeat(1_000_000)), ("defs if", "DEFINITIONS ".to_owned() + &"a== IF ".repeat(100_000)), ("clauses", "MACHINE M ".to_owned() + &"SETS ".repeat(1_000_000)), ("semis", "MACHINE M OPERATIONS ".to_owned() + &";".repeat(1_000_000)), ("ends", "MACHINE M OPERATIONS ".to_owned() + &"END ".repeat(1_000_000)), ("vars", "MACHINE M ".to_owned() + &"VARIABLES x ".repeat(100_000))] {
        let s = std::time::Instant::now();
        let (_, ds) = abridge_syntax::parse_file(FileId(0), &text);
        println!("{name}: {:?} {} {:?}", s.elapsed(), ds.len(), ds.first().map(|d| d.id));
    }
    println!("{}", peak());
}
