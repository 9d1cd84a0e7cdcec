//! Empty library of the benchmark crate. The benchmarks are in `benches/`.
