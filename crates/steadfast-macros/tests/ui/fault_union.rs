//! J11: nobody knows what a union holds.

use steadfast::Fault;

#[derive(Fault)]
union Bits {
    whole: u32,
    half: u16,
}

fn main() {}
