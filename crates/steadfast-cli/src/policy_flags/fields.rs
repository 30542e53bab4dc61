//! The fields of a policy as flags, made of the library's list of fields.

use clap::{Arg, ArgMatches};
use steadfast::policy::{Draft, FIELDS, Field, FieldKind, PolicyError, Setting};

/// Another spelling, and what matters only to sessions inside each other.
const NO_FLAGS: [&str; 2] = ["retryable_exceptions", "nested"];

/// What says how to retry, in one value: texts name a policy, and parts have fields of their own.
fn fields() -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(|field| {
        let structured = matches!(
            field.kind,
            FieldKind::Text | FieldKind::Fields(_) | FieldKind::Classes | FieldKind::Stage
        );
        !structured && !NO_FLAGS.contains(&field.name)
    })
}

/// A field as its flag is written.
pub(super) fn flag(field: &str) -> String {
    format!("--{}", field.replace('_', "-"))
}

/// A flag for every field that can be one.
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

/// The flags that a refusal speaks of: that of the field, and of all others in the text.
pub(super) fn flags_in(text: &str, field: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    // In `on.rate_limited.max_delay` no flag sets the last part.
    let unset = field.rsplit_once('.').map(|(_, last)| last);
    let own = fields().filter(|other| other.name == field);
    let others = fields().filter(|other| {
        other.name != field && Some(other.name) != unset && words.contains(&other.name)
    });
    own.chain(others).map(|field| flag(field.name)).collect()
}

/// The fields that were set, in the order of the policy.
pub(super) fn written(matches: &ArgMatches) -> Vec<(&'static str, String)> {
    fields()
        .filter_map(|field| Some((field.name, matches.get_one::<String>(field.name)?.clone())))
        .collect()
}

/// The draft with these fields written over its own, or everything that cannot be read.
pub(super) fn over(
    mut draft: Draft,
    written: &[(&'static str, String)],
) -> Result<Draft, Vec<PolicyError>> {
    // First what they replace is taken back, so that two flags that contradict each other do.
    let cleared = written.iter().map(|(field, _)| draft.overwrite(field, &Setting::Null));
    let mut refused: Vec<PolicyError> = cleared.filter_map(Result::err).collect();
    for (field, value) in written {
        refused.extend(draft.set(field, &Setting::from(value.as_str())).err());
    }
    if refused.is_empty() { Ok(draft) } else { Err(refused) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 10: policy flags carry the names of the policy's fields.
    #[test]
    fn every_field_with_one_value_is_a_flag() {
        let names: Vec<&str> = fields().map(|field| field.name).collect();
        assert!(
            ["enabled", "max_attempts", "jitter", "retry_on"].iter().all(|n| names.contains(n))
        );
        assert!(!["id", "breaker", "on", "durable", "nested"].iter().any(|n| names.contains(n)));
        assert!(NO_FLAGS.iter().all(|name| FIELDS.iter().any(|field| field.name == *name)));
        assert_eq!(flag("max_rate_limit_waits"), "--max-rate-limit-waits");
    }

    #[test]
    fn every_flag_says_what_it_takes() {
        assert!(fields().all(|field| value_name(field.kind) != "VALUE"));
    }

    #[test]
    fn a_refusal_names_flags_and_not_parts_without_one() {
        let text = "max_delay 10s is shorter than base_delay 5m";
        assert_eq!(flags_in(text, "max_delay"), ["--max-delay", "--base-delay"]);
        assert_eq!(flags_in(text, "on.rate_limited.max_delay"), ["--base-delay"]);
    }
}
