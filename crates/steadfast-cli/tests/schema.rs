//! `steadfast policy schema` (F5).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

/// F5: the JSON Schema of the library, with and without `--json`.
#[test]
fn schema_is_that_of_the_library() {
    for flags in [&["policy", "schema"][..], &["policy", "schema", "--json"]] {
        let printed = Command::new(env!("CARGO_BIN_EXE_steadfast")).args(flags).output().unwrap();
        let schema: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert_eq!(schema, steadfast::file::schema());
    }
}
