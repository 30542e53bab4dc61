//! Arguments of `cargo xtask contract`: the store, and the rest for schemathesis.
//!
//! Each engine has its own SQL statements, so the API is tested on both.

use steadfast_testing::postgres::Database;

use crate::run::Failure;
use crate::unknown;

const STORE: &str = "--store";
const NAMES: [&str; 2] = ["sqlite", "postgres"];

/// The engine under test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    /// Creates an empty store.
    pub(super) fn store(self) -> Result<Store, Failure> {
        if self == Self::Sqlite {
            return Ok(Store::Memory);
        }
        eprintln!("    creating a PostgreSQL database");
        let database = Database::fresh();
        let database = database.map_err(|error| Failure::plain(error.what(), error.next()))?;
        Ok(Store::Database(database))
    }

    fn named(name: &str) -> Result<Self, Failure> {
        match name {
            "sqlite" => Ok(Self::Sqlite),
            "postgres" => Ok(Self::Postgres),
            _ => Err(unknown("store", name, NAMES.into_iter())),
        }
    }
}

/// A temporary store, removed on drop.
pub(super) enum Store {
    Memory,
    Database(Database),
}

impl Store {
    pub(super) fn url(&self) -> &str {
        match self {
            Self::Memory => "sqlite::memory:",
            Self::Database(database) => database.url(),
        }
    }
}

/// Parsed arguments.
#[derive(Debug, PartialEq)]
pub(super) struct Arguments {
    pub(super) engine: Engine,
    pub(super) rest: Vec<String>,
}

impl Arguments {
    pub(super) fn read(arguments: &[String]) -> Result<Self, Failure> {
        let mut parsed = Self { engine: Engine::Sqlite, rest: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let name = match word.strip_prefix(STORE) {
                Some("") => words.next().map(String::as_str),
                Some(rest) => rest.strip_prefix('='),
                None => {
                    parsed.rest.push(word.clone());
                    continue;
                }
            };
            parsed.engine = Engine::named(name.ok_or_else(missing_store)?)?;
        }
        Ok(parsed)
    }
}

fn missing_store() -> Failure {
    Failure::usage("--store needs a value".to_owned(), format!("pass one of {}", NAMES.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Arguments, String> {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        Arguments::read(&words).map_err(|failure| failure.to_string())
    }

    #[test]
    fn flags_other_than_store_are_passed_on() {
        let rest = vec!["--seed".to_owned(), "7".to_owned()];
        let on = |engine| Ok(Arguments { engine, rest: rest.clone() });
        assert_eq!(read(&["--seed", "7"]), on(Engine::Sqlite));
        assert_eq!(read(&["--seed", "7", "--store", "postgres"]), on(Engine::Postgres));
        assert_eq!(read(&["--store=postgres", "--seed", "7"]), on(Engine::Postgres));
        assert_eq!(read(&["--store=sqlite", "--seed", "7"]), on(Engine::Sqlite));
    }

    #[test]
    fn unknown_store_is_rejected() {
        assert!(read(&["--store", "postgre"]).unwrap_err().contains("did you mean `postgres`?"));
        assert!(read(&["--store"]).unwrap_err().contains("pass one of sqlite, postgres"));
    }

    #[test]
    fn each_run_gets_its_own_store() {
        assert_eq!(Engine::Sqlite.store().unwrap().url(), "sqlite::memory:");
        let (one, other) = (Engine::Postgres.store().unwrap(), Engine::Postgres.store().unwrap());
        assert!(one.url().starts_with("postgres") && one.url() != other.url());
    }
}
