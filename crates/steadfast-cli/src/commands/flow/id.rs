//! Execution ids as arguments.

use steadfast_store::ExecutionId;

pub(super) fn parse(text: &str) -> Result<ExecutionId, String> {
    text.parse().map_err(|_| {
        "not an execution id: expected one like 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b; `steadfast flow \
         list` shows them"
            .to_owned()
    })
}
