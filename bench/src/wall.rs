//! Wall-clock measurements, which include what instruction counts do not show: clocks, locks, caches.
//!
//! Each round runs every case of the row once, in a different order, so that other load on the
//! machine affects all cases alike. The result is the median of the rounds. Compare the ratios, not
//! the times.

use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Instant;

use crate::case::{Case, Program, Row};
use crate::results::RowResult;

const CALLS_PER_ROUND: u64 = 20_000;
const ROUNDS: usize = 41;

/// Measures a row, in nanoseconds.
pub fn row(row: &Row) -> RowResult {
    let cases: Vec<&Case> = row.cases().collect();
    let mut times: HashMap<&str, Times> = HashMap::new();
    for round in 0..ROUNDS {
        let (last, first) = cases.split_at(round % cases.len().max(1));
        for case in first.iter().chain(last) {
            times.entry(case.name).or_default().add(case);
        }
    }
    let cost = |case: &Case| times.get(case.name).map_or(f64::NAN, Times::cost);
    let Ok(result) = RowResult::measure(row, |case| Ok::<_, Infallible>(cost(case)));
    result
}

/// The times of one case, in nanoseconds per call, one per round.
#[derive(Default)]
struct Times {
    program: Vec<f64>,
    baseline: Vec<f64>,
}

impl Times {
    fn add(&mut self, case: &Case) {
        self.program.push(nanoseconds_per_call(case.program));
        self.baseline.extend(case.baseline.map(nanoseconds_per_call));
    }

    fn cost(&self) -> f64 {
        let program = median(&self.program).unwrap_or(f64::NAN);
        Case::cost(program, median(&self.baseline))
    }
}

fn nanoseconds_per_call(program: Program) -> f64 {
    let began = Instant::now();
    program(CALLS_PER_ROUND);
    began.elapsed().as_nanos() as f64 / CALLS_PER_ROUND as f64
}

fn median(times: &[f64]) -> Option<f64> {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn median_is_the_middle_value() {
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[]), None);
    }
}
