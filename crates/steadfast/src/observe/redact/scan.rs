//! A linear-time scanner for secrets in a text.
//!
//! | pattern | redacted |
//! |---|---|
//! | `scheme://user:secret@host` | the password, or the only name before the `@` of an `http` one |
//! | `name=…`, `name: …`, `"name": …`, `name%3D…`, `--name …`, `<name>…` of a [secret](names) | the value |
//! | `Authorization: …`, `Cookie: …` | all of it, to the end of the line or of the quote |
//! | `Bearer …`, `Basic …` | what follows |
//! | `eyJ….….…`, a JSON web token | all of it |
//!
//! Every match counts, also within the value of another, and the union is redacted: a stray quote
//! before a secret cannot hide it. In doubt, the scanner redacts more rather than less.

use std::borrow::Cow;

use super::MASK;
use super::names;
use super::text::{Text, is_blank, is_quote, is_space, is_word};

const MAX_PASSES: usize = 4;

/// The limit of work on nested values, as a multiple of the text's length.
const MAX_WORK_FACTOR: usize = 16;

/// The redacted text; `extra` are further names, in normal form.
///
/// Passes repeat until nothing changes, so that redaction is idempotent. A text that keeps changing
/// is masked as a whole.
pub(super) fn clean<'t>(text: &'t str, extra: &[String]) -> Cow<'t, str> {
    let Some(mut left) = pass(text, extra) else {
        return Cow::Borrowed(text);
    };
    for _ in 1..MAX_PASSES {
        match pass(&left, extra) {
            Some(changed) if changed != left => left = changed,
            _ => return Cow::Owned(left),
        }
    }
    Cow::Borrowed(MASK)
}

/// One pass: the text with its matches masked, if there are any.
fn pass(text: &str, extra: &[String]) -> Option<String> {
    let mut walk = Walk {
        text: Text(text),
        extra,
        found: Vec::new(),
        work: text.len().saturating_mul(MAX_WORK_FACTOR),
        authority: 0,
        run: None,
    };
    let mut at = 0;
    while at < text.len() {
        at = walk.step(at);
    }
    walk.masked()
}

struct Walk<'t, 'e> {
    text: Text<'t>,
    extra: &'e [String],
    found: Vec<(usize, usize)>,
    work: usize,
    /// The end of a URL's authority, whose `host:port` is not a name and value.
    authority: usize,
    /// The end of the last scanned run without blanks, and its last `@`.
    run: Option<(usize, Option<usize>)>,
}

impl Walk<'_, '_> {
    /// The masked text. Adjacent ranges, and those with only blanks between, get one mask.
    fn masked(mut self) -> Option<String> {
        if self.found.is_empty() {
            return None;
        }
        self.found.sort_unstable();
        let mut out = String::with_capacity(self.text.0.len());
        let mut copied = 0;
        for (from, to) in self.found {
            let between = self.text.slice(copied, from.max(copied));
            if copied == 0 || !between.bytes().all(is_blank) {
                out.push_str(between);
                out.push_str(MASK);
            }
            copied = copied.max(to);
        }
        out.push_str(self.text.slice(copied, self.text.0.len()));
        Some(out)
    }

    fn redact(&mut self, from: usize, to: usize) {
        if from < to {
            self.found.push((from, to));
        }
    }

    /// Scans the token at an offset. Returns the next offset.
    fn step(&mut self, at: usize) -> usize {
        match self.text.byte(at) {
            Some(byte) if is_word(byte) => self.word(at),
            Some(b':') => {
                self.url(at);
                at + 1
            }
            _ => at + 1,
        }
    }

    fn word(&mut self, at: usize) -> usize {
        let end = self.text.skip(at, is_word);
        let word = self.text.slice(at, end);
        if let Some((value, separator)) = self.separator(at, end)
            && names::is_secret(word, self.extra)
        {
            let to = self.value(at, value, separator);
            self.work = self.work.saturating_sub(to - value);
            if self.work == 0 {
                self.redact(value, self.text.0.len());
                return self.text.0.len();
            }
        } else if is_scheme(word) {
            self.credentials(word, end);
        } else if word.starts_with("eyJ") && self.text.byte(end) == Some(b'.') {
            let to = self.text.skip(end, |byte| is_word(byte) || byte == b'.');
            self.redact(at, to);
            // Its last word may be a name: `eyJ….token=…`.
            let last = self.text.slice(end, to).rfind('.').map_or(0, |dot| dot + 1);
            return end + last;
        }
        end
    }

    /// The start of a name's value, and the separator.
    fn separator(&self, name: usize, end: usize) -> Option<(usize, u8)> {
        let text = self.text;
        let mut at = end;
        let before = self.before(name);
        let closing = text.quote(end).filter(|quote| Some(quote.mark) == before);
        if let Some(quote) = closing {
            at = quote.inside;
        }
        // `user[password]=`, `env["PASSWORD"] =`, `user%5Bpassword%5D=`
        if text.byte(at) == Some(b']') {
            at += 1;
        } else if text.starts_with(at, "%5D") {
            at += 3;
        }
        let blanks = at;
        at = text.skip_blanks(at);
        let separator = text.byte(at)?;
        let after = match separator {
            b'=' => text.skip(at, |byte| matches!(byte, b'=' | b'>')),
            b':' if name < self.authority || text.starts_with(at, "::") => return None,
            b':' if slashes(text, at + 1).is_some() => return None,
            b':' => text.skip(at + 1, |byte| byte == b'='),
            b'>' if before == Some(b'<') => at + 1,
            b',' if closing.is_some() => at + 1,
            b'%' if text.starts_with(at, "%3D") || text.starts_with(at, "%3d") => at + 3,
            // `--password hunter2`
            _ if at > blanks && text.byte(name) == Some(b'-') => return Some((at, b' ')),
            _ => return None,
        };
        Some((text.skip_blanks(after), separator))
    }

