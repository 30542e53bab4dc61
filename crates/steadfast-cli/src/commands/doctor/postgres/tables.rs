//! The store's tables: what is dead in them, and whether anybody clears it away.

use std::time::Duration;

use steadfast_store::health::{Numbers, PostgresHealth, Seen, Server, Table};

use crate::commands::doctor::finding::Finding;
use crate::commands::doctor::units::{MINUTE, long, size};

/// Fewer dead rows are gone before anybody would notice.
const DEAD: u64 = 100_000;
/// So many are not left even by a busy store between two visits of autovacuum.
const HELD_BACK: u64 = 1_000_000;
/// Autovacuum comes every minute to a table that needs it.
const VISITED: Duration = MINUTE.saturating_mul(10);
/// Of two thousand million transaction numbers.
const MANY_NUMBERS: u64 = 1_000_000_000;
const TOO_MANY_NUMBERS: u64 = 1_600_000_000;

pub(in crate::commands::doctor) fn judged(own: &PostgresHealth) -> Vec<Finding> {
    vec![
        autovacuum(&own.server, &own.tables),
        Finding::of("dead rows", &own.tables, |tables| dead_rows(tables)),
        Finding::of("numbers", &own.numbers, numbers),
    ]
}

fn autovacuum(server: &Seen<Server>, tables: &Seen<Vec<Table>>) -> Finding {
    Finding::of("autovacuum", server, |server| {
        if !server.autovacuum {
            return Finding::warning("autovacuum", "it is off: dead rows pile up").advise(
                "switch it on:",
                [
                    "ALTER SYSTEM SET autovacuum = on;",
                    "ALTER SYSTEM SET track_counts = on;",
                    "SELECT pg_reload_conf();",
                ],
            );
        }
        Finding::of("autovacuum", tables, |tables| left_out(tables))
    })
}

fn left_out(tables: &[Table]) -> Finding {
    let out: Vec<&str> =
        tables.iter().filter(|table| !table.autovacuum).map(|table| &*table.name).collect();
    if out.is_empty() {
        return Finding::ok("autovacuum", "it is on");
    }
    let told = format!("it is told to leave out {}: dead rows pile up there", out.join(", "));
    let run = out.iter().map(|table| format!("ALTER TABLE {table} RESET (autovacuum_enabled);"));
    Finding::warning("autovacuum", told)
        .advise("let it come again:", run.collect::<Vec<_>>())
        .fact("left_out", out)
}

fn dead_rows(tables: &[Table]) -> Finding {
    let Some(table) = tables.iter().find(|table| is_bloated(table)) else {
        let most = tables.iter().map(|table| table.dead).max().unwrap_or_default();
        return Finding::ok("dead rows", format!("{most} at most in one table")).fact("most", most);
    };
    let Table { name, live, dead, bytes, vacuumed, .. } = table;
    let visited = vacuumed.map_or_else(
        || "it was never vacuumed".to_owned(),
        |ago| format!("it was vacuumed {} ago", long(ago)),
    );
    let told = format!("{name} has {dead} dead rows beside {live} in {}; {visited}", size(*bytes));
    let finding = Finding::warning("dead rows", told)
        .fact("table", name.as_str())
        .fact("live", *live)
        .fact("dead", *dead)
        .fact("bytes", *bytes);
    let vacuum = [format!("VACUUM (VERBOSE, ANALYZE) {name};")];
    match vacuumed {
        Some(ago) if *ago < VISITED => finding.advise(
            "something keeps them: see transactions, prepared and slots above; end that, and then",
            vacuum,
        ),
        _ => finding.advise("clear them away, and see why autovacuum does not:", vacuum),
    }
}

fn is_bloated(table: &Table) -> bool {
    let seldom = table.vacuumed.is_none_or(|ago| ago >= VISITED);
    table.dead > table.live && (table.dead >= HELD_BACK || table.dead >= DEAD && seldom)
}

fn numbers(numbers: &Numbers) -> Finding {
    let Numbers { age, freeze_at } = *numbers;
    let told = format!("{age} transaction numbers are in use, of 2147483647");
    let finding = match age {
        age if age >= TOO_MANY_NUMBERS => Finding::problem(
            "numbers",
            format!("{told}: near the end the server takes no more writes"),
        ),
        age if age >= MANY_NUMBERS || age >= freeze_at.saturating_mul(2) => {
            Finding::warning("numbers", format!("{told}: vacuum does not keep up"))
        }
        _ => return Finding::ok("numbers", told).fact("age", age),
    };
    finding.fact("age", age).advise(
        "end what holds vacuum back (transactions, prepared, slots above), and then, as an \
         administrator:",
        ["VACUUM (FREEZE, VERBOSE);"],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::finding::Mark;

    fn table(live: u64, dead: u64, vacuumed: Option<u64>) -> Table {
        Table {
            name: "steadfast.ready".to_owned(),
            live,
            dead,
            bytes: 64 << 20,
            vacuumed: vacuumed.map(Duration::from_secs),
            autovacuum: true,
        }
    }

    #[test]
    fn dead_rows_are_judged_by_how_many_and_since_when() {
        let mark = |table| dead_rows(&[table]).mark;
        assert_eq!(mark(table(0, 50_000, None)), Mark::Ok);
        assert_eq!(mark(table(0, 200_000, Some(60))), Mark::Ok, "a busy store between two visits");
        assert_eq!(mark(table(500_000, 200_000, None)), Mark::Ok, "more is alive than dead");
        assert_eq!(mark(table(0, 200_000, None)), Mark::Warning);
        let held = dead_rows(&[table(0, 2_000_000, Some(60))]);
        assert_eq!(held.mark, Mark::Warning);
        assert!(held.next[0].say.starts_with("something keeps them"));
    }

    #[test]
    fn a_table_that_is_left_out_is_named() {
        let left = left_out(&[Table { autovacuum: false, ..table(0, 0, None) }]);
        assert_eq!(left.mark, Mark::Warning);
        assert_eq!(left.next[0].run, ["ALTER TABLE steadfast.ready RESET (autovacuum_enabled);"]);
    }

    #[test]
    fn transaction_numbers_run_out_slowly() {
        let mark = |age| numbers(&Numbers { age, freeze_at: 200_000_000 }).mark;
        assert_eq!(mark(150_000_000), Mark::Ok);
        assert_eq!(mark(400_000_000), Mark::Warning);
        assert_eq!(mark(1_700_000_000), Mark::Problem);
    }
}
