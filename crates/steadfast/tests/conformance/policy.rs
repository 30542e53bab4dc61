//! Policies that are accepted or refused.

use serde::Deserialize;
use serde_json::{Map, Value};
use steadfast::Policy;

use crate::Checked;
use crate::cases::{self, Case, expect};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    policy: Map<String, Value>,
    accepted: Option<Value>,
    refused: Option<Refused>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    field: String,
    message: String,
}

pub(crate) fn check(case: &Case) -> Checked {
    let Written { policy, accepted, refused } = case.read()?;
    match (cases::policy(&case.id, &policy), accepted, refused) {
        (Ok(policy), Some(meaning), None) => {
            let written = serde_json::to_value(&policy).map_err(|why| why.to_string())?;
            contains("", &written, &meaning)?;
            let again: Policy = serde_json::from_value(written).map_err(|why| why.to_string())?;
            expect("the policy, read again", again, policy)
        }
        (Err(error), None, Some(refused)) => {
            expect("the field", error.field(), refused.field)?;
            expect("the message", error.to_string(), refused.message)
        }
        (Err(error), ..) => Err(format!("it is refused: {error}")),
        (Ok(_), ..) => Err("it is accepted".to_owned()),
    }
}

/// Whether a policy, written out, has these values.
fn contains(path: &str, whole: &Value, part: &Value) -> Checked {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part.iter().try_for_each(|(field, part)| {
            let path = format!("{path}{field}");
            match (whole.get(field), part) {
                (None, Value::Null) => Ok(()),
                (None, _) => Err(format!("{path} is not written")),
                (Some(whole), _) => contains(&format!("{path}."), whole, part),
            }
        }),
        (Value::Array(whole), Value::Array(part)) if whole.len() == part.len() => {
            whole.iter().zip(part).try_for_each(|(whole, part)| contains(path, whole, part))
        }
        (Value::Number(whole), Value::Number(part)) => expect(path, whole.as_f64(), part.as_f64()),
        _ => expect(path, whole, part),
    }
}
