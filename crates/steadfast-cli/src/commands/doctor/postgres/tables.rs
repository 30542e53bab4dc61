//! Table checks: autovacuum, dead rows, transaction id wraparound.

use std::time::Duration;

use steadfast_store::health::{Fact, Numbers, PostgresHealth, Server, Table};

use crate::commands::doctor::finding::{Finding, Verdict};
use crate::commands::doctor::units::{MINUTE, long, size};

/// Fewer dead rows do not matter.
const WARN_DEAD_ROWS: u64 = 100_000;
/// More than a busy store has between two autovacuum runs.
const WARN_DEAD_ROWS_DESPITE_VACUUM: u64 = 1_000_000;
/// Autovacuum visits a table that needs it every minute.
const RECENT_VACUUM: Duration = MINUTE.saturating_mul(10);
/// Out of 2^31 transaction ids.
const WARN_TRANSACTION_AGE: u64 = 1_000_000_000;
const PROBLEM_TRANSACTION_AGE: u64 = 1_600_000_000;

pub(in crate::commands::doctor) fn check(own: &PostgresHealth) -> Vec<Finding> {
    vec![
        Finding::of("autovacuum", &own.server, |server| autovacuum(server, &own.tables)),
        Finding::of("dead rows", &own.tables, |tables| dead_rows(tables)),
        Finding::of("numbers", &own.numbers, numbers),
    ]
}

fn autovacuum(server: &Server, tables: &Fact<Vec<Table>>) -> Verdict {
    if server.autovacuum {
        return Verdict::of(tables, |tables| disabled_tables(tables));
    }
    Verdict::warning("autovacuum is off: dead rows accumulate").advise(
        "turn it on:",
        [
            "ALTER SYSTEM SET autovacuum = on;",
            "ALTER SYSTEM SET track_counts = on;",
            "SELECT pg_reload_conf();",
        ],
    )
}

fn disabled_tables(tables: &[Table]) -> Verdict {
    let out: Vec<&str> =
        tables.iter().filter(|table| !table.autovacuum).map(|table| &*table.name).collect();
    if out.is_empty() {
        return Verdict::ok("on");
    }
    let found = format!("disabled for {}: dead rows accumulate there", out.join(", "));
    let run = out.iter().map(|table| format!("ALTER TABLE {table} RESET (autovacuum_enabled);"));
    Verdict::warning(found)
        .advise("enable it again:", run.collect::<Vec<_>>())
        .fact("left_out", out)
}

fn dead_rows(tables: &[Table]) -> Verdict {
    let Some(table) = tables.iter().find(|table| is_bloated(table)) else {
        let most = tables.iter().map(|table| table.dead).max().unwrap_or_default();
        return Verdict::ok(format!("at most {most} in one table")).fact("most", most);
    };
    let Table { name, live, dead, bytes, vacuumed, .. } = table;
    let visited = vacuumed.map_or_else(
        || "never vacuumed".to_owned(),
        |ago| format!("last vacuumed {} ago", long(ago)),
    );
    let found =
        format!("{name} has {dead} dead and {live} live rows in {}; {visited}", size(*bytes));
    let verdict = Verdict::warning(found)
        .fact("table", name.as_str())
        .fact("live", *live)
        .fact("dead", *dead)
        .fact("bytes", *bytes);
    let vacuum = [format!("VACUUM (VERBOSE, ANALYZE) {name};")];
    match vacuumed {
        Some(ago) if *ago < RECENT_VACUUM => verdict.advise(
            "something prevents their removal: see transactions, prepared and slots above; fix it, then run",
            vacuum,
        ),
        _ => verdict.advise("remove them, and find out why autovacuum does not:", vacuum),
    }
}

fn is_bloated(table: &Table) -> bool {
    let seldom = table.vacuumed.is_none_or(|ago| ago >= RECENT_VACUUM);
    table.dead > table.live
        && (table.dead >= WARN_DEAD_ROWS_DESPITE_VACUUM || table.dead >= WARN_DEAD_ROWS && seldom)
}

fn numbers(numbers: &Numbers) -> Verdict {
    let Numbers { age, freeze_at } = *numbers;
    let found = format!("{age} of 2147483647 transaction ids in use");
    let verdict = match age {
        age if age >= PROBLEM_TRANSACTION_AGE => Verdict::problem(format!(
            "{found}: close to the limit, where the server stops accepting writes"
        )),
        age if age >= WARN_TRANSACTION_AGE || age >= freeze_at.saturating_mul(2) => {
            Verdict::warning(format!("{found}: vacuum is falling behind"))
        }
        _ => return Verdict::ok(found).fact("age", age),
    };
    verdict.fact("age", age).advise(
        "fix what blocks vacuum (transactions, prepared and slots above), then run as a \
         superuser:",
        ["VACUUM (FREEZE, VERBOSE);"],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::doctor::finding::Level;

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
    fn dead_rows_level_depends_on_count_and_last_vacuum() {
        let level = |table| dead_rows(&[table]).level;
        assert_eq!(level(table(0, 50_000, None)), Level::Ok);
        assert_eq!(
            level(table(0, 200_000, Some(60))),
            Level::Ok,
            "a busy store between two vacuums"
        );
        assert_eq!(level(table(500_000, 200_000, None)), Level::Ok, "more live than dead rows");
        assert_eq!(level(table(0, 200_000, None)), Level::Warning);
        let held = dead_rows(&[table(0, 2_000_000, Some(60))]);
        assert_eq!(held.level, Level::Warning);
        assert!(held.next[0].say.starts_with("something prevents their removal"));
    }

    #[test]
    fn table_without_autovacuum_is_named() {
        let left = disabled_tables(&[Table { autovacuum: false, ..table(0, 0, None) }]);
        assert_eq!(left.level, Level::Warning);
        assert_eq!(left.next[0].run, ["ALTER TABLE steadfast.ready RESET (autovacuum_enabled);"]);
    }

    #[test]
    fn transaction_id_level_rises_with_age() {
        let level = |age| numbers(&Numbers { age, freeze_at: 200_000_000 }).level;
        assert_eq!(level(150_000_000), Level::Ok);
        assert_eq!(level(400_000_000), Level::Warning);
        assert_eq!(level(1_700_000_000), Level::Problem);
    }
}
