//! The log (O2): a retry is INFO, giving up WARN, success after a retry INFO,
//! plain success DEBUG.

use tracing::{Level, debug, info, warn};

use crate::drive::{Happening, Instrument, What};

/// Writes what happens to `tracing`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traced;
