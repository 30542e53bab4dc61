//! The `google.rpc.RetryInfo` in the details of a gRPC status.
//!
//! The details are a protobuf message, of which one field matters. This reads just that:
//! `google.rpc.Status { details: [Any { type_url, value: RetryInfo { retry_delay: Duration } }] }`.
//! Anything else is skipped, and bytes that are not protobuf give no delay.

use std::time::Duration;

/// The field numbers of the messages.
const STATUS_DETAILS: u64 = 3;
const ANY_TYPE_URL: u64 = 1;
const ANY_VALUE: u64 = 2;
const RETRY_DELAY: u64 = 1;
const DURATION_SECONDS: u64 = 1;
const DURATION_NANOS: u64 = 2;

const RETRY_INFO: &[u8] = b"google.rpc.RetryInfo";

/// The delay of the first `RetryInfo`.
pub(super) fn retry_delay(status_details: &[u8]) -> Option<Duration> {
    let details = Fields(status_details).filter(|field| field.number == STATUS_DETAILS);
    let retry_info = details.filter_map(|field| field.value.bytes()).find_map(retry_info)?;
    duration(last(retry_info, RETRY_DELAY)?.bytes()?)
}

/// The value of an `Any` that is a `RetryInfo`. The type is what follows the last slash of its URL.
fn retry_info(any: &[u8]) -> Option<&[u8]> {
    let type_url = last(any, ANY_TYPE_URL)?.bytes()?;
    let name = type_url.rsplit(|byte| *byte == b'/').next();
    if name != Some(RETRY_INFO) {
        return None;
    }
    last(any, ANY_VALUE)?.bytes()
}

/// A duration that is neither negative nor out of range.
fn duration(message: &[u8]) -> Option<Duration> {
    let integer = |number| last(message, number).map_or(Some(0), Value::varint);
    let seconds = i64::try_from(integer(DURATION_SECONDS)?).ok()?;
    let nanos = u32::try_from(integer(DURATION_NANOS)?).ok()?;
    (nanos < 1_000_000_000).then(|| Duration::new(seconds.unsigned_abs(), nanos))
}

/// The last value of a field, which counts if there are several.
fn last(message: &[u8], number: u64) -> Option<Value<'_>> {
    Fields(message).filter(|field| field.number == number).last().map(|field| field.value)
}

struct Field<'b> {
    number: u64,
    value: Value<'b>,
}

#[derive(Clone, Copy)]
enum Value<'b> {
    Varint(u64),
    Bytes(&'b [u8]),
    Fixed,
}

impl<'b> Value<'b> {
    fn varint(self) -> Option<u64> {
        if let Self::Varint(number) = self { Some(number) } else { None }
    }

    fn bytes(self) -> Option<&'b [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }
}

/// The fields of a message, up to the first that is invalid.
struct Fields<'b>(&'b [u8]);

impl<'b> Iterator for Fields<'b> {
    type Item = Field<'b>;

    fn next(&mut self) -> Option<Field<'b>> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Value::Varint(self.varint()?),
            1 => self.bytes(8).map(|_| Value::Fixed)?,
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Value::Bytes(self.bytes(length)?)
            }
            5 => self.bytes(4).map(|_| Value::Fixed)?,
            _ => return None,
        };
        Some(Field { number: key >> 3, value })
    }
}

impl<'b> Fields<'b> {
    fn bytes(&mut self, length: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A number in groups of seven bits, the lowest first, in at most ten bytes.
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    /// A length-delimited field.
    fn message(number: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
        bytes.extend(content);
        bytes
    }

    fn any(type_url: &str, value: &[u8]) -> Vec<u8> {
        message(3, &[message(1, type_url.as_bytes()), message(2, value)].concat())
    }

    fn status(duration: &[u8]) -> Vec<u8> {
        let code_and_text = [&[0x08, 14][..], &message(2, b"busy")].concat();
        let other = any("type.googleapis.com/google.rpc.DebugInfo", &message(1, b"stack"));
        let retry_info = any("type.googleapis.com/google.rpc.RetryInfo", &message(1, duration));
        [code_and_text, other, retry_info].concat()
    }

    /// J6: the delay, with its seconds, its nanoseconds or neither.
    #[test]
    fn delay_is_read_from_details() {
        let cases: [(&[u8], Option<Duration>); 5] = [
            (&[0x08, 5], Some(Duration::from_secs(5))),
            (&[0x08, 0x96, 0x01, 0x10, 7], Some(Duration::new(150, 7))),
            (&[], Some(Duration::ZERO)),
            (&[0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], None),
            (&[0x10, 0x80, 0x94, 0xeb, 0xdc, 0x03], None),
        ];
        for (duration, delay) in cases {
            assert_eq!(retry_delay(&status(duration)), delay, "{duration:x?}");
        }
    }

    #[test]
    fn details_without_retry_info_give_no_delay() {
        let foreign = any("example.com/RetryInfo", &message(1, &[0x08, 5]));
        for details in [&[][..], &[0x08, 14], &foreign, b"not protobuf", &[0xff; 40]] {
            assert_eq!(retry_delay(details), None, "{details:x?}");
        }
    }

    /// J6: truncated anywhere, the details give the delay or none, and no panic.
    #[test]
    fn truncated_details_give_no_delay() {
        let details = status(&[0x08, 5]);
        for length in 0..details.len() {
            assert_eq!(retry_delay(details.get(..length).unwrap()), None);
        }
    }
}
