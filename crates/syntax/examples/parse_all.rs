//! Parses files named on standard input.
use abridge_diag::*;
use std::io::Read;
fn main() {
    let mut list = String::new();
    std::io::stdin().read_to_string(&mut list).unwrap();
    let mut total = 0;
    let mut time = std::time::Duration::ZERO;
    let mut bad = 0;
    let mut n = 0;
    for path in list.lines() {
        let bytes = std::fs::read(path).unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut map = SourceMap::new();
        let file = map.add(path, text.as_str());
        let start = std::time::Instant::now();
        let (_ast, diags) = abridge_syntax::parse_file(file, &text);
        time += start.elapsed();
        total += text.len();
        n += 1;
        if diags.iter().any(|d| d.is_error()) { bad += 1; }
        for d in diags.iter().take(3) {
            print!("{}", render(&map, d, RenderConfig::default()));
        }
    }
    println!("{n} files, {bad} with errors, {total} bytes, {time:?}, {:.1} MB/s", total as f64 / 1e6 / time.as_secs_f64());
}
