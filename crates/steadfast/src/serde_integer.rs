//! Whole numbers, however JSON spells them.
//!
//! JSON has one sort of number, and a program that knows no other than floating-point ones
//! writes 2 as `2.0`. JSON Schema, and with it OpenAPI, calls that an integer; serde does not.
//! For `#[serde(deserialize_with = "…")]` on what programs in any language send.

use std::any::type_name;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Beyond this, floating-point numbers leave integers out.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads one.
///
/// # Errors
/// It is no whole number, or one that does not fit.
pub fn deserialize<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i128>,
{
    from.deserialize_i64(Spellings(PhantomData))
}

/// The same for one that need not be there.
pub mod option {
    use super::{Deserialize, Deserializer, Whole};

    /// Reads one, or nothing.
    ///
    /// # Errors
    /// It is there and no whole number, or one that does not fit.
    pub fn deserialize<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
    where
        D: Deserializer<'de>,
        T: TryFrom<i128>,
    {
        Ok(Option::<Whole<T>>::deserialize(from)?.map(|Whole(number)| number))
    }
}

struct Whole<T>(T);

impl<'de, T: TryFrom<i128>> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        deserialize(from).map(Self)
    }
}

struct Spellings<T>(PhantomData<T>);

impl<T: TryFrom<i128>> Spellings<T> {
    fn fitting<E: Error>(&self, number: i128, given: Unexpected<'_>) -> Result<T, E> {
        T::try_from(number).map_err(|_| E::invalid_value(given, self))
    }
}

impl<T: TryFrom<i128>> Visitor<'_> for Spellings<T> {
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
        match number.fract() == 0.0 && number.abs() <= EXACT {
            true => self.fitting(number as i128, given),
            false => Err(E::invalid_type(given, &self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: TryFrom<i128>>(json: &str) -> Result<T, String> {
        let whole = serde_json::from_str::<Whole<T>>(json);
        whole.map(|Whole(number)| number).map_err(|error| error.to_string())
    }

    /// H1: 2.0 is the integer 2, and 2.5 is none.
    #[test]
    fn a_whole_number_may_be_spelled_with_a_fraction_of_nothing() {
        assert_eq!((read("2"), read("2.0"), read("-2e0")), (Ok(2_u16), Ok(2_u32), Ok(-2_i16)));
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(read("-9223372036854775808"), Ok(i64::MIN));
    }

    /// K4: what does not fit is told with what would.
    #[test]
    fn what_is_no_such_number_is_refused_with_what_would_be() {
        for (json, words) in [
            ("2.5", "invalid type: floating point `2.5`, expected u16"),
            ("65536", "invalid value: integer `65536`, expected u16"),
            ("-1", "invalid value: integer `-1`, expected u16"),
            ("1e300", "invalid type: floating point `1e+300`, expected u16"),
            ("\"2\"", "invalid type: string \"2\", expected u16"),
        ] {
            let refused = read::<u16>(json).unwrap_err();
            assert!(refused.starts_with(words), "{refused}");
        }
    }
}
