//! Rounds, each of which measures all cases once.
//!
//! Temporary load on the machine then affects one round of all cases rather than all rounds of one
//! case. Each round starts with a different case. The report has the medians.

use anyhow::Result;

/// Measures all cases in rounds and returns the results of each case, in the order of the cases.
///
/// A failure is printed and the case skipped for that round, so that a peer that stalls does not
/// prevent the measurement of the others.
pub fn rounds<C, T>(
    cases: &[C],
    rounds: usize,
    name: impl Fn(&C) -> String,
    mut measure: impl FnMut(&C) -> Result<T>,
) -> Vec<Vec<T>> {
    let mut results: Vec<Vec<T>> = cases.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        let mut order: Vec<_> = cases.iter().zip(&mut results).collect();
        order.rotate_left(round % cases.len().max(1));
        for (case, results) in order {
            eprintln!("round {}  {}", round + 1, name(case));
            match measure(case) {
                Ok(result) => results.push(result),
                Err(error) => eprintln!("         failed: {error:#}"),
            }
        }
    }
    results
}

/// The median of a value of the results; NaN if there are none.
pub fn median<T>(results: &[T], value: impl Fn(&T) -> f64) -> f64 {
    let mut values: Vec<f64> = results.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn rounds_rotate_the_cases_and_results_stay_in_order() {
        let mut seen = Vec::new();
        let results = rounds(&["a", "b", "c"], 2, ToString::to_string, |case| {
            seen.push(*case);
            Ok(seen.len())
        });
        assert_eq!(seen, ["a", "b", "c", "b", "c", "a"]);
        assert_eq!(results, [[1, 6], [2, 4], [3, 5]]);
    }

    #[test]
    fn failed_case_does_not_affect_others() {
        let results = rounds(&["good", "bad"], 1, ToString::to_string, |case| match *case {
            "bad" => bail!("stalled"),
            _ => Ok(1),
        });
        assert_eq!(results, [vec![1], vec![]]);
    }

    #[test]
    fn median_is_the_middle_value() {
        assert_eq!(median(&[9.0, 1.0, 2.0], |value| *value), 2.0);
        assert!(median(&[], |value: &f64| *value).is_nan());
    }
}
