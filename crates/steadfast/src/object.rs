//! Objects, and nothing else in their place.
//!
//! serde takes a list for a struct, too: its fields one after the other. Nobody means that who
//! sends JSON, and no schema says so; what was a slip would be half understood.

use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// Reads structs from objects alone. For the first step of a `Deserialize` that is derived.
#[derive(Debug)]
pub struct Object<D>(pub D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Object<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Has structs with `#[serde(remote = "Self")]` read from objects alone.
#[doc(hidden)]
#[macro_export]
macro_rules! read_from_objects {
    ($($object:ty),+ $(,)?) => {$(
        impl<'de> ::serde::Deserialize<'de> for $object {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> ::std::result::Result<Self, D::Error> {
                <$object>::deserialize($crate::object::Object(from))
            }
        }

        impl ::serde::Serialize for $object {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> ::std::result::Result<S::Ok, S::Error> {
                <$object>::serialize(self, to)
            }
        }
    )+};
}

#[cfg(test)]
mod tests {
    use crate::Fault;

    /// K4: a list is no object, however deep it is.
    #[test]
    fn a_list_is_no_object() {
        for json in ["[null]", r#"{"causes": [[null]]}"#] {
            let refused = serde_json::from_str::<Fault>(json).unwrap_err().to_string();
            assert!(
                refused.starts_with("invalid type: sequence, expected struct Fault"),
                "{refused}"
            );
        }
        let sound: Fault = serde_json::from_str(r#"{"causes": [{"exit_code": 1.0}]}"#).unwrap();
        assert_eq!(sound.causes, [Fault::exit(1)]);
    }
}
