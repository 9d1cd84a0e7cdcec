//! No reduction changes what is found.

#![no_main]

use abridge_testkit::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    fuzz::reductions_agree(bytes);
});
