//! The name that was probably meant.

pub(crate) use steadfast::nearest;
pub(crate) use steadfast_api::nearest_in_serde_error as in_refusal;

#[cfg(test)]
mod tests {
    use super::*;

    /// F2: a near miss for unknown names, and only a near one.
    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        assert_eq!(nearest("sqll", ["grpc", "sql"]), Some("sql"));
        assert_eq!(nearest("flow", ["workflow", "sql"]), None);
    }
}
