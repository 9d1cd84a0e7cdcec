//! All evaluators agree with the plain interpreter.

#![no_main]

use abridge_testkit::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    fuzz::evaluators_agree(bytes);
});
