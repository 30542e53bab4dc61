//! What the macros refuse, and what the compiler says then (I8, J11).
//!
//! Each file of `ui/` must not compile, and the `.stderr` beside it is what is said. To accept
//! what is said now, run with `TRYBUILD=overwrite` and look at what changed.

#[test]
fn refusals() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
