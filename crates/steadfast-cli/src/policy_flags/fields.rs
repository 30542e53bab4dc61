//! Policy fields as flags, generated from the library's field list.

use clap::{Arg, ArgMatches};
use steadfast::policy::{Draft, FIELDS, Field, FieldKind, PolicyError, Setting};

/// An alias, and a field that only matters for nested sessions.
const FIELDS_WITHOUT_FLAG: [&str; 2] = ["retryable_exceptions", "nested"];

/// The fields with a single value. Text fields name a policy, and structured fields have no flag.
fn fields() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| {
        let structured = matches!(
            field.kind,
            FieldKind::Text | FieldKind::Fields(_) | FieldKind::Classes | FieldKind::Stage
        );
        !structured && !FIELDS_WITHOUT_FLAG.contains(&field.name)
    })
}

pub(super) fn flag(field: &str) -> String {
    format!("--{}", field.replace('_', "-"))
}

pub(super) fn flags() -> impl Iterator<Item = Arg> {
    fields().map(|field| {
        Arg::new(field.name)
            .long(field.name.replace('_', "-"))
            .value_name(value_name(field.kind))
            .help(help(field))
            .allow_negative_numbers(true)
    })
}

fn value_name(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Bool => "BOOL",
        FieldKind::Count(_) => "N",
        FieldKind::Number(_, 1.0) => "FRACTION",
        FieldKind::Number(..) => "NUMBER",
        FieldKind::Duration => "DURATION",
        FieldKind::Name(_) => "TYPE",
        FieldKind::Jitter => "JITTER",
        FieldKind::Rules => "RULES",
        FieldKind::Durations => "DURATIONS",
        _ => "VALUE",
    }
}

fn help(field: &Field) -> String {
    let about = field.about.trim_end_matches('.');
    match field.kind {
        FieldKind::Name(names) => format!("{about} [one of: {}]", names.join(", ")),
        _ => about.to_owned(),
    }
}

/// The flags a validation error refers to: that of its field and of other fields in its text.
pub(super) fn flags_in(text: &str, field: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    // No flag sets the last part of `on.rate_limited.max_delay`.
    let unset = field.rsplit_once('.').map(|(_, last)| last);
    let own = fields().filter(|other| other.name == field);
    let others = fields().filter(|other| {
        other.name != field && Some(other.name) != unset && words.contains(&other.name)
    });
    own.chain(others).map(|field| flag(field.name)).collect()
}

pub(super) fn values(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    fields()
        .filter_map(|field| Some((field.name, matches.get_one::<String>(field.name)?.clone())))
        .collect()
}

/// Applies the values to a draft; returns all invalid values on failure.
pub(super) fn apply(
    mut draft: Draft,
    values: &[(&'static str, String)],
) -> Result<Draft, Vec<PolicyError>> {
    // Clear all fields first, so that two contradicting flags are reported.
    let cleared = values.iter().map(|(field, _)| draft.overwrite(field, &Setting::Null));
    let mut errors: Vec<PolicyError> = cleared.filter_map(Result::err).collect();
    for (field, value) in values {
        errors.extend(draft.set(field, &Setting::from(value.as_str())).err());
    }
    if errors.is_empty() { Ok(draft) } else { Err(errors) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: policy flags have the names of policy fields.
    #[test]
    fn every_single_value_field_has_a_flag() {
        let names: Vec<&str> = fields().map(|field| field.name).collect();
        assert!(
            ["enabled", "max_attempts", "jitter", "retry_on"].iter().all(|n| names.contains(n))
        );
        assert!(!["id", "breaker", "on", "durable", "nested"].iter().any(|n| names.contains(n)));
        assert!(
            FIELDS_WITHOUT_FLAG.iter().all(|name| FIELDS.iter().any(|field| field.name == *name))
        );
        assert_eq!(flag("max_rate_limit_waits"), "--max-rate-limit-waits");
    }

    #[test]
    fn every_flag_has_a_value_name() {
        assert!(fields().all(|field| value_name(field.kind) != "VALUE"));
    }

    #[test]
    fn error_names_flags_of_its_fields() {
        let text = "max_delay 10s is shorter than base_delay 5m";
        assert_eq!(flags_in(text, "max_delay"), ["--max-delay", "--base-delay"]);
        assert_eq!(flags_in(text, "on.rate_limited.max_delay"), ["--base-delay"]);
    }
}
