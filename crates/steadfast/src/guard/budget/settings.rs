//! The settings of a budget: one of three kinds, chosen by the fields that are present.

use std::time::Duration;

#[cfg(feature = "serde")]
use crate::duration::serde_seconds;
use crate::policy::{RangeError, Value};

const DEFAULT_MIN_PER_SECOND: f64 = 10.0;
const DEFAULT_WINDOW: Duration = Duration::from_secs(10);
const MIN_WINDOW: Duration = Duration::from_millis(1);
const MAX_TOKENS: u32 = 1000;

/// How much retrying a budget allows.
///
/// ```
/// # #[cfg(feature = "serde")] {
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
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "BudgetDraft", into = "BudgetDraft"))]
#[non_exhaustive]
pub enum BudgetSettings {
    /// A number of retries per second, with bursts of up to the retries of one second.
    Rate {
        /// 0.000001 to 1 000 000.
        retries_per_second: f64,
    },
    /// A number of retries per success, plus a few per second, so that calls to a service with little
    /// traffic can be retried at all.
    Ratio {
        /// Retries per success, 0.000001 to 1000.
        ratio: f64,
        /// Retries per second that need no success. Defaults to 10; 0 disables them.
        min_per_second: f64,
        /// How long a success counts. Defaults to 10 s.
        window: Duration,
    },
    /// The throttle of gRPC (proposal A6).
    Tokens {
        /// The initial and largest number of tokens, 1 to 1000. Retries are rejected while half of
        /// them or fewer are left.
        max_tokens: u32,
        /// The tokens that a success, or a second, adds: 0.001 to 1000.
        token_ratio: f64,
    },
}

impl BudgetSettings {
    /// All problems of these settings.
    ///
    /// ```
    /// use steadfast::guard::BudgetSettings;
    ///
    /// let settings = BudgetSettings::Rate { retries_per_second: 0.0 };
    /// let [problem] = settings.problems()[..] else { unreachable!() };
    /// assert_eq!(problem.to_string(), "retries_per_second must be between 0.000001 and 1000000, not 0");
    /// ```
    #[must_use]
    pub fn problems(&self) -> Vec<RangeError> {
        self.checks().into_iter().flatten().collect()
    }

    pub(crate) const fn checks(&self) -> [Option<RangeError>; 3] {
        match *self {
            Self::Rate { retries_per_second } => {
                [rate("retries_per_second", retries_per_second), None, None]
            }
            Self::Ratio { ratio, min_per_second, window } => [
                within("ratio", ratio, 1e-6, 1e3, "must be between 0.000001 and 1000"),
                if min_per_second == 0.0 { None } else { rate("min_per_second", min_per_second) },
                unless_window_is_long_enough(window),
            ],
            Self::Tokens { max_tokens, token_ratio } => [
                if max_tokens > MAX_TOKENS {
                    let count = Value::Count(max_tokens as u64);
                    let max = Value::Count(MAX_TOKENS as u64);
                    Some(RangeError::new("max_tokens", count, "must be at most").bound(max))
                } else {
                    RangeError::unless_at_least("max_tokens", max_tokens as u64, 1)
                },
                within("token_ratio", token_ratio, 1e-3, 1e3, "must be between 0.001 and 1000"),
                None,
            ],
        }
    }
}

const fn rate(field: &'static str, per_second: f64) -> Option<RangeError> {
    within(field, per_second, 1e-6, 1e6, "must be between 0.000001 and 1000000")
}

const fn within(
    field: &'static str,
    number: f64,
    min: f64,
    max: f64,
    rule: &'static str,
) -> Option<RangeError> {
    if number >= min && number <= max {
        return None;
    }
    Some(RangeError::new(field, Value::Number(number), rule))
}

const fn unless_window_is_long_enough(window: Duration) -> Option<RangeError> {
    if window.as_nanos() >= MIN_WINDOW.as_nanos() {
        return None;
    }
    Some(
        RangeError::new("window", Value::Duration(window), "must be at least")
            .bound(Value::Duration(MIN_WINDOW)),
    )
}

/// The fields of all three kinds of budget, as in a file.
///
/// Trying one kind after the other would report a misspelt field as "matches none of the kinds";
/// this way the error names the field.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = BudgetSettings))]
#[cfg_attr(
    feature = "openapi",
    schema(
        description = "The settings of a retry budget: a rate, a ratio of recent successes with a minimum rate, or a token bucket."
    )
)]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub(crate) struct BudgetDraft {
    /// Retries per second.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) retries_per_second: Option<f64>,
    /// Retries per success.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) ratio: Option<f64>,
    /// Minimum retries per second.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) min_per_second: Option<f64>,
    /// How long a success counts.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::__private::openapi::AnyDuration>))]
    #[cfg_attr(
        feature = "serde",
        serde(skip_serializing_if = "Option::is_none", with = "serde_seconds::option")
    )]
    pub(crate) window: Option<Duration>,
    /// The capacity of the token bucket.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) max_tokens: Option<u32>,
    /// Tokens added per success and per second.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) token_ratio: Option<f64>,
}

impl TryFrom<BudgetDraft> for BudgetSettings {
    type Error = &'static str;

    fn try_from(draft: BudgetDraft) -> Result<Self, Self::Error> {
        draft.settings()
    }
}

impl BudgetDraft {
    /// The budget of the kind whose fields are present.
    pub(crate) fn settings(self) -> Result<BudgetSettings, &'static str> {
        let Self { retries_per_second, ratio, min_per_second, window, max_tokens, token_ratio } =
            self;
        match (retries_per_second, (ratio, min_per_second, window), (max_tokens, token_ratio)) {
            (Some(retries_per_second), (None, None, None), (None, None)) => {
                Ok(BudgetSettings::Rate { retries_per_second })
            }
            (None, (Some(ratio), min_per_second, window), (None, None)) => {
                Ok(BudgetSettings::Ratio {
                    ratio,
                    min_per_second: min_per_second.unwrap_or(DEFAULT_MIN_PER_SECOND),
                    window: window.unwrap_or(DEFAULT_WINDOW),
                })
            }
            (None, (None, None, None), (Some(max_tokens), Some(token_ratio))) => {
                Ok(BudgetSettings::Tokens { max_tokens, token_ratio })
            }
            _ => Err(
                "expected the fields of one kind of budget: `retries_per_second`; `ratio` with \
                      optional `min_per_second` and `window`; or `max_tokens` with `token_ratio`",
            ),
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
