//! The fuzz target of `src/rules_and_durations.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| steadfast_fuzz::rules_and_durations::check(bytes));
