//! Throughput of the front end in bytes of source per second: parsing alone, and everything up to the typed model.
//!
//! Run with `cargo bench -p abridge-bench`. The inputs are the example machines, and a generated relation and conjunction of a megabyte each. Each
//! benchmark asserts that its input is accepted.

use std::collections::HashMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};

use abridge_diag::SourceMap;
use abridge_sema::{FileSystem, Options, analyse};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Files in memory, so that disk access is not measured.
struct Memory(HashMap<PathBuf, Vec<u8>>);

impl FileSystem for Memory {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.0.contains_key(path)
    }
}

fn models() -> Memory {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let entries = std::fs::read_dir(folder).expect("the example machines");
    let files = entries.map(|entry| entry.expect("an example machine").path());
    let machines = files.filter(|path| path.extension().is_some_and(|suffix| suffix == "mch" || suffix == "ref"));
    let name = |path: &PathBuf| PathBuf::from(path.file_name().expect("a file name"));
    Memory(machines.map(|path| (name(&path), std::fs::read(&path).expect("readable"))).collect())
}

/// Relation with one pair per line, about one megabyte.
fn large_relation() -> String {
    let pairs: Vec<String> = (0..60_000).map(|n| format!("(({}|->{})|->TRUE)", n % 300, n)).collect();
    format!("MACHINE Large CONSTANTS rr PROPERTIES rr = {{{}}} END", pairs.join(","))
}

/// Conjunction of many small predicates, about one megabyte.
fn large_conjunction() -> String {
    let parts: Vec<String> = (0..40_000).map(|n| format!("(xx > {n} => xx /= {})", n + 1)).collect();
    format!("MACHINE Large CONSTANTS xx PROPERTIES xx : INTEGER & {} END", parts.join(" & "))
}

fn frontend(criterion: &mut Criterion) {
    let single = |text: String| Memory(HashMap::from([(PathBuf::from("Large.mch"), text.into_bytes())]));
    let inputs =
        [("models", models()), ("relation", single(large_relation())), ("conjunction", single(large_conjunction()))];
    for (name, files) in &inputs {
        let bytes: usize = files.0.values().map(Vec::len).sum();
        let mut group = criterion.benchmark_group(*name);
        group.sample_size(20).throughput(Throughput::Bytes(bytes as u64));
        group.bench_function("parse", |bencher| bencher.iter(|| files.0.values().for_each(|text| parse(text))));
        group.bench_function("typecheck", |bencher| {
            bencher.iter(|| {
                for path in files.0.keys() {
                    let analysis = analyse(files, path, &Options::default());
                    assert!(analysis.model.is_some(), "{} is refused", path.display());
                    black_box(analysis.model);
                }
            });
        });
        group.finish();
    }
}

fn parse(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).expect("the inputs are UTF-8");
    let file = SourceMap::new().add("bench", "");
    let (tree, diagnostics) = abridge_syntax::parse_file(file, text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    black_box(tree.n_exprs());
}

criterion_group!(benches, frontend);
criterion_main!(benches);
