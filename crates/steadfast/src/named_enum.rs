//! Enums whose variants have names: in JSON, files, rows and logs.

/// Declares an enum and the name of each variant. The method after `by` returns the name; serde and
/// `Display` write it.
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident by $method:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $name:tt,)*
        }
    ) => {
        $(#[$meta])*
        pub enum $enum {
            $($(#[$variant_meta])* #[cfg_attr(feature = "serde", serde(rename = $name))] $variant,)*
        }

        impl $enum {
            /// Its name in JSON, files, rows and logs.
            #[must_use]
            pub const fn $method(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.$method().fmt(f)
            }
        }
    };
}

pub(crate) use named_enum;
