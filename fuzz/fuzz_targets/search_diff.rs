//! Strategies, workers and files change no count.

#![no_main]

use abridge_testkit::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    fuzz::searches_agree(bytes);
});
