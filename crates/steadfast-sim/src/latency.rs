//! How long a call takes that nothing is in the way of.
//!
//! `libm` and not the system's mathematics, whose last digits differ from machine to machine:
//! the same seed makes the same run everywhere.

use std::time::Duration;

use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;

use crate::chance::Chance;
use crate::scenario::{Invalid, nanos};

/// How long a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Latency {
    /// Always as long.
    Constant(#[serde(with = "serde_seconds")] Duration),
    /// Around a mean; what would be negative is turned round.
    Normal {
        /// The mean.
        #[serde(with = "serde_seconds")]
        mean: Duration,
        /// The standard deviation.
        #[serde(with = "serde_seconds")]
        deviation: Duration,
    },
    /// Mostly short, sometimes very long, as real services are.
    Lognormal {
        /// Half of all calls are shorter.
        #[serde(with = "serde_seconds")]
        median: Duration,
        /// How wide: 0.5 makes one call in a hundred take three times the median, 1 ten times.
        sigma: f64,
    },
}

impl Default for Latency {
    fn default() -> Self {
        Self::Lognormal { median: Duration::from_millis(50), sigma: 0.5 }
    }
}

/// A latency that can be drawn from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sampler {
    Constant(u64),
    /// The mean and the deviation.
    Normal(f64, f64),
    /// The logarithm of the median, and sigma.
    Lognormal(f64, f64),
}

/// Wider than this is no latency any more.
const WIDEST: f64 = 10.0;

impl Latency {
    pub(crate) fn sampler(&self) -> Result<Sampler, Invalid> {
        let wrong = |problem: &str| Invalid::new("latency", problem);
        match *self {
            // Time would stand still for whoever tries again at once.
            Self::Constant(Duration::ZERO) | Self::Normal { mean: Duration::ZERO, .. } => {
                Err(wrong("must be longer than nothing"))
            }
            Self::Constant(latency) => Ok(Sampler::Constant(nanos(latency))),
            Self::Normal { mean, deviation } => {
                Ok(Sampler::Normal(nanos(mean) as f64, nanos(deviation) as f64))
            }
            Self::Lognormal { median, sigma } => {
                if median.is_zero() {
                    return Err(wrong("the median of a lognormal latency must not be zero"));
                }
                if !(0.0..=WIDEST).contains(&sigma) {
                    return Err(wrong(&format!("sigma {sigma} is outside 0..={WIDEST}")));
                }
                Ok(Sampler::Lognormal(libm::log(nanos(median) as f64), sigma))
            }
        }
    }
}

impl Sampler {
    /// Nanoseconds.
    pub(crate) fn draw(&self, chance: &mut Chance) -> u64 {
        match self {
            Self::Constant(latency) => *latency,
            Self::Normal(mean, deviation) => (mean + deviation * standard(chance)).abs() as u64,
            Self::Lognormal(median, sigma) => libm::exp(median + sigma * standard(chance)) as u64,
        }
    }
}

/// Drawn from the bell curve around 0 with a deviation of 1.
fn standard(chance: &mut Chance) -> f64 {
    StandardNormal.sample(chance)
}
