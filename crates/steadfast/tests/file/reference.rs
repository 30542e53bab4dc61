//! The reference in `docs/policy-file.md`: what it lists is what the code has.
//!
//! The tables between markers are written from the code. A test that fails says what to put there.

use std::fmt::Write;

use steadfast::fault::Family;
use steadfast::judge::{Rule, Rules, judge};
use steadfast::policy::{Draft, FIELDS, Field, FieldKind, PRESETS};
use steadfast::{Class, Fault, Kind, duration};

const GUIDE: &str = include_str!("../../../../docs/policy-file.md");

/// What stands between the markers of this name.
fn between(name: &str) -> &'static str {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (_, from) = GUIDE.split_once(&begin).unwrap_or_else(|| panic!("there is no {begin}"));
    from.split_once(&end).unwrap_or_else(|| panic!("there is no {end}")).0
}

fn assert_written(name: &str, table: &str) {
    let same = between(name) == table;
    assert!(same, "put this between the markers `{name}` of docs/policy-file.md:\n{table}");
}

fn names(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn holds(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Bool => "`true`, `false`".to_owned(),
        FieldKind::Count(0) => "a whole number".to_owned(),
        FieldKind::Count(least) => format!("a whole number, at least {least}"),
        FieldKind::Number(least, most) if *most == f64::MAX => {
            format!("a number, at least {least}")
        }
        FieldKind::Number(least, most) => format!("a number from {least} to {most}"),
        FieldKind::Duration => "a duration".to_owned(),
        FieldKind::Text => "text".to_owned(),
        FieldKind::Name(all) => names(all),
        FieldKind::Jitter => "a name or a duration".to_owned(),
        FieldKind::Rules => "a list of rules".to_owned(),
        FieldKind::Durations => "a list of durations".to_owned(),
        FieldKind::Fields(_) => "the fields below".to_owned(),
        FieldKind::Classes => "fields by class".to_owned(),
        FieldKind::Stage => "a policy".to_owned(),
        other => panic!("say what {other:?} holds"),
    }
}

fn table(fields: &[Field]) -> String {
    let mut table = "\n| field | holds | what it is for |\n|---|---|---|\n".to_owned();
    for Field { name, kind, about, .. } in fields {
        writeln!(table, "| `{name}` | {} | {about} |", holds(kind)).unwrap();
    }
    table + "\n"
}

/// The fields of a part of a policy.
fn part(name: &str) -> &'static [Field] {
    match FIELDS.iter().find(|field| field.name == name).map(|field| &field.kind) {
        Some(FieldKind::Fields(fields)) => fields,
        other => panic!("{name} holds {other:?}"),
    }
}

/// P2: the reference has every field, with what it holds and its default.
#[test]
fn reference_lists_every_field() {
    assert_written("fields", &table(FIELDS));
    assert_written("breaker", &table(part("breaker")));
    assert_written("budget", &table(part("budget")));
}

/// P7: and which of them can differ by class.
#[test]
fn reference_lists_the_fields_by_class() {
    let fields: Vec<_> = FIELDS.iter().filter(|field| field.by_class).map(|f| f.name).collect();
    assert_written("by-class", &format!("\n{}\n\n", names(&fields)));
}

/// P6: the reference has every preset, with the delays that it makes.
#[test]
fn reference_lists_every_preset() {
    let mut table = "\n| preset | attempts | delays before jitter |\n|---|---|---|\n".to_owned();
    for name in PRESETS {
        let policy = Draft::preset(name).unwrap().build().unwrap();
        let plan = policy.plan().skip(1);
        let delays: Vec<_> = plan.map(|retry| duration::format(retry.delay)).collect();
        writeln!(table, "| `{name}` | {} | {} |", policy.max_attempts(), delays.join(", "))
            .unwrap();
    }
    assert_written("presets", &(table + "\n"));
}

const FAMILIES: [(Family, &str); 6] = [
    (Family::Timeout, "`timeout`"),
    (Family::Connection, "`connection`"),
    (Family::Pool, "`pool`"),
    (Family::Tls, "`tls`"),
    (Family::Request, "`request`"),
    (Family::Other, ""),
];

/// J4, J5, J7, J10: the reference has every kind that a rule can name, and its class.
#[test]
fn reference_lists_every_kind() {
    let retried = |kind: &Kind| judge(&Rules::DEFAULT, &Fault::of(*kind)).class() != Class::Final;
    let of = |family: Family, again: bool| {
        let kinds = Kind::ALL.iter().filter(|kind| kind.family() == family);
        kinds.filter(|kind| retried(kind) == again).map(|kind| kind.name()).collect::<Vec<_>>()
    };
    let mut table = "\n| family | retried by default | not retried |\n|---|---|---|\n".to_owned();
    for (family, name) in FAMILIES {
        let (again, not) = (names(&of(family, true)), names(&of(family, false)));
        writeln!(table, "| {name} | {again} | {not} |").unwrap();
    }
    assert_written("kinds", &(table + "\n"));
}

/// J10: every form of a rule that the reference shows is one.
#[test]
fn every_rule_in_the_reference_parses() {
    let rows = between("rules").lines().filter_map(|row| row.strip_prefix("| `"));
    let cells: Vec<_> = rows.filter_map(|row| row.split(" | ").next()).collect();
    assert!(cells.len() >= 10, "{cells:?}");
    for rule in cells.iter().flat_map(|cell| cell.split(", ")) {
        let rule = rule.trim_matches('`').replace("TEXT", "busy").replace("NAME", "Error");
        assert!(Rule::is_rule(&rule), "{rule}");
    }
}

/// P2: every spelling of a duration that the reference shows is one.
#[test]
fn every_duration_in_the_reference_parses() {
    let shown = between("durations").split('`').skip(1).step_by(2);
    let wrong: Vec<_> = shown.clone().filter(|text| duration::parse(text).is_err()).collect();
    assert!(wrong.is_empty() && shown.count() >= 8, "{wrong:?}");
}
