//! Texts that were checked once. Each type has one fallible constructor, and past it nobody checks
//! again. Types that hold personal data don't show it in `Debug`.

use unicode_normalization::UnicodeNormalization as _;

/// A text that is not what its type promises.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Fewer characters than the least.
    #[error("{what} has {length} characters; at least {least} are needed")]
    TooShort {
        /// What kind of text.
        what: &'static str,
        /// Characters (Unicode scalar values) found.
        length: usize,
        /// The least number.
        least: usize,
    },
    /// More characters than the most.
    #[error("{what} has {length} characters; at most {most} are allowed")]
    TooLong {
        /// What kind of text.
        what: &'static str,
        /// Characters (Unicode scalar values) found.
        length: usize,
        /// The greatest number.
        most: usize,
    },
    /// A character that does not belong there.
    #[error("{what} {rule}")]
    Form {
        /// What kind of text.
        what: &'static str,
        /// The rule it breaks, as the rest of a sentence.
        rule: &'static str,
    },
}

pub(crate) fn length(
    text: &str,
    what: &'static str,
    least: usize,
    most: usize,
) -> Result<(), TextError> {
    let length = text.chars().count();
    if length < least {
        Err(TextError::TooShort {
            what,
            length,
            least,
        })
    } else if length > most {
        Err(TextError::TooLong { what, length, most })
    } else {
        Ok(())
    }
}

pub(crate) fn no_control(text: &str, what: &'static str) -> Result<(), TextError> {
    if text.chars().any(char::is_control) {
        Err(TextError::Form {
            what,
            rule: "must not contain control characters",
        })
    } else {
        Ok(())
    }
}

fn visible_ascii(text: &str, what: &'static str) -> Result<(), TextError> {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(())
    } else {
        Err(TextError::Form {
            what,
            rule: "must consist of visible ASCII characters, without blanks",
        })
    }
}

macro_rules! text_type {
    ($(#[$docs:meta])* $name:ident, $debug:ident) => {
        $(#[$docs])*
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name(String);

        impl $name {
            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        $crate::text::text_type!(@debug $name, $debug);
    };
    (@debug $name:ident, shown) => {
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Debug::fmt(&self.0, f)
            }
        }
        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
    (@debug $name:ident, personal) => {
        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(concat!(stringify!($name), "(…)"))
            }
        }
    };
}

pub(crate) use text_type;

text_type!(
    /// Why a refund is made: 10 to 500 characters after trimming Unicode White_Space. Free text, so
    /// it may name a person and is treated as personal data.
    Reason,
    personal
);
text_type!(
    /// The caller's own name for one refund, reused when it retries: 1 to 255 visible ASCII
    /// characters (`docs/architecture.md`, retry-safe refunds).
    IdempotencyKey,
    shown
);
text_type!(
    /// Who calls: the token's name over HTTP, `--principal` over stdio. 1 to 64 visible ASCII
    /// characters.
    Principal,
    shown
);
text_type!(
    /// The name of a tool, `[a-z_]`, 1 to 64 characters.
    ToolName,
    shown
);
text_type!(
    /// A person's full name, 1 to 200 characters.
    PersonName,
    personal
);
text_type!(
    /// An e-mail address, up to 320 characters, with one `@` that has something on both sides and
    /// no blanks.
    EmailAddress,
    personal
);
text_type!(
    /// A telephone number as people write it, 1 to 40 characters.
    PhoneNumber,
    personal
);
text_type!(
    /// A company's name, 1 to 200 characters.
    CompanyName,
    personal
);
text_type!(
    /// The customer's number in another system, 1 to 64 visible ASCII characters.
    ExternalId,
    shown
);
text_type!(
    /// A BCP 47 language tag such as `en` or `ja-JP`, 2 to 35 characters.
    LanguageTag,
    shown
);

impl Reason {
    /// Fewest characters after trimming.
    pub const LEAST: usize = 10;
    /// Most characters after trimming.
    pub const MOST: usize = 500;

    /// Trims and checks.
    ///
    /// # Errors
    /// Fewer than 10 or more than 500 characters (Unicode scalar values) after trimming.
    pub fn new(text: &str) -> Result<Self, TextError> {
        let trimmed = text.trim();
        length(trimmed, "a reason", Self::LEAST, Self::MOST)?;
        Ok(Self(trimmed.to_owned()))
    }
}

impl IdempotencyKey {
    /// Most characters.
    pub const MOST: usize = 255;

    /// Checks.
    ///
    /// # Errors
    /// Empty, longer than 255, or a character outside `!` to `~`.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "an idempotency key";
        length(text, WHAT, 1, Self::MOST)?;
        visible_ascii(text, WHAT)?;
        Ok(Self(text.to_owned()))
    }
}

impl Principal {
    /// Checks.
    ///
    /// # Errors
    /// Empty, longer than 64, or a character outside `!` to `~`.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a principal";
        length(text, WHAT, 1, 64)?;
        visible_ascii(text, WHAT)?;
        Ok(Self(text.to_owned()))
    }
}

