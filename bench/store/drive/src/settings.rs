//! Settings of a peer: `NAME=VALUE` on the command line; the peer's own defaults otherwise.

use anyhow::{Context, Result, bail};

/// The settings of one run.
#[derive(Debug, Clone, Default)]
pub struct Settings(Vec<(String, String)>);

impl Settings {
    /// Reads `NAME=VALUE` words.
    pub fn parse(words: &[&str]) -> Result<Self> {
        let pair = |word: &&str| {
            let (name, value) = word
                .split_once('=')
                .with_context(|| format!("«{word}» is not a setting: NAME=VALUE"))?;
            Ok((name.to_owned(), value.to_owned()))
        };
        words.iter().map(pair).collect::<Result<_>>().map(Settings)
    }

    /// Refuses what a peer does not know, for a misspelt setting would be measured as
    /// a default.
    pub fn expect(&self, known: &[&str]) -> Result<()> {
        match self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => bail!("no setting is called «{name}», only: {}", known.join(", ")),
        }
    }

    /// A setting as it is written.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A setting that is a number of whatever type the peer wants.
    pub fn number<T: TryFrom<u64>>(&self, name: &str) -> Result<Option<T>> {
        let Some(word) = self.word(name) else { return Ok(None) };
        let number: Option<T> = word.parse().ok().and_then(|number: u64| number.try_into().ok());
        number.map(Some).with_context(|| format!("{name}={word} is not a number that it takes"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_read_as_the_peer_wants_it() {
        let settings = Settings::parse(&["batch=100", "finish=delete"]).unwrap();
        assert_eq!(settings.number::<usize>("batch").unwrap(), Some(100));
        assert_eq!(settings.word("finish"), Some("delete"));
        assert_eq!(settings.number::<usize>("poll").unwrap(), None);
    }

    #[test]
    fn a_setting_that_is_out_of_range_is_refused() {
        let settings = Settings::parse(&["batch=100000"]).unwrap();
        let refusal = settings.number::<u16>("batch").unwrap_err().to_string();
        assert_eq!(refusal, "batch=100000 is not a number that it takes");
    }

    #[test]
    fn a_misspelt_setting_is_refused() {
        let settings = Settings::parse(&["bacth=100"]).unwrap();
        let refusal = settings.expect(&["batch", "poll"]).unwrap_err().to_string();
        assert_eq!(refusal, "no setting is called «bacth», only: batch, poll");
        assert!(Settings::parse(&["batch"]).is_err());
    }
}
