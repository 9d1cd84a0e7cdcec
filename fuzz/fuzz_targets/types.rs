//! Any project is read, composed and typed, and the model keeps its promises.

#![no_main]

use abridge_testkit::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fuzz::analyse_never_fails(bytes));
