//! I8: unknown parameters, with suggestions.

use steadfast::retry;

#[retry(max_attemps = 4)]
fn misspelled() -> std::io::Result<()> {
    Ok(())
}

#[retry(on = 1, enabled)]
fn elsewhere() -> std::io::Result<()> {
    Ok(())
}

#[retry(instrumnet = recorder(), instrument)]
fn watched() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
