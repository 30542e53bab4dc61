//! J11: invalid attributes.

use steadfast::Fault;

#[derive(Fault)]
#[fault(http = 503)]
enum Wrong {
    #[fault(knd = "timeout")]
    Misspelled,
    #[fault(http = 99)]
    Status,
    #[fault(exit = "75")]
    Exit,
    #[fault(hint = "soon")]
    Hint,
    #[fault(http)]
    Valueless,
    #[fault(http = 500, http = 501)]
    Twice,
    #[fault(http = stats)]
    Field { status: u16 },
    #[fault(http = status)]
    Unnamed(u16),
    #[fault(transparent)]
    Two(u16, u16),
    Causes(#[source] std::io::Error, #[source] std::io::Error),
}

fn main() {}
