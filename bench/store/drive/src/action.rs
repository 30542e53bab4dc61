//! The actions of a peer's program, written and parsed.

use anyhow::{Context, Result, bail};

/// What a peer's process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Makes tables, or whatever the peer needs. Not measured.
    Setup,
    /// Submits N tasks, one after another. `DONE` with the seconds.
    SubmitSingle(u64),
    /// Submits N tasks in batches. `DONE` with the seconds.
    SubmitBulk(u64, u64),
    /// Submits N tasks for next week. Not measured.
    SubmitLater(u64),
    /// Works until N tasks are finished. `DONE` with the seconds until every
    /// handler had run, and until the database knew.
    Drain(u64),
    /// Idles until it is started, then submits N tasks that become due at as many
    /// a second. `DONE` with the median, the 99th percentile and the longest, in
    /// milliseconds from due to handled.
    Lateness(u64, u64),
    /// Submits and works for a number of seconds. `DONE` with the tasks a second in the
    /// first and in the last fifth of them.
    Churn(u64),
}

impl Action {
    /// The words that ask for it.
    pub fn words(self) -> Vec<String> {
        let (name, numbers) = match self {
            Action::Setup => ("setup", vec![]),
            Action::SubmitSingle(tasks) => ("submit-single", vec![tasks]),
            Action::SubmitBulk(tasks, batch) => ("submit-bulk", vec![tasks, batch]),
            Action::SubmitLater(tasks) => ("submit-later", vec![tasks]),
            Action::Drain(tasks) => ("drain", vec![tasks]),
            Action::Lateness(tasks, rate) => ("lateness", vec![tasks, rate]),
            Action::Churn(seconds) => ("churn", vec![seconds]),
        };
        let numbers = numbers.iter().map(u64::to_string);
        std::iter::once(name.to_owned()).chain(numbers).collect()
    }

    /// Reads the words.
    pub fn parse(words: &[&str]) -> Result<Self> {
        Ok(match *words {
            ["setup"] => Action::Setup,
            ["submit-single", tasks] => Action::SubmitSingle(number(tasks)?),
            ["submit-bulk", tasks, batch] => Action::SubmitBulk(number(tasks)?, number(batch)?),
            ["submit-later", tasks] => Action::SubmitLater(number(tasks)?),
            ["drain", tasks] => Action::Drain(number(tasks)?),
            ["lateness", tasks, rate] => Action::Lateness(number(tasks)?, number(rate)?),
            ["churn", seconds] => Action::Churn(number(seconds)?),
            _ => bail!(
                "unknown action «{}»: expected setup, submit-single N, submit-bulk N BATCH, submit-later N, \
                 drain N, lateness N RATE, churn SECONDS",
                words.join(" "),
            ),
        })
    }
}

/// At least one: nothing is measured of no tasks, in no time or in batches of none.
fn number(word: &str) -> Result<u64> {
    let number = word.parse().with_context(|| format!("«{word}» is not a number"))?;
    if number == 0 {
        bail!("0 is not enough to measure anything");
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_understood() {
        let actions = [
            Action::Setup,
            Action::SubmitSingle(1),
            Action::SubmitBulk(20_000, 1000),
            Action::SubmitLater(3),
            Action::Drain(4),
            Action::Lateness(5, 6),
            Action::Churn(60),
        ];
        for action in actions {
            let words = action.words();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            assert_eq!(Action::parse(&words).unwrap(), action);
        }
    }

    #[test]
    fn what_is_not_understood_is_refused_with_what_there_is() {
        let refusal = |words: &[&str]| Action::parse(words).unwrap_err().to_string();
        assert!(refusal(&["drian", "4"]).contains("drain N"));
        assert!(refusal(&["drain"]).contains("drain N"));
        assert_eq!(refusal(&["drain", "many"]), "«many» is not a number");
        assert_eq!(refusal(&["drain", "0"]), "0 is not enough to measure anything");
    }
}
