//! A transaction that is restarted as a whole after a serialization failure or a deadlock.
//!
//! `cargo run --example sqlx_transaction --features sqlx`

use steadfast::Policy;
use steadfast::layer::sqlx::transaction;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pool = sqlx::SqlitePool::connect("sqlite::memory:").await?;
    sqlx::query("CREATE TABLE account (balance INTEGER)").execute(&pool).await?;
    let policy = Policy::sql().max_attempts(5).build()?;
    let rows = transaction(&pool, &policy, async |mut tx| {
        sqlx::query("INSERT INTO account VALUES (100)").execute(&mut *tx).await?;
        sqlx::query("UPDATE account SET balance = balance - 1").execute(&mut *tx).await
    });
    println!("{} row changed", rows.await?.rows_affected());
    Ok(())
}
