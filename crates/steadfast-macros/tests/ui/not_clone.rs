//! An argument that there is only one of.

use steadfast::retry;

struct Ticket;

#[retry]
fn enter(ticket: Ticket) -> std::io::Result<()> {
    drop(ticket);
    Ok(())
}

fn main() {}
