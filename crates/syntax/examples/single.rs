//! Deletes one word or sign.
use abridge_diag::*;
use std::io::Read;
fn main() {
    let mut list = String::new();
    std::io::stdin().read_to_string(&mut list).unwrap();
    let rounds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let show: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let mut seed = 0x1234_5678_9abc_def1u64;
    let mut rnd = move |n: usize| { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; (seed % n.max(1) as u64) as usize };
    let files: Vec<(String, String)> = list.lines().map(|p| (p.to_owned(), String::from_utf8_lossy(&std::fs::read(p).unwrap()).into_owned())).filter(|(_, t)| t.len() < 20000 && t.is_ascii()).collect();
    let mut hist = std::collections::BTreeMap::new();
    for _ in 0..rounds {
        let (name, text) = &files[rnd(files.len())];
        let at = rnd(text.len());
        let b = text.as_bytes();
        if b[at].is_ascii_whitespace() { continue; }
        let (mut s, mut e) = (at, at + 1);
        if b[at].is_ascii_alphanumeric() { while s > 0 && (b[s-1].is_ascii_alphanumeric() || b[s-1]==b'_') { s -= 1 } while e < b.len() && (b[e].is_ascii_alphanumeric()||b[e]==b'_') { e += 1 } }
        let mut t = text.clone();
        t.replace_range(s..e, "");
        let (_, ds) = abridge_syntax::parse_file(FileId(0), &t);
        *hist.entry(ds.len()).or_insert(0) += 1;
        if ds.len() >= show {
            println!("##### {name} deleted {:?} at {s}, {} diagnostics", &text[s..e], ds.len());
            let mut map = SourceMap::new();
            map.add("f", t.as_str());
            for d in ds.iter().take(6) { print!("{}", render(&map, d, RenderConfig::default())); }
        }
    }
    println!("{hist:?}");
}
