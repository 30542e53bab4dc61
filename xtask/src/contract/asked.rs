//! What `cargo xtask contract` was asked for: on which store, and the rest for schemathesis.
//!
//! Statements are written twice, once for each engine. An API that keeps its word on one of them
//! may answer with a database's own error on the other.

use steadfast_testing::postgres::Database;

use crate::run::Failure;
use crate::unknown;

const STORE: &str = "--store";
const NAMES: [&str; 2] = ["sqlite", "postgres"];

/// The engine that is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Engine {
    Sqlite,
    Postgres,
}

impl Engine {
    /// A new and empty store.
    pub(super) fn store(self) -> Result<Store, Failure> {
        if self == Self::Sqlite {
            return Ok(Store::Memory);
        }
        eprintln!("    making a database on PostgreSQL");
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

/// A store that is gone together with this.
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

/// What was asked for.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) engine: Engine,
    pub(super) rest: Vec<String>,
}

impl Asked {
    pub(super) fn read(arguments: &[String]) -> Result<Self, Failure> {
        let mut asked = Self { engine: Engine::Sqlite, rest: Vec::new() };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let name = match word.strip_prefix(STORE) {
                Some("") => words.next().map(String::as_str),
                Some(rest) => rest.strip_prefix('='),
                None => {
                    asked.rest.push(word.clone());
                    continue;
                }
            };
            asked.engine = Engine::named(name.ok_or_else(which)?)?;
        }
        Ok(asked)
    }
}

fn which() -> Failure {
    Failure::usage("which store?".to_owned(), format!("there is {}", NAMES.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Asked, String> {
        let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
        Asked::read(&words).map_err(|failure| failure.to_string())
    }

    #[test]
    fn the_store_is_ours_and_the_rest_is_for_schemathesis() {
        let rest = vec!["--seed".to_owned(), "7".to_owned()];
        let on = |engine| Ok(Asked { engine, rest: rest.clone() });
        assert_eq!(read(&["--seed", "7"]), on(Engine::Sqlite));
        assert_eq!(read(&["--seed", "7", "--store", "postgres"]), on(Engine::Postgres));
        assert_eq!(read(&["--store=postgres", "--seed", "7"]), on(Engine::Postgres));
        assert_eq!(read(&["--store=sqlite", "--seed", "7"]), on(Engine::Sqlite));
    }

    #[test]
    fn an_unknown_store_is_refused_before_anything_is_built() {
        assert!(read(&["--store", "postgre"]).unwrap_err().contains("did you mean `postgres`?"));
        assert!(read(&["--store"]).unwrap_err().contains("there is sqlite, postgres"));
    }

    #[test]
    fn each_search_has_a_store_of_its_own() {
        assert_eq!(Engine::Sqlite.store().unwrap().url(), "sqlite::memory:");
        let (one, other) = (Engine::Postgres.store().unwrap(), Engine::Postgres.store().unwrap());
        assert!(one.url().starts_with("postgres") && one.url() != other.url());
    }
}
