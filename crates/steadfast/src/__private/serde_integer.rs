//! Deserialization of integers that accepts `2.0` for 2.
//!
//! JSON has one number type, and some languages write 2 as `2.0`. JSON Schema and OpenAPI call that an
//! integer; serde does not. For `#[serde(deserialize_with = "…")]` on input from any language.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// 2⁵³: up to it an `f64` represents every integer exactly.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Reads an integer.
///
/// # Errors
/// The value is not an integer, or out of range.
pub fn deserialize<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i128>,
{
    from.deserialize_i64(IntegerVisitor(PhantomData))
}

/// The same for an optional integer.
pub mod option {
    use super::{Deserialize, Deserializer, Integer};

    /// Reads an integer or null.
    ///
    /// # Errors
    /// The value is present and not an integer, or out of range.
    pub fn deserialize<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: TryFrom<i128>,
    {
        Ok(Option::<Integer<T>>::deserialize(from)?.map(|Integer(number)| number))
    }
}

struct Integer<T>(T);

impl<'de, T: TryFrom<i128>> Deserialize<'de> for Integer<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        deserialize(from).map(Self)
    }
}

struct IntegerVisitor<T>(PhantomData<T>);

impl<T: TryFrom<i128>> IntegerVisitor<T> {
    fn fitting<E: Error>(&self, number: i128, given: Unexpected<'_>) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::invalid_value(given, self))
    }
}

impl<T: TryFrom<i128>> Visitor<'_> for IntegerVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(type_name::<T>())
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.fitting(number.into(), Unexpected::Signed(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.fitting(number.into(), Unexpected::Unsigned(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        let given = Unexpected::Float(number);
        match number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER {
            true => self.fitting(number as i128, given),
            false => Err(E::invalid_type(given, &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: TryFrom<i128>>(json: &str) -> Result<T, String> {
        let integer = serde_json::from_str::<Integer<T>>(json);
        integer.map(|Integer(number)| number).map_err(|error| error.to_string())
    }

    /// H1: 2.0 is the integer 2, and 2.5 is not an integer.
    #[test]
    fn integer_with_zero_fraction_is_accepted() {
        assert_eq!((read("2"), read("2.0"), read("-2e0")), (Ok(2_u16), Ok(2_u32), Ok(-2_i16)));
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(read("-9223372036854775808"), Ok(i64::MIN));
    }

    /// K4: the error names the expected type.
    #[test]
    fn non_integer_is_rejected_with_the_expected_type() {
        for (json, expected) in [
            ("2.5", "invalid type: floating point `2.5`, expected u16"),
            ("65536", "invalid value: integer `65536`, expected u16"),
            ("-1", "invalid value: integer `-1`, expected u16"),
            ("1e300", "invalid type: floating point `1e+300`, expected u16"),
            ("\"2\"", "invalid type: string \"2\", expected u16"),
        ] {
            let error = read::<u16>(json).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
