//! Forms of a duration.

use serde::Deserialize;
use serde_json::Value;
use steadfast::duration;

use crate::Checked;
use crate::cases::{Case, expect, expect_seconds};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spelling {
    value: Value,
    seconds: Option<f64>,
    /// The formatted duration.
    written: Option<String>,
    refused: Option<String>,
}

pub(crate) fn check(case: &Case) -> Checked {
    let Spelling { value, seconds, written, refused } = case.read()?;
    let found = match &value {
        Value::String(text) => duration::parse(text),
        Value::Number(number) => duration::from_seconds(number.as_f64().ok_or("too large")?),
        other => return Err(format!("{other} is neither a text nor a number")),
    };
    match (found, seconds, refused) {
        (Ok(found), Some(seconds), None) => {
            expect_seconds("it", found, seconds)?;
            let again = duration::format(found);
            expect("its written form, read again", duration::parse(&again), Ok(found))?;
            written.map_or(Ok(()), |written| expect("its written form", again, written))
        }
        (Err(error), None, Some(why)) => {
            let says_why = error.to_string().contains(&format!("is not a duration: {why}; "));
            expect(&format!("whether `{error}` says why"), says_why, true)
        }
        (found, _, _) => Err(format!("it is {found:?}")),
    }
}
