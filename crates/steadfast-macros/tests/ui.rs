//! Compile errors of the macros (I8, J11), and of `retry` with a wrong operation (I1).
//!
//! Each file of `ui/` must fail to compile with the errors of its `.stderr` file. To update the
//! expected errors, run with `TRYBUILD=overwrite` and review the diff.

#[test]
fn invalid_input_is_rejected() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
