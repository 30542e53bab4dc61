//! Policies: list, choice, plan, summary, and the classification of faults.

mod choice;
pub(crate) mod classify;
pub(crate) mod deserialize;
pub mod fields;
mod list;
mod plan;
mod summary;

pub use choice::PolicyChoice;
pub use classify::{Classification, ClassifyRequest};
pub use list::{PoliciesView, PolicyDetails};
pub(crate) use list::{find_policy, unknown_policy};
pub use plan::{PlanQuery, PlanView};
pub use summary::PolicySummary;
