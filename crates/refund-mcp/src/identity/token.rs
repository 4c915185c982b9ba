//! The secret that a client of the HTTP server presents, and what is kept of it.

use std::fmt;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// What is kept of a token: its SHA-256.
#[derive(Clone, Copy)]
pub(crate) struct TokenHash([u8; 32]);

impl TokenHash {
    /// Of a token as it is presented.
    pub(crate) fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// Reads 64 hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut hash = [0; 32];
        if text.len() != hash.len() * 2 {
            return None;
        }
        for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let digits = std::str::from_utf8(digits).ok()?;
            // `from_str_radix` takes a sign.
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            *byte = u8::from_str_radix(digits, 16).ok()?;
        }
        Some(Self(hash))
    }

    /// Whether both are of one token. Takes the same time whatever the answer is.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Display for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Of no use to anybody who reads it in a log, but nobody needs it there.
impl fmt::Debug for TokenHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenHash(…)")
    }
}

/// A new token: 256 random bits. It is shown to a person once, and kept nowhere.
pub(crate) struct NewToken(String);

impl NewToken {
    /// So that a token is known for one where it turns up.
    const PREFIX: &'static str = "rmcp_";

    /// From the system's source of randomness.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut secret = [0_u8; 32];
        getrandom::fill(&mut secret)?;
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(format!("{}{digits}", Self::PREFIX)))
    }

    /// The text to hand to the client.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept.
    pub(crate) fn hash(&self) -> TokenHash {
        TokenHash::of(&self.0)
    }
}

impl fmt::Debug for NewToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NewToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case R-160: tokens of any length are compared by what they hash to.
    #[test]
    fn a_token_is_known_by_its_hash() {
        let token = NewToken::random().unwrap();
        assert!(token.hash().is(&TokenHash::of(token.reveal())));
        let again = TokenHash::parse(&token.hash().to_string()).unwrap();
        assert!(again.is(&token.hash()));
        for other in [
            "",
            "rmcp_",
            &token.reveal()[1..],
            &format!("{} ", token.reveal()),
        ] {
            assert!(!token.hash().is(&TokenHash::of(other)), "{other:?}");
        }
        assert!(!NewToken::random().unwrap().hash().is(&token.hash()));
    }

    #[test]
    fn a_hash_is_64_hexadecimal_digits() {
        // The SHA-256 of nothing, from FIPS 180-4's test vectors.
        let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(TokenHash::of("").to_string(), nothing);
        assert!(
            TokenHash::parse(&nothing.to_uppercase())
                .unwrap()
                .is(&TokenHash::of(""))
        );
        for wrong in [
            "",
            "e3",
            &nothing[1..],
            &format!("{nothing}00"),
            &nothing.replace('e', "g"),
            &nothing.replace("e3", "+3"),
            &"é".repeat(32),
        ] {
            assert!(TokenHash::parse(wrong).is_none(), "{wrong}");
        }
        assert_eq!(format!("{:?}", TokenHash::of("")), "TokenHash(…)");
    }
}
