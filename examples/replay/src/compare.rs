//! The comparison of a response with the recorded one.
//!
//! All three verdicts complete the task. A run without a response to compare is an error instead.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The result of a replayed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The same response.
    Passed,
    /// Everything that was recorded, and new fields: needs a review.
    NeedsReview,
    /// A recorded field has changed or is missing.
    Failed,
}

/// A verdict and its reasons: stored as the task's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// The differences of the responses.
    pub differences: Vec<String>,
}

/// Compares two responses.
#[must_use]
pub fn compare(recorded: &Value, answered: &Value) -> Finding {
    let mut differences = Differences::default();
    differences.look("", recorded, answered);
    let Differences { broken, new } = differences;
    let verdict = match (broken.is_empty(), new.is_empty()) {
        (true, true) => Verdict::Passed,
        (true, false) => Verdict::NeedsReview,
        (false, _) => Verdict::Failed,
    };
    Finding { verdict, differences: [broken, new].concat() }
}

#[derive(Default)]
struct Differences {
    broken: Vec<String>,
    new: Vec<String>,
}

impl Differences {
    fn look(&mut self, path: &str, recorded: &Value, answered: &Value) {
        let (Value::Object(before), Value::Object(now)) = (recorded, answered) else {
            if recorded != answered {
                self.broken.push(format!("{path} was {recorded} and is {answered}"));
            }
            return;
        };
        for (name, value) in before {
            match now.get(name) {
                Some(answer) => self.look(&format!("{path}/{name}"), value, answer),
                None => self.broken.push(format!("{path}/{name} is gone")),
            }
        }
        let new = now.keys().filter(|name| !before.contains_key(*name));
        self.new.extend(new.map(|name| format!("{path}/{name} is new")));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// X1: the verdicts, and the differences of each.
    #[test]
    fn verdict_lists_the_differences() {
        let recorded = json!({ "item": "lamp", "price": { "amount": 20 } });
        let passed = compare(&recorded, &recorded);
        assert_eq!((passed.verdict, passed.differences), (Verdict::Passed, vec![]));

        let more = json!({ "item": "lamp", "price": { "amount": 20, "unit": "EUR" } });
        let review = compare(&recorded, &more);
        assert_eq!(review.verdict, Verdict::NeedsReview);
        assert_eq!(review.differences, ["/price/unit is new"]);

        let other = json!({ "price": { "amount": 21, "unit": "EUR" } });
        let failed = compare(&recorded, &other);
        assert_eq!(failed.verdict, Verdict::Failed);
        let expected = ["/item is gone", "/price/amount was 20 and is 21", "/price/unit is new"];
        assert_eq!(failed.differences, expected);
    }
}
