//! A database clock that can be advanced.
//!
//! Time is the database's: no instance uses its machine's clock to decide what is due. So the demo
//! replaces `now()` to let two weeks pass. It does so for one database, by a schema that precedes the
//! server's own in the search path of its sessions; clients need no change.

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
    /// Gives a database its own clock. It applies to sessions that connect later.
    ///
    /// # Errors
    /// The database cannot be reached, or changing it is not permitted.
    pub async fn of(database: &str) -> Result<Self, Problem> {
        let mut connection = PgConnection::connect(database).await?;
        sqlx::raw_sql(SET_UP).execute(&mut connection).await?;
        Ok(Self(connection))
    }

    /// Advances the clock by this number of days.
    ///
    /// # Errors
    /// The database failed.
    pub async fn advance(&mut self, days: i32) -> Result<(), Problem> {
        let forward = "UPDATE clock.hands SET ahead = ahead + make_interval(days => $1)";
        sqlx::query(forward).bind(days).execute(&mut self.0).await?;
        Ok(())
    }
}
