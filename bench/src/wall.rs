//! Wall-clock measurements, for what instruction counts do not show: clocks, locks, caches.
//!
//! Each round runs every case of the row once, each time in another order, so
//! that whatever disturbs the machine disturbs all alike; the median of the
//! rounds stands. Read the ratios, not the times.

use std::collections::HashMap;
use std::convert::Infallible;
use std::time::Instant;

use crate::case::{Case, Program, Row};
use crate::figures::Figures;

const CALLS: u64 = 20_000;
const ROUNDS: usize = 41;

/// Measures a row, in nanoseconds.
pub fn row(row: &Row) -> Figures {
    let cases: Vec<&Case> = row.cases().collect();
    let mut times: HashMap<&str, Times> = HashMap::new();
    for round in 0..ROUNDS {
        let (early, late) = cases.split_at(round % cases.len().max(1));
        for case in late.iter().chain(early) {
            times.entry(case.name).or_default().add(case);
        }
    }
    let cost = |case: &Case| times.get(case.name).map_or(f64::NAN, Times::cost);
    let Ok(figures) = Figures::of(row, |case| Ok::<_, Infallible>(cost(case)));
    figures
}

/// What each round took.
#[derive(Default)]
struct Times {
    program: Vec<f64>,
    twin: Vec<f64>,
}

impl Times {
    fn add(&mut self, case: &Case) {
        self.program.push(nanoseconds_per_call(case.program));
        self.twin.extend(case.twin.map(nanoseconds_per_call));
    }

    fn cost(&self) -> f64 {
        let program = median(&self.program).unwrap_or(f64::NAN);
        Case::cost(program, median(&self.twin))
    }
}

fn nanoseconds_per_call(program: Program) -> f64 {
    let began = Instant::now();
    program(CALLS);
    began.elapsed().as_nanos() as f64 / CALLS as f64
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
    fn the_median_is_the_middle_one() {
        assert_eq!(median(&[9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[]), None);
    }
}
