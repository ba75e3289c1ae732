//! The key with which programs use the API.

use std::fmt;

use recall_core::ContentHash;

/// The fewest characters of a key. 16 random characters cannot be guessed over a network.
const LEAST: usize = 16;

/// The most characters of a key.
const MOST: usize = 256;

/// A key, as its hash. The key itself is not kept.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(ContentHash);

/// A text is not a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// It is too short or too long.
    #[error("the key has {length} characters; it must have {LEAST} to {MOST}")]
    Length {
        /// Its length.
        length: usize,
    },
    /// It has characters that a header cannot carry.
    #[error("the key has spaces or characters outside of ASCII")]
    Characters,
}

impl ApiKey {
    /// Reads a key: visible characters of ASCII.
    ///
    /// # Errors
    /// It has other characters, or too few or too many.
    pub fn new(text: &str) -> Result<Self, KeyError> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(KeyError::Characters);
        }
        if !(LEAST..=MOST).contains(&text.len()) {
            return Err(KeyError::Length { length: text.len() });
        }
        Ok(Self(ContentHash::hash(text.as_bytes())))
    }

    /// Whether a given text is this key. Hashes are compared, so that the time taken tells nothing about the key.
    pub(crate) fn is(&self, given: &str) -> bool {
        ContentHash::hash(given.as_bytes()) == self.0
    }
}

/// Shows nothing of the key.
impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_long_and_fits_into_a_header() {
        for (text, expected) in [
            ("", Some(KeyError::Length { length: 0 })),
            ("0123456789abcde", Some(KeyError::Length { length: 15 })),
            ("0123456789abcdef", None),
            ("0123456789 abcdef", Some(KeyError::Characters)),
            ("0123456789\nabcdef", Some(KeyError::Characters)),
            ("0123456789äbcdef", Some(KeyError::Characters)),
        ] {
            assert_eq!(ApiKey::new(text).err(), expected, "{text}");
        }
        assert_eq!(ApiKey::new(&"x".repeat(MOST + 1)).err(), Some(KeyError::Length { length: MOST + 1 }));
    }

    #[test]
    fn a_key_is_not_shown() {
        let key = ApiKey::new("0123456789abcdef").expect("a key");
        assert_eq!(format!("{key:?}"), "ApiKey");
        assert!(key.is("0123456789abcdef") && !key.is("0123456789abcdeF") && !key.is(""));
    }
}
