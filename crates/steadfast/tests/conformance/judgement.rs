//! From facts to a class.

use serde::Deserialize;
use serde_json::{Map, Value};
use steadfast::{Class, Fault, judge};

use crate::Checked;
use crate::cases::{Case, expect, expect_seconds, valid};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judged {
    #[serde(default)]
    policy: Map<String, Value>,
    fault: Fault,
    class: Class,
    rule: Option<String>,
    matched_by: String,
    hint: Option<f64>,
}

pub(crate) fn check(case: &Case) -> Checked {
    let expected: Judged = case.read()?;
    let policy = valid(&case.id, &expected.policy)?;
    let judgement = judge::judge(policy.rules(), &expected.fault);
    expect("the class", judgement.class(), expected.class)?;
    expect("the rule", judgement.rule(policy.rules()), expected.rule.as_deref())?;
    expect("its list", serde_json::json!(judgement.matched_by()), expected.matched_by.into())?;
    match (judgement.hint(), expected.hint) {
        (Some(hint), Some(seconds)) => expect_seconds("the hint", hint, seconds),
        (hint, seconds) => expect("whether it has a hint", hint.is_some(), seconds.is_some()),
    }
}
