//! stub until merged
use crate::policy::OutOfRange;
use serde::{Deserialize, Serialize};
use std::time::Duration;
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BreakerSettings {}
impl BreakerSettings {
    pub const fn consecutive(_: u32, _: Duration) -> Self {
        Self {}
    }
    pub fn problems(&self) -> Vec<OutOfRange> {
        vec![]
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetSettings {}
impl BudgetSettings {
    pub fn problems(&self) -> Vec<OutOfRange> {
        vec![]
    }
}
