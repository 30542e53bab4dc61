//! J11: a union.

use steadfast::Fault;

#[derive(Fault)]
union Bits {
    whole: u32,
    half: u16,
}

fn main() {}
