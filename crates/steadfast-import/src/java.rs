//! Classes of exceptions as rules.
//!
//! A rule by type names one type. In Java a class stands for its subclasses, too, and
//! nothing in a file says which those are, so that is said wherever classes are read.

use super::new_policy::RuleList;
use super::reader::Reader;
use super::value::Value;

const SUBCLASSES: &str = "a rule names one type, not its subclasses; add those that matter";

/// The rules for a list of classes: a list, or a text with commas.
pub(super) fn rules(reader: &mut Reader<'_>, value: &Value<'_>) -> RuleList {
    let mut rules = RuleList::default();
    let mut by_name = false;
    let items = if value.is_list() { value.items() } else { vec![value.clone()] };
    for item in &items {
        let Some(text) = reader.text(item) else { continue };
        for class in text.split(',').map(str::trim).filter(|class| !class.is_empty()) {
            let rule = rule(class);
            if !rules.add(&rule) {
                let message =
                    format!("`{}` is not the name of a class", super::names::shown(class));
                reader.wrong_but(item, message, "write its name with dots");
            }
            by_name |= rule != "any";
        }
    }
    if by_name {
        reader.lose_what(value, "the subclasses of these classes", SUBCLASSES);
    }
    rules
}

/// The classes that stand for every exception are `any`. An inner class has dots here.
fn rule(class: &str) -> String {
    let class = class.strip_suffix(".class").unwrap_or(class);
    match class.strip_prefix("java.lang.").unwrap_or(class) {
        "Exception" | "Throwable" => "any".to_owned(),
        _ if is_surely_type(class) => class.replace('$', "."),
        _ => format!("type:{class}"),
    }
}

/// A word in small letters, or in capitals, could be another rule, such as `timeout`.
fn is_surely_type(class: &str) -> bool {
    let capital = class.starts_with(|first: char| first.is_uppercase());
    class.contains(['.', '$']) || (capital && class.contains(char::is_lowercase))
}
