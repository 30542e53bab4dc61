//! `policy schema` prints what the library says (F5).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::process::Command;

/// F5: a JSON Schema for editors, the same for people and machines.
#[test]
fn the_schema_is_printed_as_the_library_has_it() {
    for flags in [&["policy", "schema"][..], &["policy", "schema", "--json"]] {
        let printed = Command::new(env!("CARGO_BIN_EXE_steadfast")).args(flags).output().unwrap();
        let schema: serde_json::Value = serde_json::from_slice(&printed.stdout).unwrap();
        assert_eq!(schema, steadfast::file::schema());
    }
}
