//! Java exception classes as rules.
//!
//! A rule matches one type. In Java a class also matches its subclasses, which the file does not
//! list, so every list of classes is reported as partly unsupported.

use super::names::excerpt;
use super::policy_builder::RuleList;
use super::reader::Reader;
use super::value::Value;

const SUBCLASSES: &str = "a rule matches one type only; add the subclasses that matter";

/// The rules for a list of classes, or for a comma-separated string.
pub(super) fn rules(reader: &mut Reader<'_>, value: &Value<'_>) -> RuleList {
    let mut rules = RuleList::default();
    let mut has_types = false;
    let items = if value.is_list() { value.items() } else { vec![value.clone()] };
    for item in &items {
        let Some(text) = reader.text(item) else { continue };
        for class in text.split(',').map(str::trim).filter(|class| !class.is_empty()) {
            let rule = rule(class);
            if !rules.add(&rule) {
                let message = format!("`{}` is not a class name", excerpt(class));
                reader.invalid_with_hint(item, message, "write the name with dots");
            }
            has_types |= rule != "any";
        }
    }
    if has_types {
        reader.unsupported_part(value, "subclasses", SUBCLASSES);
    }
    rules
}

/// `Exception` and `Throwable` become `any`. The `$` of an inner class becomes a dot.
fn rule(class: &str) -> String {
    let class = class.strip_suffix(".class").unwrap_or(class);
    match class.strip_prefix("java.lang.").unwrap_or(class) {
        "Exception" | "Throwable" => "any".to_owned(),
        _ if is_unambiguous_type(class) => class.replace('$', "."),
        _ => format!("type:{class}"),
    }
}

/// A single word in one case could be another rule, such as `timeout`.
fn is_unambiguous_type(class: &str) -> bool {
    let capital = class.starts_with(|first: char| first.is_uppercase());
    class.contains(['.', '$']) || (capital && class.contains(char::is_lowercase))
}
