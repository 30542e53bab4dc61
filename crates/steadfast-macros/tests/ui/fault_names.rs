//! J11: unknown names and codes.

use steadfast::Fault;

#[derive(Fault)]
enum Wrong {
    #[fault(kind = "timout")]
    Kind,
    #[fault(grpc = "UNAVAILBLE")]
    Grpc,
    #[fault(sqlstate = "4")]
    SqlState,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

fn main() {}
