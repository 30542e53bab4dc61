//! The role that writes the outcomes of attempts.

use async_trait::async_trait;

use crate::error::Result;
use crate::queue::settle::{Settled, Settlement};

/// Writes the outcomes of attempts.
#[async_trait]
pub trait Settle: Send + Sync + 'static {
    /// Settles claimed tasks. The answers are in the order of the settlements; a stale one
    /// changes nothing (D4).
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>>;
}
