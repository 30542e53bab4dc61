//! What a budget is told: one of three kinds, by the fields that are there.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::duration::serde_seconds;
use crate::policy::{OutOfRange, Value};

const MIN_PER_SECOND: f64 = 10.0;
const WINDOW: Duration = Duration::from_secs(10);
const SHORTEST_WINDOW: Duration = Duration::from_millis(1);
const MOST_TOKENS: u32 = 1000;

/// How much retrying a budget allows.
///
/// ```
/// use steadfast::guard::BudgetSettings;
///
/// let read = |json| serde_json::from_str::<BudgetSettings>(json);
/// assert!(matches!(read(r#"{"retries_per_second": 10}"#)?, BudgetSettings::Rate { .. }));
/// assert!(matches!(read(r#"{"ratio": 0.2, "window": "30s"}"#)?, BudgetSettings::Ratio { .. }));
/// assert!(matches!(
///     read(r#"{"max_tokens": 100, "token_ratio": 0.1}"#)?,
///     BudgetSettings::Tokens { .. }
/// ));
/// assert!(read(r#"{"ratio": 0.2, "max_tokens": 100}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "BudgetDraft", into = "BudgetDraft")]
pub enum BudgetSettings {
    /// So many retries a second, and at most one second's worth of them at once.
    Rate {
        /// 0.000001 to 1 000 000.
        retries_per_second: f64,
    },
    /// So many retries for each success, and a few besides, so that a service
    /// with little traffic can be retried at all.
    Ratio {
        /// Retries for each success, 0.000001 to 1000.
        ratio: f64,
        /// Retries a second that need no success: 10 unless set, and 0 for none.
        min_per_second: f64,
        /// How long a success counts: 10 s unless set.
        window: Duration,
    },
    /// The throttle of gRPC (proposal A6).
    Tokens {
        /// The tokens it starts with and never exceeds, 1 to 1000. No retries
        /// while it holds half of them or less.
        max_tokens: u32,
        /// What a success gives back, and a second that passes: 0.001 to 1000.
        token_ratio: f64,
    },
}

impl BudgetSettings {
    /// Everything that is wrong with these settings.
    ///
    /// ```
    /// use steadfast::guard::BudgetSettings;
    ///
    /// let settings = BudgetSettings::Rate { retries_per_second: 0.0 };
    /// let [problem] = settings.problems()[..] else { unreachable!() };
    /// assert_eq!(problem.to_string(), "retries_per_second 0 is outside 0.000001..=1000000");
    /// ```
    #[must_use]
    pub fn problems(&self) -> Vec<OutOfRange> {
        self.checks().into_iter().flatten().collect()
    }

    pub(crate) const fn checks(&self) -> [Option<OutOfRange>; 3] {
        match *self {
            Self::Rate { retries_per_second } => {
                [rate("retries_per_second", retries_per_second), None, None]
            }
            Self::Ratio { ratio, min_per_second, window } => [
                within("ratio", ratio, 1e-6, 1e3, "is outside 0.000001..=1000"),
                if min_per_second == 0.0 { None } else { rate("min_per_second", min_per_second) },
                unless_long_enough(window),
            ],
            Self::Tokens { max_tokens, token_ratio } => [
                if max_tokens > MOST_TOKENS {
                    let most = Some(Value::Count(MOST_TOKENS as u64));
                    let count = Value::Count(max_tokens as u64);
                    Some(OutOfRange::new("max_tokens", count, "is above", most))
                } else {
                    OutOfRange::unless_at_least("max_tokens", max_tokens as u64, 1)
                },
                within("token_ratio", token_ratio, 1e-3, 1e3, "is outside 0.001..=1000"),
                None,
            ],
        }
    }
}

const fn rate(field: &'static str, per_second: f64) -> Option<OutOfRange> {
    within(field, per_second, 1e-6, 1e6, "is outside 0.000001..=1000000")
}

const fn within(
    field: &'static str,
    number: f64,
    least: f64,
    most: f64,
    rule: &'static str,
) -> Option<OutOfRange> {
    if number >= least && number <= most {
        return None;
    }
    Some(OutOfRange::new(field, Value::Number(number), rule, None))
}

const fn unless_long_enough(window: Duration) -> Option<OutOfRange> {
    if window.as_nanos() >= SHORTEST_WINDOW.as_nanos() {
        return None;
    }
    Some(OutOfRange::new(
        "window",
        Value::Duration(window),
        "is shorter than",
        Some(Value::Duration(SHORTEST_WINDOW)),
    ))
}

/// A budget as written: the three kinds in one, as a file spells them.
///
/// Trying one kind after the other would answer a misspelt field with "fits
/// none of the kinds"; this way the reader names the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BudgetDraft {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retries_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) min_per_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none", with = "serde_seconds::option")]
    pub(crate) window: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token_ratio: Option<f64>,
}

impl TryFrom<BudgetDraft> for BudgetSettings {
    type Error = &'static str;

    fn try_from(draft: BudgetDraft) -> Result<Self, Self::Error> {
        draft.settings()
    }
}

impl BudgetDraft {
    /// The budget of the kind whose fields are there.
    pub(crate) fn settings(self) -> Result<BudgetSettings, &'static str> {
        match self {
            Self {
                retries_per_second: Some(retries_per_second),
                ratio: None,
                min_per_second: None,
                window: None,
                max_tokens: None,
                token_ratio: None,
            } => Ok(BudgetSettings::Rate { retries_per_second }),
            Self {
                retries_per_second: None,
                ratio: Some(ratio),
                min_per_second,
                window,
                max_tokens: None,
                token_ratio: None,
            } => Ok(BudgetSettings::Ratio {
                ratio,
                min_per_second: min_per_second.unwrap_or(MIN_PER_SECOND),
                window: window.unwrap_or(WINDOW),
            }),
            Self {
                retries_per_second: None,
                ratio: None,
                min_per_second: None,
                window: None,
                max_tokens: Some(max_tokens),
                token_ratio: Some(token_ratio),
            } => Ok(BudgetSettings::Tokens { max_tokens, token_ratio }),
            _ => Err("a budget is one of `retries_per_second`; `ratio` with, if wanted, \
                      `min_per_second` and `window`; `max_tokens` with `token_ratio`"),
        }
    }
}

impl From<BudgetSettings> for BudgetDraft {
    fn from(settings: BudgetSettings) -> Self {
        let none = Self::default();
        match settings {
            BudgetSettings::Rate { retries_per_second } => {
                Self { retries_per_second: Some(retries_per_second), ..none }
            }
            BudgetSettings::Ratio { ratio, min_per_second, window } => Self {
                ratio: Some(ratio),
                min_per_second: Some(min_per_second),
                window: Some(window),
                ..none
            },
            BudgetSettings::Tokens { max_tokens, token_ratio } => {
                Self { max_tokens: Some(max_tokens), token_ratio: Some(token_ratio), ..none }
            }
        }
    }
}
