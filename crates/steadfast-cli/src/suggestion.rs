//! Suggestions for misspelled names.

pub(crate) use steadfast::nearest;
pub(crate) use steadfast_api::nearest_in_serde_error as in_refusal;

#[cfg(test)]
mod tests {
    use super::*;

    /// F2: only a close name is suggested.
    #[test]
    fn only_a_close_name_is_suggested() {
        assert_eq!(nearest("sqll", ["grpc", "sql"]), Some("sql"));
        assert_eq!(nearest("flow", ["workflow", "sql"]), None);
    }
}
