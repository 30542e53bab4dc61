//! Latency distributions.
//!
//! They use `libm`, because the last digits of the system's mathematics differ between machines and
//! the same seed must give the same run everywhere.

use std::time::Duration;

use rand_distr::{Distribution as _, StandardNormal};
use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;

use crate::random::Random;
use crate::scenario::{ScenarioError, nanos};

/// The latency of a call to an idle service.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Latency {
    /// Constant.
    Constant(#[serde(with = "serde_seconds")] Duration),
    /// Normal; negative values are mirrored.
    Normal {
        /// The mean.
        #[serde(with = "serde_seconds")]
        mean: Duration,
        /// The standard deviation.
        #[serde(with = "serde_seconds")]
        deviation: Duration,
    },
    /// Lognormal: mostly short, sometimes very long, as in real services.
    Lognormal {
        /// The median.
        #[serde(with = "serde_seconds")]
        median: Duration,
        /// The spread: at 0.5 one call in a hundred takes three times the median, at 1 ten times.
        sigma: f64,
    },
}

impl Default for Latency {
    fn default() -> Self {
        Self::Lognormal { median: Duration::from_millis(50), sigma: 0.5 }
    }
}

/// A validated distribution.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sampler {
    Constant(u64),
    /// The mean and the deviation.
    Normal(f64, f64),
    /// The logarithm of the median, and sigma.
    Lognormal(f64, f64),
}

const MAX_SIGMA: f64 = 10.0;

impl Latency {
    pub(crate) fn sampler(&self) -> Result<Sampler, ScenarioError> {
        let invalid = |problem: &str| ScenarioError::new("latency", problem);
        match *self {
            // Immediate retries would never advance the time.
            Self::Constant(Duration::ZERO) | Self::Normal { mean: Duration::ZERO, .. } => {
                Err(invalid("must be greater than 0"))
            }
            Self::Constant(latency) => Ok(Sampler::Constant(nanos(latency))),
            Self::Normal { mean, deviation } => {
                Ok(Sampler::Normal(nanos(mean) as f64, nanos(deviation) as f64))
            }
            Self::Lognormal { median, sigma } => {
                if median.is_zero() {
                    return Err(invalid("the median must be greater than 0"));
                }
                if !(0.0..=MAX_SIGMA).contains(&sigma) {
                    return Err(invalid(&format!(
                        "sigma {sigma} is out of range; use 0 to {MAX_SIGMA}"
                    )));
                }
                Ok(Sampler::Lognormal(libm::log(nanos(median) as f64), sigma))
            }
        }
    }
}

impl Sampler {
    /// A sample, in nanoseconds.
    pub(crate) fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Self::Constant(latency) => *latency,
            Self::Normal(mean, deviation) => (mean + deviation * standard(random)).abs() as u64,
            Self::Lognormal(median, sigma) => libm::exp(median + sigma * standard(random)) as u64,
        }
    }
}

/// A sample of the standard normal distribution.
fn standard(random: &mut Random) -> f64 {
    StandardNormal.sample(random)
}
