//! The actions of a peer's program, as command-line arguments.

use anyhow::{Context, Result, bail};

/// The action of a peer's process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Creates the schema. Not measured.
    Setup,
    /// Submits this number of tasks one by one. Result: the seconds.
    SubmitSingle(u64),
    /// Submits a number of tasks in batches of a size. Result: the seconds.
    SubmitBulk(u64, u64),
    /// Submits this number of tasks scheduled for next week. Not measured.
    SubmitScheduled(u64),
    /// Processes this number of tasks. Results: the seconds until all handlers have run, and until
    /// the database has all outcomes.
    Drain(u64),
    /// Idles until the start signal, then submits a number of tasks that become due at a rate per
    /// second. Results: the median, the 99th percentile and the maximum of the time from due to
    /// handled, in milliseconds.
    Lateness(u64, u64),
    /// Submits and processes tasks for this number of seconds. Results: the tasks per second in the
    /// first and in the last fifth.
    Churn(u64),
}

impl Action {
    /// The command-line arguments.
    pub fn arguments(self) -> Vec<String> {
        let (name, numbers) = match self {
            Action::Setup => ("setup", vec![]),
            Action::SubmitSingle(tasks) => ("submit-single", vec![tasks]),
            Action::SubmitBulk(tasks, batch) => ("submit-bulk", vec![tasks, batch]),
            Action::SubmitScheduled(tasks) => ("submit-scheduled", vec![tasks]),
            Action::Drain(tasks) => ("drain", vec![tasks]),
            Action::Lateness(tasks, rate) => ("lateness", vec![tasks, rate]),
            Action::Churn(seconds) => ("churn", vec![seconds]),
        };
        let numbers = numbers.iter().map(u64::to_string);
        std::iter::once(name.to_owned()).chain(numbers).collect()
    }

    /// Parses command-line arguments.
    ///
    /// # Errors
    /// The action is unknown, or a number is not positive.
    pub fn parse(words: &[&str]) -> Result<Self> {
        Ok(match *words {
            ["setup"] => Action::Setup,
            ["submit-single", tasks] => Action::SubmitSingle(number(tasks)?),
            ["submit-bulk", tasks, batch] => Action::SubmitBulk(number(tasks)?, number(batch)?),
            ["submit-scheduled", tasks] => Action::SubmitScheduled(number(tasks)?),
            ["drain", tasks] => Action::Drain(number(tasks)?),
            ["lateness", tasks, rate] => Action::Lateness(number(tasks)?, number(rate)?),
            ["churn", seconds] => Action::Churn(number(seconds)?),
            _ => bail!(
                "unknown action `{}`: expected setup, submit-single N, submit-bulk N BATCH, submit-scheduled N, \
                 drain N, lateness N RATE, churn SECONDS",
                words.join(" "),
            ),
        })
    }
}

/// Parses a positive number.
fn number(word: &str) -> Result<u64> {
    let number = word.parse().with_context(|| format!("`{word}`: must be a whole number"))?;
    if number == 0 {
        bail!("`{word}`: must be greater than 0");
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_round_trips_through_its_arguments() {
        let actions = [
            Action::Setup,
            Action::SubmitSingle(1),
            Action::SubmitBulk(20_000, 1000),
            Action::SubmitScheduled(3),
            Action::Drain(4),
            Action::Lateness(5, 6),
            Action::Churn(60),
        ];
        for action in actions {
            let arguments = action.arguments();
            let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
            assert_eq!(Action::parse(&words).unwrap(), action);
        }
    }

    #[test]
    fn invalid_action_is_rejected_with_the_expected_form() {
        let error = |words: &[&str]| Action::parse(words).unwrap_err().to_string();
        assert!(error(&["drian", "4"]).contains("drain N"));
        assert!(error(&["drain"]).contains("drain N"));
        assert_eq!(error(&["drain", "many"]), "`many`: must be a whole number");
        assert_eq!(error(&["drain", "0"]), "`0`: must be greater than 0");
    }
}
