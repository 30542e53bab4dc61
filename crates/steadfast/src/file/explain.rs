//! The effective values of a policy and their origins (F3).

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::layers::Origins;
use super::origin::{Layer, Origin};
use crate::policy::{FIELDS, FieldKind, Policy, Setting};

/// The effective values of a policy with their origins. As JSON:
/// `{"policy": …, "values": {"max_attempts": {"value": 5, "origin": …, "layer": …}}}`.
///
/// ```
/// use steadfast::file::{Format, Policies, Source};
///
/// let text = "version: '1.1.0'\npolicies:\n  calls: {max_attempts: 4}\n";
/// let policies = Policies::parse(&Source::new("steadfast.yaml", text), Format::Yaml)?;
/// let explained = policies.explain("calls");
/// let attempts = explained.value("max_attempts").ok_or("no such field")?;
/// assert_eq!((attempts.value.to_string(), attempts.origin.to_string()), ("4".into(), "steadfast.yaml:3".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// The policy's id.
    pub policy: String,
    /// Its values, in the order of the fields.
    #[serde(serialize_with = "by_field")]
    pub values: Vec<Explained>,
}

/// One value with its origin.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// The field, or the path to it, such as `on.rate_limited.base_delay`.
    pub field: String,
    /// The value; null if the policy has none.
    pub value: Setting,
    /// The layer that set it.
    pub origin: Origin,
}

impl Explanation {
    pub(crate) fn new(policy: &Policy, origins: &Origins) -> Self {
        let values = effective(policy, policy.breaker().is_some() && origins.mention("breaker"));
        let explained = |(field, value): (String, Value)| {
            let origin = origins.of(&field).cloned().unwrap_or(Origin::BUILT_IN);
            Explained {
                value: serde_json::from_value(value).unwrap_or(Setting::Null),
                field,
                origin,
            }
        };
        let policy = policy.id().unwrap_or_default().to_owned();
        Self { policy, values: values.into_iter().map(explained).collect() }
    }

    /// The values of a policy outside any file, all with the origin `built-in`.
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        Self::new(policy, &Origins::default())
    }

    /// The value of a field.
    #[must_use]
    pub fn value(&self, field: &str) -> Option<&Explained> {
        self.values.iter().find(|value| value.field == field)
    }
}

fn by_field<S: Serializer>(values: &[Explained], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Entry<'v> {
        value: &'v Setting,
        origin: &'v Origin,
        layer: Layer,
    }
    serializer.collect_map(values.iter().map(|Explained { field, value, origin }| {
        (field, Entry { value, origin, layer: origin.layer() })
    }))
}

/// Every value of a policy with its path, defaults included.
pub(crate) fn effective(policy: &Policy, full_breaker: bool) -> Vec<(String, Value)> {
    let mut fields = match serde_json::to_value(policy) {
        Ok(Value::Object(fields)) => fields,
        _ => serde_json::Map::new(),
    };
    fields.entry("name").or_insert_with(|| policy.name().into());
    if !full_breaker {
        simple_breaker(&mut fields);
    }
    let mut values = Vec::new();
    for field in FIELDS.iter().filter(|field| field.name != "id") {
        match fields.remove(field.name) {
            Some(value) => flatten(field.name, value, &mut values),
            None if is_shown_when_absent(field.name, field.kind) => {
                values.push((field.name.to_owned(), Value::Null));
            }
            None => {}
        }
    }
    values
}

/// Replaces the breaker by its short form, which most files use.
fn simple_breaker(fields: &mut serde_json::Map<String, Value>) {
    let breaker = fields.remove("breaker");
    fields.insert("enable_circuit_breaker".to_owned(), breaker.is_some().into());
    for (simple, full) in
        [("circuit_breaker_threshold", "threshold"), ("circuit_breaker_timeout", "timeout")]
    {
        if let Some(value) = breaker.as_ref().and_then(|breaker| breaker.get(full)) {
            fields.insert(simple.to_owned(), value.clone());
        }
    }
}

/// Whether an absent value of this field is shown as null. Other absent fields are alternative
/// spellings.
fn is_shown_when_absent(name: &str, kind: FieldKind) -> bool {
    let limit = matches!(kind, FieldKind::Duration) && name.starts_with("max_");
    limit || SHOWN_WHEN_ABSENT.contains(&name)
}

const SHOWN_WHEN_ABSENT: [&str; 8] = [
    "description",
    "attempt_timeout",
    "retry_on",
    "abort_on",
    "idempotent",
    "max_rate_limit_waits",
    "budget",
    "durable",
];

fn flatten(path: &str, value: Value, values: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                flatten(&format!("{path}.{field}"), value, values);
            }
        }
        value => values.push((path.to_owned(), value)),
    }
}
