//! See `src/foreign.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| steadfast_fuzz::foreign::check(bytes));
