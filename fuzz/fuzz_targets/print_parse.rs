//! What parses is printed as text that parses to the same tree.

#![no_main]

use abridge_testkit::fuzz;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fuzz::print_parse_round_trip(bytes));
