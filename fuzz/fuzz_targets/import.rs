//! The fuzz target of `src/import.rs`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| steadfast_fuzz::import::check(bytes));
