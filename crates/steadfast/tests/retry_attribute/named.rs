//! I8: policies that are found by name while the program runs.
//!
//! One test, because the registry that is installed is one for the whole process.

use std::io;

use steadfast::registry::{Loader, Registry};
use steadfast::{RetryError, retry};

#[retry(policy = "storage.graph.upsert")]
fn as_the_file_says() -> Result<(), RetryError<io::Error>> {
    Err(io::ErrorKind::ConnectionReset.into())
}

#[retry(policy = "storage.graph.upsert", max_attempts = 4)]
async fn with_a_field_of_its_own() -> Result<(), RetryError<io::Error>> {
    Err(io::ErrorKind::ConnectionReset.into())
}

#[retry(policy = "storage.graph.upsert", backoff_type = "immediate", retry_on = ["timeout"])]
fn with_rules_of_its_own() -> Result<(), RetryError<io::Error>> {
    Err(io::ErrorKind::ConnectionReset.into())
}

#[retry(policy = "slow", max_delay = "1s")]
fn with_what_does_not_fit() -> Result<(), RetryError<io::Error>> {
    Err(io::ErrorKind::ConnectionReset.into())
}

#[retry(policy = "unknown.policy.name", base_delay = 0)]
async fn without_a_registry() -> Result<(), RetryError<io::Error>> {
    Err(io::ErrorKind::ConnectionReset.into())
}

fn file(attempts: u32) -> String {
    format!(
        "version: '1.1.0'\npolicies:\n  saving: {{max_retries: {attempts}, schedule: [0s]}}\n  \
         slow: {{base_delay: 1h, max_delay: 2h, max_attempts: 1}}\n\
         subsystem_mappings: {{storage: {{graph: {{upsert: saving}}}}}}\n"
    )
}

/// I8, F4: the name leads to the policy in force, and what is inline wins over it.
#[tokio::test]
async fn named_policy_follows_the_registry() {
    let without = without_a_registry().await.unwrap_err();
    assert_eq!(without.attempts(), 3, "the built-in values");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("steadfast.yaml");
    std::fs::write(&path, file(5)).unwrap();
    let none: [(&str, &str); 0] = [];
    let registry = Loader::file(&path).variables(none).unwatched().load().unwrap();
    registry.install();
    assert!(Registry::installed().is_some());
    assert_eq!(as_the_file_says().unwrap_err().attempts(), 6);
    assert_eq!(with_a_field_of_its_own().await.unwrap_err().attempts(), 4);
    assert_eq!(with_rules_of_its_own().unwrap_err().attempts(), 1);
    assert_eq!(with_what_does_not_fit().unwrap_err().attempts(), 1);

    std::fs::write(&path, file(1)).unwrap();
    registry.reload().unwrap();
    assert_eq!(as_the_file_says().unwrap_err().attempts(), 2);
    assert_eq!(with_a_field_of_its_own().await.unwrap_err().attempts(), 4);
}