impl ToolName {
    /// A name that stands in this crate.
    pub(crate) fn of_this_program(name: &'static str) -> Self {
        Self(name.to_owned())
    }

    /// Checks.
    ///
    /// # Errors
    /// Empty, longer than 64, or a character outside `[a-z_]`.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a tool's name";
        length(text, WHAT, 1, 64)?;
        if text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        {
            Ok(Self(text.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must consist of a-z and _",
            })
        }
    }
}

impl PersonName {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 200, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a name", 200).map(Self)
    }
}

impl CompanyName {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 200, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a company", 200).map(Self)
    }
}

impl PhoneNumber {
    /// Trims and checks.
    ///
    /// # Errors
    /// Blank, longer than 40, or control characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        named(text, "a phone number", 40).map(Self)
    }
}

pub(crate) fn named(text: &str, what: &'static str, most: usize) -> Result<String, TextError> {
    let trimmed = text.trim();
    length(trimmed, what, 1, most)?;
    no_control(trimmed, what)?;
    Ok(trimmed.to_owned())
}

impl ExternalId {
    /// Checks.
    ///
    /// # Errors
    /// Empty, longer than 64, or a character outside `!` to `~`.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "an external id";
        length(text, WHAT, 1, 64)?;
        visible_ascii(text, WHAT)?;
        Ok(Self(text.to_owned()))
    }
}

impl LanguageTag {
    /// Checks the form, not the registry.
    ///
    /// # Errors
    /// Not 2 to 35 ASCII letters, digits and hyphens that begin with a letter.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "a language";
        length(text, WHAT, 2, 35)?;
        let letters = text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if letters && text.starts_with(|first: char| first.is_ascii_alphabetic()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must be a tag such as en or ja-JP",
            })
        }
    }
}

impl EmailAddress {
    /// Trims and checks. The spelling is kept as it came; see [`EmailAddress::key`] for comparing.
    ///
    /// # Errors
    /// No single `@` with text on both sides, blanks or control characters inside, or more than 320
    /// characters.
    pub fn new(text: &str) -> Result<Self, TextError> {
        const WHAT: &str = "an e-mail address";
        let trimmed = text.trim();
        length(trimmed, WHAT, 3, 320)?;
        no_control(trimmed, WHAT)?;
        let halves = trimmed.split_once('@');
        let sound = halves.is_some_and(|(local, domain)| {
            !local.is_empty() && !domain.is_empty() && !domain.contains('@')
        });
        if sound && !trimmed.contains(char::is_whitespace) {
            Ok(Self(trimmed.to_owned()))
        } else {
            Err(TextError::Form {
                what: WHAT,
                rule: "must be like name@example.com",
            })
        }
    }

    /// The form in which addresses are compared and kept unique: lower case, accents and letters put
    /// together (Unicode's NFC), with the domain in letters, not in punycode (`xn--…`), which is another
    /// spelling of the same domain. Look-alike characters stay different.
    #[must_use]
    pub fn key(&self) -> String {
        let (local, domain) = self.0.split_once('@').unwrap_or((&self.0, ""));
        let domain = domain_in_letters(domain).unwrap_or_else(|| lower_case(domain));
        format!("{}@{domain}", lower_case(&composed(local)))
    }
}

/// A domain as IDNA (UTS 46) writes it out; `None` for one that is plain or none at all, and for one in
/// letters of which IDNA would change more than case and composition: those are look-alikes.
fn domain_in_letters(domain: &str) -> Option<String> {
    /// Longest name in the domain name system.
    const LONGEST: usize = 253;
    let spelled = !domain.is_ascii() || domain.to_ascii_lowercase().contains("xn--");
    if !spelled {
        return None;
    }
    let (letters, result) = idna::domain_to_unicode(domain);
    if result.is_err() || letters.chars().count() > LONGEST {
        return None;
    }
    let composed: String = domain.nfc().flat_map(char::to_lowercase).collect();
    // The Kelvin sign composes to the letter K, too.
    let plain = |text: &str| text.chars().filter(char::is_ascii).count();
    let same = composed == letters && plain(&letters) <= plain(domain);
    (domain.is_ascii() || same).then_some(letters)
}

/// A letter and its accent are the same text in one character or in two. What would become a letter of
/// ASCII, such as the Kelvin sign, is a look-alike and stays itself.
fn composed(text: &str) -> String {
    let stays = |letter: char| {
        !letter.is_ascii() && std::iter::once(letter).nfc().any(|one| one.is_ascii())
    };
    let mut key = String::with_capacity(text.len());
    for piece in text.split_inclusive(stays) {
        let before = piece.strip_suffix(stays).unwrap_or(piece);
        key.extend(before.nfc());
        key.push_str(piece.strip_prefix(before).unwrap_or_default());
    }
    key
}

