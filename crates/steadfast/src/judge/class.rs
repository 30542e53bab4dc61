//! The classes of faults.

use crate::named_enum::named_enum;

named_enum! {
    /// The class of a fault. A `match` covers all four: code that treats a class it does not know like
    /// another one would repeat what must not be repeated.
    ///
    /// ```
    /// assert_eq!(steadfast::Class::RateLimited.name(), "rate_limited");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(description = "The class of a fault."))]
    pub enum Class by name {
        /// A retry cannot succeed.
        Final = "final",
        /// A retry may succeed after the backoff.
        Retryable = "retryable",
        /// The other side throttles: the retry waits for its hint, or else for the backoff.
        RateLimited = "rate_limited",
        /// The request may have taken effect; a retry is safe only if the operation is safe to repeat.
        UnknownOutcome = "unknown_outcome",
    }
}

impl Class {
    /// All classes, in order.
    pub const ALL: [Self; 4] =
        [Self::Final, Self::Retryable, Self::RateLimited, Self::UnknownOutcome];
}
