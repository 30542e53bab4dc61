//! J11: an error without `Display`.

use steadfast::Fault;

#[derive(Fault)]
#[fault(kind = "timeout")]
struct Silent;

fn main() {}
