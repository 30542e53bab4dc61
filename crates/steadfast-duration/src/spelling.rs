//! The spellings of a duration: `1h 30m`, `2 days`, `PT1H30M`.
//!
//! Both are numbers with units, the longest unit first and each at most once; the last number may have
//! a fraction.

use std::time::Duration;

const UNKNOWN_FORMAT: &str = "unknown format";
const NO_FIXED_LENGTH: &str = "months and years differ in length";
const TOO_LONG: &str = "it is too long";

const NANOS_PER_SECOND: u128 = 1_000_000_000;
const MINUTE: u128 = 60 * NANOS_PER_SECOND;
const HOUR: u128 = 60 * MINUTE;
const DAY: u128 = 24 * HOUR;
const WEEK: u128 = 7 * DAY;

/// Reads the spelling of a duration, or says what is wrong with it.
pub(super) fn read(text: &str) -> Result<Duration, &'static str> {
    let (is_negative, unsigned) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let nanos = match unsigned.strip_prefix(['P', 'p']) {
        Some(rest) => iso_8601(rest)?,
        None => words(unsigned)?,
    };
    if is_negative && nanos > 0 {
        return Err("it is negative");
    }
    let seconds = u64::try_from(nanos / NANOS_PER_SECOND).map_err(|_| TOO_LONG)?;
    Ok(Duration::new(seconds, (nanos % NANOS_PER_SECOND) as u32))
}

/// `1h 30m`, `2 days, 3 hours`.
fn words(text: &str) -> Result<u128, &'static str> {
    let mut sum = Sum::default();
    let mut rest = text;
    loop {
        let (number, after) = number(rest)?;
        let (name, after) = split_where(after.trim_start(), |char| !char.is_alphabetic());
        sum.add(number, unit(name)?)?;
        let after = after.trim_start();
        if after.is_empty() {
            return Ok(sum.nanos);
        }
        rest = after.strip_prefix(',').unwrap_or(after).trim_start();
    }
}

/// The nanoseconds of a unit.
fn unit(name: &str) -> Result<u128, &'static str> {
    Ok(match name {
        "y" | "yr" | "yrs" | "year" | "years" => return Err(NO_FIXED_LENGTH),
        "mo" | "mos" | "month" | "months" => return Err(NO_FIXED_LENGTH),
        "w" | "wk" | "wks" | "week" | "weeks" => WEEK,
        "d" | "day" | "days" => DAY,
        "h" | "hr" | "hrs" | "hour" | "hours" => HOUR,
        "m" | "min" | "mins" | "minute" | "minutes" => MINUTE,
        "s" | "sec" | "secs" | "second" | "seconds" => NANOS_PER_SECOND,
        "ms" | "msec" | "msecs" | "milli" | "millis" | "millisecond" | "milliseconds" => 1_000_000,
        "us" | "µs" | "μs" | "usec" | "usecs" | "µsec" | "µsecs" | "μsec" | "μsecs" => 1_000,
        "micro" | "micros" | "microsecond" | "microseconds" => 1_000,
        "ns" | "nsec" | "nsecs" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => 1,
        _ => return Err(UNKNOWN_FORMAT),
    })
}

/// `PT30S`, `P1DT12H`, after the `P`.
fn iso_8601(text: &str) -> Result<u128, &'static str> {
    let mut sum = Sum::default();
    let mut rest = text;
    let mut is_time = false;
    loop {
        if !is_time && let Some(time) = rest.strip_prefix(['T', 't']) {
            (is_time, rest) = (true, time);
        }
        let (number, after) = number(rest)?;
        let mut chars = after.chars();
        let designator = chars.next().map(|char| char.to_ascii_uppercase());
        sum.add(number, iso_8601_unit(designator, is_time)?)?;
        rest = chars.as_str();
        if rest.is_empty() {
            return Ok(sum.nanos);
        }
    }
}

fn iso_8601_unit(designator: Option<char>, is_time: bool) -> Result<u128, &'static str> {
    match (designator, is_time) {
        (Some('Y' | 'M'), false) => Err(NO_FIXED_LENGTH),
        (Some('W'), false) => Ok(WEEK),
        (Some('D'), false) => Ok(DAY),
        (Some('H'), true) => Ok(HOUR),
        (Some('M'), true) => Ok(MINUTE),
        (Some('S'), true) => Ok(NANOS_PER_SECOND),
        _ => Err(UNKNOWN_FORMAT),
    }
}

/// The sum of numbers whose units become shorter.
#[derive(Default)]
struct Sum {
    nanos: u128,
    /// The unit of the last number.
    last: Option<u128>,
    has_fraction: bool,
}

impl Sum {
    fn add(&mut self, number: Number, unit: u128) -> Result<(), &'static str> {
        let is_misplaced = self.has_fraction || self.last.is_some_and(|last| unit >= last);
        self.has_fraction = number.billionths.is_some();
        // A day may be meant as a calendar day, so it has no fraction; nor has a nanosecond.
        if is_misplaced || self.has_fraction && !(2..=HOUR).contains(&unit) {
            return Err(UNKNOWN_FORMAT);
        }
        self.last = Some(unit);
        let fraction = u128::from(number.billionths.unwrap_or(0)) * unit / NANOS_PER_SECOND;
        // 2⁶⁴ weeks in nanoseconds are below 2¹²⁸, and so is a sum of eight such terms.
        self.nanos += u128::from(number.whole) * unit + fraction;
        Ok(())
    }
}

struct Number {
    whole: u64,
    /// The fraction, if one is written.
    billionths: Option<u32>,
}

/// The number at the start of a text, and the rest of the text.
fn number(text: &str) -> Result<(Number, &str), &'static str> {
    let (digits, rest) = split_where(text, is_no_digit);
    if digits.is_empty() {
        return Err(UNKNOWN_FORMAT);
    }
    let whole = digits.parse().map_err(|_| TOO_LONG)?;
    let Some(fraction) = rest.strip_prefix(['.', ',']) else {
        return Ok((Number { whole, billionths: None }, rest));
    };
    let (digits, rest) = split_where(fraction, is_no_digit);
    if !matches!(digits.len(), 1..=9) {
        return Err(UNKNOWN_FORMAT);
    }
    let billionths = format!("{digits:0<9}").parse().map_err(|_| UNKNOWN_FORMAT)?;
    Ok((Number { whole, billionths: Some(billionths) }, rest))
}

fn is_no_digit(char: char) -> bool {
    !char.is_ascii_digit()
}

/// Splits a text before the first character that `ends` it.
fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}
