//! An argument that cannot be cloned.

use steadfast::retry;

struct Ticket;

#[retry]
fn enter(ticket: Ticket) -> std::io::Result<()> {
    drop(ticket);
    Ok(())
}

fn main() {}
