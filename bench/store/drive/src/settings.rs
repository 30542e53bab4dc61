//! The settings of a peer, `NAME=VALUE` on the command line. The others have the peer's defaults.

use anyhow::{Context, Result, bail};

/// The settings of one run.
#[derive(Debug, Clone, Default)]
pub struct Settings(Vec<(String, String)>);

impl Settings {
    /// Parses arguments of the form `NAME=VALUE`.
    ///
    /// # Errors
    /// An argument has no `=`.
    pub fn parse(words: &[&str]) -> Result<Self> {
        let pair = |word: &&str| {
            let (name, value) =
                word.split_once('=').with_context(|| format!("`{word}`: expected NAME=VALUE"))?;
            Ok((name.to_owned(), value.to_owned()))
        };
        words.iter().map(pair).collect::<Result<_>>().map(Settings)
    }

    /// Rejects settings that the peer does not have: a misspelt one would silently be measured with
    /// the default.
    ///
    /// # Errors
    /// A setting is not among the `known` ones.
    pub fn allow_only(&self, known: &[&str]) -> Result<()> {
        match self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => {
                bail!("unknown setting `{name}`: expected one of {}", known.join(", "))
            }
        }
    }

    /// The value of a setting.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of a numeric setting.
    ///
    /// # Errors
    /// The value is not a number, or out of range for the type.
    pub fn number<T: TryFrom<u64>>(&self, name: &str) -> Result<Option<T>> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let number: Option<T> = value.parse().ok().and_then(|number: u64| number.try_into().ok());
        number.map(Some).with_context(|| format!("{name}={value}: not a number, or out of range"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_is_parsed_as_the_requested_type() {
        let settings = Settings::parse(&["batch=100", "finish=delete"]).unwrap();
        assert_eq!(settings.number::<usize>("batch").unwrap(), Some(100));
        assert_eq!(settings.get("finish"), Some("delete"));
        assert_eq!(settings.number::<usize>("poll").unwrap(), None);
    }

    #[test]
    fn number_out_of_range_is_rejected() {
        let settings = Settings::parse(&["batch=100000"]).unwrap();
        let error = settings.number::<u16>("batch").unwrap_err().to_string();
        assert_eq!(error, "batch=100000: not a number, or out of range");
    }

    #[test]
    fn misspelt_setting_is_rejected() {
        let settings = Settings::parse(&["bacth=100"]).unwrap();
        let error = settings.allow_only(&["batch", "poll"]).unwrap_err().to_string();
        assert_eq!(error, "unknown setting `bacth`: expected one of batch, poll");
        assert!(Settings::parse(&["batch"]).is_err());
    }
}
