//! The breakers of all instances, and what is wanted of them (G1).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use steadfast_store::{BreakerOverride, BreakerReport, Store, StoreError};

/// The breaker of one policy, in every instance that has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BreakerView {
    /// The policy.
    pub policy: String,
    /// How it stands, by instance; none if no instance was heard of lately.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::openapi::BreakerReport>))]
    pub instances: Vec<BreakerReport>,
    /// What was last wanted of it, if anything ever was.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::BreakerOverride>))]
    pub order: Option<BreakerOverride>,
}

pub(crate) async fn read(store: &Store) -> Result<Vec<BreakerView>, StoreError> {
    let mut views = Views::default();
    for report in store.breakers().await? {
        views.of(&report.policy).instances.push(report);
    }
    for order in store.breaker_orders().await? {
        let policy = order.policy.clone();
        views.of(&policy).order = Some(order);
    }
    Ok(views.0.into_values().collect())
}

#[derive(Default)]
struct Views(BTreeMap<String, BreakerView>);

impl Views {
    fn of(&mut self, policy: &str) -> &mut BreakerView {
        let policy = policy.to_owned();
        self.0.entry(policy.clone()).or_insert(BreakerView {
            policy,
            instances: Vec::new(),
            order: None,
        })
    }
}