    /// Redacts the value of a secret. Returns its end.
    fn value(&mut self, name: usize, from: usize, separator: u8) -> usize {
        let text = self.text;
        if let Some(quote) = text.quote(from) {
            let end = text.quote_end(quote);
            self.redact(quote.inside, end);
            return end;
        }
        let word = text.slice(name, text.skip(name, is_word));
        let end = match separator {
            b':' if names::is_header(word) => self.header_end(name, from),
            b'%' => self.encoded_end(from),
            _ => self.plain_end(from),
        };
        if !is_null(text.slice(from, end)) {
            self.redact(from, end);
        }
        end
    }

    /// The value of a header extends to the end of the line, or of the quote around it.
    fn header_end(&self, name: usize, from: usize) -> usize {
        let quote = self.before(name).filter(|byte| is_quote(*byte));
        let continues = |byte| !matches!(byte, b'\r' | b'\n') && Some(byte) != quote;
        let end = self.text.skip(from, continues);
        from + self.text.slice(from, end).trim_end_matches('\\').len()
    }

    /// The value of `token%3Dabc%26…`, which is encoded like its name.
    fn encoded_end(&self, from: usize) -> usize {
        let end = self.plain_end(from);
        self.text.slice(from, end).find("%26").map_or(end, |next| from + next)
    }

    /// The value, and the credentials after it if it is only their scheme.
    fn plain_end(&self, from: usize) -> usize {
        let end = self.text.value_end(from);
        let next = self.text.skip_blanks(end);
        if next > end && is_scheme(self.text.slice(from, end)) {
            return self.text.value_end(next);
        }
        end
    }

    /// Redacts the credentials after `Bearer` or `Basic`, unless they are a plain word.
    fn credentials(&mut self, scheme: &str, end: usize) {
        let from = self.text.skip_blanks(end);
        let to = self.text.skip(from, |byte| !is_space(byte) && !is_quote(byte) && byte != b',');
        if from > end && is_credential(scheme, self.text.slice(from, to)) {
            self.redact(from, to);
        }
    }

    /// Redacts the password of a URL whose `://` is here.
    fn url(&mut self, at: usize) -> Option<()> {
        let text = self.text;
        let from = slashes(text, at + 1)?;
        let end = text.skip(from, |byte| !matches!(byte, b'/' | b'?' | b'#') && !ends_run(byte));
        let authority = text.slice(from, end);
        let colon = authority.find(':').map(|colon| from + colon);
        if let Some(host) = authority.rfind('@').map(|host| from + host) {
            self.authority = end;
            match colon.filter(|colon| *colon < host) {
                Some(colon) => self.redact(colon + 1, host),
                None if self.is_http(at) => self.redact(from, host),
                None => {}
            }
            return Some(());
        }
        let colon = colon.filter(|_| !authority.starts_with('['))?;
        let last_at_sign = self.last_at_sign(end).filter(|host| *host > end);
        match last_at_sign {
            // `http://host:80/@name`
            _ if is_port(text.slice(colon + 1, end))
                && (self.is_http(at) || last_at_sign.is_none()) =>
            {
                self.authority = end;
            }
            // A password that should have been encoded, and was not: `user:pass/word@host`.
            Some(host) => self.redact(colon + 1, host),
            None => {}
        }
        Some(())
    }

    fn is_http(&self, colon: usize) -> bool {
        ["http", "https"].iter().any(|scheme| {
            let from = colon.checked_sub(scheme.len());
            from.is_some_and(|from| self.text.slice(from, colon).eq_ignore_ascii_case(scheme))
        })
    }

    /// The last `@` of the run without blanks at this offset. Each run is scanned once.
    fn last_at_sign(&mut self, from: usize) -> Option<usize> {
        if let Some((end, found)) = self.run
            && from <= end
        {
            return found;
        }
        let end = self.text.skip(from, |byte| !ends_run(byte));
        let found = self.text.slice(from, end).rfind('@').map(|at| from + at);
        self.run = Some((end, found));
        found
    }

    fn before(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|before| self.text.byte(before))
    }
}

/// The end of `//`, escaped or not, if it is here.
fn slashes(text: Text<'_>, at: usize) -> Option<usize> {
    ["//", "\\/\\/"].iter().find(|both| text.starts_with(at, both)).map(|both| at + both.len())
}

/// Whether the byte ends a URL.
fn ends_run(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b'"' | b'`' | b'<' | b'>')
}

fn is_port(text: &str) -> bool {
    (1..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_scheme(word: &str) -> bool {
    ["bearer", "basic"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Whether the text after a scheme is a credential and not a word of a sentence.
fn is_credential(scheme: &str, word: &str) -> bool {
    const PLAIN: &[&str] = &[
        "token",
        "tokens",
        "auth",
        "authentication",
        "authorization",
        "scheme",
        "header",
        "realm",
        "error",
    ];
    let name = word.split(|letter: char| !letter.is_ascii_alphanumeric()).next();
    if PLAIN.iter().any(|plain| name.is_some_and(|name| name.eq_ignore_ascii_case(plain))) {
        return false;
    }
    // `Basic` is an English word, too; encoded credentials hardly are.
    let encoded = |byte: u8| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'+' | b'/' | b'=')
    };
    scheme.eq_ignore_ascii_case("bearer") || word.bytes().skip(1).any(encoded)
}

/// Whether the value means "none".
fn is_null(value: &str) -> bool {
    ["null", "none", "nil", "undefined"].iter().any(|nothing| value.eq_ignore_ascii_case(nothing))
}