fn lower_case(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for letter in text.chars() {
        // A letter outside ASCII whose small form is inside, such as the Kelvin sign, is a look-alike
        // and stays itself.
        let mut small = letter.to_lowercase();
        if !letter.is_ascii() && small.clone().any(|small| small.is_ascii()) {
            key.push(letter);
        } else {
            key.extend(&mut small);
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    // Case R-029.
    #[test]
    fn a_reason_counts_characters_after_trimming() {
        let of = |count: usize| "x".repeat(count);
        assert!(Reason::new(&of(9)).is_err());
        assert!(Reason::new(&of(10)).is_ok());
        assert!(Reason::new(&of(500)).is_ok());
        assert!(Reason::new(&of(501)).is_err());
        assert!(Reason::new(&"🎉".repeat(500)).is_ok());
        assert!(Reason::new(&"🎉".repeat(501)).is_err());
        assert!(Reason::new(&" ".repeat(10)).is_err());
        assert!(Reason::new("é".repeat(5).as_str()).is_err());
        let padded = format!("{}{}\u{3000}\u{a0}", " ".repeat(18), of(500));
        assert_eq!(
            Reason::new(&padded).map(|reason| reason.as_str().len()),
            Ok(500)
        );
    }

    #[test]
    fn keys_are_visible_ascii() {
        assert!(IdempotencyKey::new("ticket-4711/line-1").is_ok());
        assert!(IdempotencyKey::new(&"k".repeat(255)).is_ok());
        for text in ["", "two words", "tab\t", "ключ", &"k".repeat(256)] {
            assert!(IdempotencyKey::new(text).is_err(), "{text:?}");
        }
    }

    // Cases.
    #[test]
    fn addresses_compare_without_case_and_keep_look_alikes_apart() {
        let jane = EmailAddress::new("  Jane@Example.COM ").unwrap();
        assert_eq!(jane.as_str(), "Jane@Example.COM");
        assert_eq!(jane.key(), "jane@example.com");
        assert_ne!(
            EmailAddress::new("\u{212a}im@example.com").unwrap().key(),
            "kim@example.com"
        );
        assert_ne!(
            EmailAddress::new("j\u{43e}@example.com").unwrap().key(),
            "jo@example.com"
        );
        for text in ["", "a", "a@", "@b", "a@b@c", "a b@c", "a@b\n@"] {
            assert!(EmailAddress::new(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_accent_is_one_character_or_two_of_the_same_address() {
        let key = |text: &str| EmailAddress::new(text).unwrap().key();
        let jane = "jan\u{e9}@example.com";
        assert_eq!(key("Jane\u{301}@example.com"), jane);
        assert_eq!(key("JAN\u{c9}@example.com"), jane);
        assert_ne!(key("jane@example.com"), jane);
        // The Kelvin sign stays one, alone and beside what is composed.
        let kelvin = key("\u{212a}e\u{301}\u{212a}\u{327}@example.com");
        assert_eq!(kelvin, "\u{212a}\u{e9}\u{212a}\u{327}@example.com");
    }

    // Case R-092.
    #[test]
    fn a_domain_in_punycode_is_the_same_domain() {
        let key = |text: &str| EmailAddress::new(text).unwrap().key();
        for (one, other) in [
            ("jane@bücher.example", "Jane@xn--bcher-kva.example"),
            ("jane@BÜCHER.example", "jane@XN--BCHER-KVA.Example"),
            ("jane@bu\u{308}cher.example", "jane@bücher.example"),
            ("太郎@日本.example", "太郎@xn--wgv71a.example"),
        ] {
            assert_eq!(key(one), key(other), "{one}");
        }
        assert_eq!(key("Jane@xn--bcher-kva.example"), "jane@bücher.example");
        // Neither a look-alike nor what only looks like punycode becomes another domain.
        assert_ne!(key("jane@ex\u{430}mple.com"), "jane@example.com");
        assert_ne!(key("jane@xn--exmple-4nf.com"), "jane@example.com");
        for look_alike in [
            "jane@exam\u{ad}ple.com",
            "jane@example\u{200b}.com",
            "jane@\u{ff45}xample.com",
            "jane@example\u{3002}com",
            "jane@\u{212a}xample.com",
        ] {
            assert!(!key(look_alike).is_ascii(), "{look_alike}");
        }
        assert_eq!(key("jane@xn--.com"), "jane@xn--.com");
        assert_eq!(key("jane@xn--\u{e9}.com"), "jane@xn--\u{e9}.com");
        // The local part has no second spelling.
        assert_eq!(
            key("xn--bcher-kva@example.com"),
            "xn--bcher-kva@example.com"
        );
    }

    #[test]
    fn personal_texts_do_not_show_themselves() {
        let shown = format!(
            "{:?} {:?} {:?} {:?}",
            EmailAddress::new("alice@example.com"),
            PersonName::new("Alice Johnson"),
            PhoneNumber::new("555-0100"),
            Reason::new("Alice got a damaged item")
        );
        for secret in ["alice", "Alice", "555", "damaged"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}
