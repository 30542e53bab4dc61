//! The fuzz target of `src/environment.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| steadfast_fuzz::environment::check(bytes));
