//! J11: an error has words of its own.

use steadfast::Fault;

#[derive(Fault)]
#[fault(kind = "timeout")]
struct Silent;

fn main() {}
