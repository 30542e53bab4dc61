//! Rounds: every case once per round.
//!
//! Whatever disturbs the machine for a while disturbs one round of everyone instead of
//! all rounds of one. Each round begins with another case; the medians stand.

use anyhow::Result;

/// What the rounds gave for each case, in the order of the cases.
///
/// A case that fails is reported and skips that round: a peer that stalls must
/// not take the figures of all others with it.
pub fn rounds<C, T>(
    cases: &[C],
    rounds: usize,
    name: impl Fn(&C) -> String,
    mut measure: impl FnMut(&C) -> Result<T>,
) -> Vec<Vec<T>> {
    let mut results: Vec<Vec<T>> = cases.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        let mut turns: Vec<_> = cases.iter().zip(&mut results).collect();
        turns.rotate_left(round % cases.len().max(1));
        for (case, results) in turns {
            eprintln!("round {}  {}", round + 1, name(case));
            match measure(case) {
                Ok(result) => results.push(result),
                Err(error) => eprintln!("         failed: {error:#}"),
            }
        }
    }
    results
}

/// The median; NaN without values.
pub fn median<T>(results: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    let mut figures: Vec<f64> = results.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    #[test]
    fn each_round_begins_with_another_case_and_results_keep_their_order() {
        let mut seen = Vec::new();
        let results = rounds(&["a", "b", "c"], 2, ToString::to_string, |case| {
            seen.push(*case);
            Ok(seen.len())
        });
        assert_eq!(seen, ["a", "b", "c", "b", "c", "a"]);
        assert_eq!(results, [[1, 6], [2, 4], [3, 5]]);
    }

    #[test]
    fn failed_case_does_not_fail_others() {
        let results = rounds(&["good", "bad"], 1, ToString::to_string, |case| match *case {
            "bad" => bail!("stalled"),
            _ => Ok(1),
        });
        assert_eq!(results, [vec![1], vec![]]);
    }

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median(&[9.0, 1.0, 2.0], |figure| *figure), 2.0);
        assert!(median(&[], |figure: &f64| *figure).is_nan());
    }
}
