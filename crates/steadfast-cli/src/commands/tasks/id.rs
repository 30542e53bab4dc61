//! Task ids as arguments.

use steadfast_store::TaskId;

pub(super) fn parse(text: &str) -> Result<TaskId, String> {
    text.parse().map_err(|_| {
        "not a task id: expected one like 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b; `steadfast tasks list` \
         shows them"
            .to_owned()
    })
}
