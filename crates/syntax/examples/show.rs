//! Shows diagnostics of cases separated by lines of `----`.
use abridge_diag::*;
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    for case in text.split("----\n") {
        let mut map = SourceMap::new();
        let (kind, body) = if let Some(b) = case.strip_prefix("F ") { ('F', b) } else if let Some(b) = case.strip_prefix("S ") { ('S', b) } else { ('M', case) };
        let file = map.add("t.mch", body);
        let (_, ds) = match kind { 'F' => abridge_syntax::parse_formula(file, body), 'S' => abridge_syntax::parse_substitution(file, body), _ => abridge_syntax::parse_file(file, body) };
        println!("======== {}", body.trim_end());
        for d in &ds { print!("{}", render(&map, d, RenderConfig::default())); }
        if ds.is_empty() { println!("(no errors)"); }
    }
}
