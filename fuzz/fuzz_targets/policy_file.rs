//! The fuzz target of `src/policy_file.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| steadfast_fuzz::policy_file::check(bytes));
