//! Deserialization of structs from objects only.
//!
//! By default serde also reads a struct from a list of its fields. No client means that in JSON, and
//! no schema allows it, so a mistake would be accepted silently.

use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// A deserializer that reads structs from objects only.
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

/// Implements serde's traits for structs with `#[serde(remote = "Self")]`, reading from objects only.
#[doc(hidden)]
#[macro_export]
macro_rules! __read_from_objects {
    ($($object:ty),+ $(,)?) => {$(
        impl<'de> ::serde::Deserialize<'de> for $object {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> ::std::result::Result<Self, D::Error> {
                <$object>::deserialize($crate::__private::Object(from))
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

    /// K4: a list is rejected in place of an object, at any depth.
    #[test]
    fn list_in_place_of_an_object_is_rejected() {
        for json in ["[null]", r#"{"causes": [[null]]}"#] {
            let error = serde_json::from_str::<Fault>(json).unwrap_err().to_string();
            assert!(error.starts_with("invalid type: sequence, expected struct Fault"), "{error}");
        }
        let valid: Fault = serde_json::from_str(r#"{"causes": [{"exit_code": 1.0}]}"#).unwrap();
        assert_eq!(valid.causes, [Fault::exit(1)]);
    }
}
