//! A database clock that can be advanced.
//!
//! Time is the database's: no instance asks its own machine what time it is when it decides what
//! is due. So to let two weeks pass, one gives the database another `now()`. This does it for one
//! database, by a schema that its sessions look into before the server's own; nobody who connects
//! can tell.

use sqlx::{Connection as _, PgConnection};

use crate::Problem;

const SET_UP: &str = "
    CREATE SCHEMA clock;
    CREATE TABLE clock.hands (ahead interval NOT NULL);
    INSERT INTO clock.hands VALUES ('0');
    CREATE FUNCTION clock.now() RETURNS timestamptz STABLE LANGUAGE sql
        AS 'SELECT pg_catalog.now() + ahead FROM clock.hands';
    CREATE FUNCTION clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql
        AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM clock.hands';
    DO $$ BEGIN
        EXECUTE format('ALTER DATABASE %I SET search_path = clock, pg_catalog, public', current_database());
    END $$";

/// The clock of one database.
#[derive(Debug)]
pub struct Clock(PgConnection);

impl Clock {
    /// Gives a database a clock of its own. Whoever is to go by it connects later.
    ///
    /// # Errors
    /// The database cannot be reached, or is not ours.
    pub async fn of(database: &str) -> Result<Self, Problem> {
        let mut connection = PgConnection::connect(database).await?;
        sqlx::raw_sql(SET_UP).execute(&mut connection).await?;
        Ok(Self(connection))
    }

    /// So many days pass.
    ///
    /// # Errors
    /// The database failed.
    pub async fn put_forward(&mut self, days: i32) -> Result<(), Problem> {
        let forward = "UPDATE clock.hands SET ahead = ahead + make_interval(days => $1)";
        sqlx::query(forward).bind(days).execute(&mut self.0).await?;
        Ok(())
    }
}
