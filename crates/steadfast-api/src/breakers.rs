//! Circuit breakers of all instances, with manual overrides (G1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use steadfast_store::{BreakerOverride, BreakerReport, Store, StoreError};

/// The circuit breaker of one policy, in every instance that has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BreakerView {
    /// The policy.
    pub policy: String,
    /// The state in each instance; empty if no instance has reported lately.
    pub instances: Vec<BreakerReport>,
    /// The last manual override, if any.
    #[serde(alias = "order")]
    pub last_override: Option<BreakerOverride>,
}

pub(crate) async fn read(store: &Store) -> Result<Vec<BreakerView>, StoreError> {
    let mut views = BTreeMap::new();
    for report in store.breakers().await? {
        view_of(&mut views, &report.policy).instances.push(report);
    }
    for last in store.breaker_overrides().await? {
        let view = view_of(&mut views, &last.policy);
        view.last_override = Some(last);
    }
    Ok(views.into_values().collect())
}

fn view_of<'v>(views: &'v mut BTreeMap<String, BreakerView>, policy: &str) -> &'v mut BreakerView {
    let policy = policy.to_owned();
    views.entry(policy.clone()).or_insert(BreakerView {
        policy,
        instances: Vec::new(),
        last_override: None,
    })
}
