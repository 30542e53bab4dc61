//! Durations as text: `500ms`, `1.5s`, `10m`, `7d`, `PT30S`, or a number of seconds.
//!
//! Policy files, JSON, attributes and command-line flags all accept the same forms.
//!
//! ```
//! use std::time::Duration;
//! use steadfast::duration::{self, DurationError};
//!
//! assert_eq!(duration::parse("1.5s"), Ok(Duration::from_millis(1500)));
//! assert_eq!(duration::format(Duration::from_secs(604_800)), "7d");
//! let error: DurationError = duration::from_seconds(-1.0).unwrap_err();
//! assert!(error.to_string().starts_with("`-1` is not a duration: it is negative"));
//! ```

#[cfg(feature = "serde")]
pub mod serde_seconds;

pub use steadfast_duration::{DurationError, format, format_rounded, from_seconds, parse};
