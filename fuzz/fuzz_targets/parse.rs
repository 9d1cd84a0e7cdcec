//! Any bytes are parsed, and the diagnostics can be shown.

#![no_main]

use abridge_testkit::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fuzz::parse_never_fails(bytes));
