//! Task ids, and what they share with execution ids.

/// An id that is a UUID.
macro_rules! uuid_id {
    ($(#[$attribute:meta])* $id:ident, $unreadable:literal) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize,
        )]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String, format = "uuid"))]
        $(#[$attribute])*
        #[serde(transparent)]
        pub struct $id(uuid::Uuid);

        impl $id {
            /// A new unique id. Within a process, later ids are greater.
            #[must_use]
            pub fn fresh() -> Self {
                Self(uuid::Uuid::now_v7())
            }

            pub(crate) const fn uuid(self) -> uuid::Uuid {
                self.0
            }
        }

        impl From<uuid::Uuid> for $id {
            fn from(id: uuid::Uuid) -> Self {
                Self(id)
            }
        }

        impl<'de> serde::Deserialize<'de> for $id {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                use serde::de::Error as _;

                let text = <std::borrow::Cow<'de, str>>::deserialize(from)?;
                let unreadable = |_| D::Error::custom($unreadable);
                uuid::Uuid::try_parse(&text).map(Self).map_err(unreadable)
            }
        }

        impl std::str::FromStr for $id {
            type Err = $crate::error::InputError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let unreadable = |_| Self::Err::new("id", $unreadable);
                uuid::Uuid::try_parse(text).map(Self).map_err(unreadable)
            }
        }

        impl std::fmt::Display for $id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}
pub(crate) use uuid_id;

uuid_id! {
    /// The id of a task: a UUID of version 7, so that ids sort by their time of creation. The
    /// submitter creates it, so that a submission whose answer was lost can be repeated and stays
    /// one task.
    ///
    /// ```
    /// use steadfast_store::TaskId;
    ///
    /// let id = TaskId::fresh();
    /// assert_eq!(id.to_string().parse::<TaskId>()?, id);
    /// assert!("42".parse::<TaskId>().is_err());
    /// # Ok::<(), steadfast_store::InputError>(())
    /// ```
    #[cfg_attr(feature = "openapi", schema(description = "The id of a task."))]
    TaskId, "not a task id: expected a UUID"
}

impl TaskId {
    /// Whether it is a UUID of version 7.
    #[must_use]
    pub const fn is_version_7(self) -> bool {
        self.0.get_version_num() == 7
    }
}
