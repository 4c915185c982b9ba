//! The `policy` section of the configuration file: the rules of warranties as data.
//!
//! What a file does not write keeps its default. A list, the tiers and the prices are replaced as a
//! whole: an own price list must not be mixed with prices in another currency.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use refund_domain::warranty::{
    Cause, CauseWords, CauseWordsError, PolicyError, RepairPrice, RepairPrices, TierRule,
    WarrantyPolicy, WarrantyRules,
};
use rust_decimal::Decimal;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

/// Where the rules of warranties stand in the file.
const WARRANTY: &str = "policy.warranty";

/// The rules of warranties: as written, and checked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warranty {
    rules: WarrantyRules,
    /// What holds.
    pub(crate) policy: Arc<WarrantyPolicy>,
}

/// `[policy]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicySection {
    warranty: Option<WarrantySection>,
}

/// `[policy.warranty]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WarrantySection {
    grace_days: Option<u16>,
    return_window_days: Option<u16>,
    fraud_prefixes: Option<Vec<String>>,
    review_regions: Option<Vec<String>>,
    excluded_causes: Option<CausesSection>,
    tiers: Option<BTreeMap<String, TierSection>>,
    repair_prices: Option<PricesSection>,
}

/// `[policy.warranty.excluded_causes]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CausesSection {
    liquid: Option<Vec<String>>,
    impact: Option<Vec<String>>,
    cosmetic: Option<Vec<String>>,
}

/// `[policy.warranty.tiers.NAME]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TierSection {
    turnaround_business_days: u16,
    covered: bool,
}

/// `[policy.warranty.repair_prices]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PricesSection {
    currency: String,
    otherwise: AmountText,
    #[serde(default)]
    otherwise_deposit: AmountText,
    #[serde(default)]
    products: BTreeMap<String, PriceSection>,
}

/// `[policy.warranty.repair_prices.products.SKU]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PriceSection {
    fee: AmountText,
    #[serde(default)]
    deposit: AmountText,
}

/// An amount, from its digits: a number of TOML is a float.
#[derive(Debug, Clone, Copy, Default)]
struct AmountText(Decimal);

impl<'de> Deserialize<'de> for AmountText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;

        impl Visitor<'_> for Digits {
            type Value = AmountText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an amount in quotes, such as \"69.00\"")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<AmountText, E> {
                Decimal::from_str_exact(text).map(AmountText).map_err(|_| {
                    E::custom(format!(
                        "{text:?} is no amount; write digits, such as \"69.00\""
                    ))
                })
            }
        }

        deserializer.deserialize_str(Digits)
    }
}

impl PolicySection {
    /// The rules of warranties, the defaults where the section says nothing.
    ///
    /// # Errors
    /// A rule that cannot hold: its key, and why.
    pub(super) fn warranty(&self) -> Result<Option<Warranty>, String> {
        let Some(section) = &self.warranty else {
            return Ok(None);
        };
        let rules = section.rules();
        let policy = WarrantyPolicy::new(&rules).map_err(|error| {
            let mut text = format!("{WARRANTY}.{}: {error}", key_of(&error));
            let mut cause = std::error::Error::source(&error);
            while let Some(error) = cause {
                text.push_str(": ");
                text.push_str(&error.to_string());
                cause = error.source();
            }
            text
        })?;
        Ok(Some(Warranty {
            rules,
            policy: Arc::new(policy),
        }))
    }
}

impl WarrantySection {
    fn rules(&self) -> WarrantyRules {
        let defaults = WarrantyRules::default();
        WarrantyRules {
            grace_days: self.grace_days.unwrap_or(defaults.grace_days),
            return_window_days: self
                .return_window_days
                .unwrap_or(defaults.return_window_days),
            fraud_prefixes: or(&self.fraud_prefixes, defaults.fraud_prefixes),
            review_regions: or(&self.review_regions, defaults.review_regions),
            cause_words: match &self.excluded_causes {
                None => defaults.cause_words,
                Some(own) => CauseWords {
                    liquid: or(&own.liquid, defaults.cause_words.liquid),
                    impact: or(&own.impact, defaults.cause_words.impact),
                    cosmetic: or(&own.cosmetic, defaults.cause_words.cosmetic),
                },
            },
            tiers: match &self.tiers {
                None => defaults.tiers,
                Some(own) => own
                    .iter()
                    .map(|(name, tier)| TierRule {
                        name: name.clone(),
                        turnaround_business_days: tier.turnaround_business_days,
                        covered: tier.covered,
                    })
                    .collect(),
            },
            repair_prices: match &self.repair_prices {
                None => defaults.repair_prices,
                Some(own) => own.prices(),
            },
        }
    }
}

impl PricesSection {
    fn prices(&self) -> RepairPrices {
        RepairPrices {
            currency: self.currency.clone(),
            otherwise: self.otherwise.0,
            otherwise_deposit: self.otherwise_deposit.0,
            products: self
                .products
                .iter()
                .map(|(sku, price)| RepairPrice {
                    sku: sku.clone(),
                    fee: price.fee.0,
                    deposit: price.deposit.0,
                })
                .collect(),
        }
    }
}

fn or(own: &Option<Vec<String>>, default: Vec<String>) -> Vec<String> {
    own.clone().unwrap_or(default)
}

/// The key that a rule stands under, below [`WARRANTY`].
fn key_of(error: &PolicyError) -> String {
    let cause = |cause: Cause| format!("excluded_causes.{}", cause.as_str());
    match error {
        PolicyError::NoTiers | PolicyError::TierName { .. } | PolicyError::TierTwice(_) => {
            "tiers".to_owned()
        }
        PolicyError::BlankPrefix(_) | PolicyError::PrefixOverlap(..) => "fraud_prefixes".to_owned(),
        PolicyError::CauseWords(
            CauseWordsError::Empty(which)
            | CauseWordsError::Odd { cause: which, .. }
            | CauseWordsError::Overlap { second: which, .. },
        ) => cause(*which),
        PolicyError::Region { .. } | PolicyError::RegionOverlap(..) => "review_regions".to_owned(),
        PolicyError::Currency(_) => "repair_prices.currency".to_owned(),
        PolicyError::Sku { .. } | PolicyError::PriceTwice(..) => {
            "repair_prices.products".to_owned()
        }
        PolicyError::Amount { what, product, .. } => {
            let deposit = *what == "deposit";
            let key = if product == PolicyError::NOT_LISTED {
                if deposit {
                    "otherwise_deposit"
                } else {
                    "otherwise"
                }
                .to_owned()
            } else {
                let field = if deposit { "deposit" } else { "fee" };
                format!("products.{}.{field}", name(product))
            };
            format!("repair_prices.{key}")
        }
    }
}

/// What is in force, by key, in the order of the documentation. A value is a number, a boolean, a text
/// or a list of texts.
pub(super) fn rows(warranty: &Warranty) -> Vec<(String, Value)> {
    let rules = &warranty.rules;
    let prices = &rules.repair_prices;
    let amount = |amount: Decimal| json!(amount.to_string());
    let mut rows = vec![
        ("grace_days".to_owned(), json!(rules.grace_days)),
        (
            "return_window_days".to_owned(),
            json!(rules.return_window_days),
        ),
        ("fraud_prefixes".to_owned(), json!(rules.fraud_prefixes)),
        ("review_regions".to_owned(), json!(rules.review_regions)),
    ];
    for (cause, words) in [
        (Cause::Liquid, &rules.cause_words.liquid),
        (Cause::Impact, &rules.cause_words.impact),
        (Cause::Cosmetic, &rules.cause_words.cosmetic),
    ] {
        rows.push((format!("excluded_causes.{}", cause.as_str()), json!(words)));
    }
    for tier in &rules.tiers {
        let days = tier.turnaround_business_days;
        let key = format!("tiers.{}", name(&tier.name));
        rows.push((format!("{key}.turnaround_business_days"), json!(days)));
        rows.push((format!("{key}.covered"), json!(tier.covered)));
    }
    let price = |key: &str, value| (format!("repair_prices.{key}"), value);
    rows.extend([
        price("currency", json!(prices.currency)),
        price("otherwise", amount(prices.otherwise)),
        price("otherwise_deposit", amount(prices.otherwise_deposit)),
    ]);
    for product in &prices.products {
        let key = format!("products.{}", name(&product.sku));
        rows.push(price(&format!("{key}.fee"), amount(product.fee)));
        rows.push(price(&format!("{key}.deposit"), amount(product.deposit)));
    }
    rows.into_iter()
        .map(|(key, value)| (format!("{WARRANTY}.{key}"), value))
        .collect()
}

/// A name as a part of a key of TOML: in quotes unless it is plain.
fn name(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !text.is_empty() && text.bytes().all(plain) {
        text.to_owned()
    } else {
        json!(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warranty(text: &str) -> Result<Warranty, String> {
        let file = super::super::ConfigFile::parse(text)?;
        let warranty = file.policy.unwrap_or_default().warranty()?;
        Ok(warranty.unwrap_or_default())
    }

    #[test]
    fn what_a_file_does_not_write_keeps_its_default() {
        let defaults = WarrantyRules::default();
        for text in ["", "[policy]", "[policy.warranty]"] {
            assert_eq!(warranty(text).unwrap().rules, defaults, "{text:?}");
        }
        let own = warranty(
            "[policy.warranty]\ngrace_days = 0\nreview_regions = [\"US-CA\", \"JP\"]\n\
             [policy.warranty.excluded_causes]\nliquid = [\"coffee\", \"コーヒー\"]\n",
        )
        .unwrap()
        .rules;
        assert_eq!((own.grace_days, own.return_window_days), (0, 730));
        assert_eq!(own.review_regions, ["US-CA", "JP"]);
        assert_eq!(own.cause_words.liquid, ["coffee", "コーヒー"]);
        assert_eq!(own.cause_words.impact, defaults.cause_words.impact);
        assert_eq!(own.tiers, defaults.tiers);
    }

    // `docs/policy.md` holds every default.
    #[test]
    fn the_page_says_what_holds_without_a_file() {
        let page = include_str!("../../../../docs/policy.md");
        let (_, rest) = page.split_once("```toml\n").unwrap();
        let (file, _) = rest.split_once("```\n").unwrap();
        let rows = |text: &str| -> BTreeMap<_, _> {
            let found = rows(&warranty(text).unwrap()).into_iter();
            found.filter(|(key, _)| !key.ends_with("deposit")).collect()
        };
        assert_eq!(rows(file), rows(""));
        assert_eq!(
            warranty(file).unwrap().policy.tiers().len(),
            WarrantyPolicy::default().tiers().len()
        );
    }

    #[test]
    fn tiers_and_prices_are_replaced_as_a_whole() {
        let own = warranty(
            "[policy.warranty.tiers.gold]\nturnaround_business_days = 1\ncovered = true\n\
             [policy.warranty.repair_prices]\ncurrency = \"JPY\"\notherwise = \"9900\"\n\
             [policy.warranty.repair_prices.products]\n\"AX 1\" = { fee = \"6900\", deposit = \"500\" }\n",
        )
        .unwrap();
        let names: Vec<_> = own.rules.tiers.iter().map(|tier| &tier.name).collect();
        assert_eq!(names, ["gold"]);
        assert_eq!(own.rules.repair_prices.products.len(), 1);
        let fee = |sku: &str| {
            let fee = own
                .policy
                .repair_fee(&refund_domain::Sku::new(sku).unwrap());
            format!("{} {}", fee.fee, fee.deposit)
        };
        assert_eq!(fee("AX 1"), "6900 JPY 500 JPY");
        assert_eq!(fee("AX-200-HS"), "9900 JPY 0 JPY");
        // The default prices are dollars: another currency alone would make yen of them.
        let text = "[policy.warranty.repair_prices]\ncurrency = \"JPY\"\n";
        assert!(warranty(text).unwrap_err().contains("otherwise"));
    }

    #[test]
    fn what_cannot_hold_is_named_with_its_key() {
        const GOLD: &str = "turnaround_business_days = 1\ncovered = true";
        for (section, key, why) in [
            ("tiers = {}", "tiers", "has no tiers"),
            (
                "tiers.\"Gold Plan\" = { turnaround_business_days = 1, covered = true }",
                "tiers",
                "cannot be used: ",
            ),
            (
                "fraud_prefixes = [\"--\"]",
                "fraud_prefixes",
                "letter or a digit",
            ),
            (
                "fraud_prefixes = [\"SUS\", \"SUSPECT\"]",
                "fraud_prefixes",
                "fit the same serial numbers",
            ),
            (
                "review_regions = [\"Texas\"]",
                "review_regions",
                "\"Texas\" cannot be used",
            ),
            (
                "review_regions = [\"US\", \"US-CA\"]",
                "review_regions",
                "overlap",
            ),
            (
                "excluded_causes.liquid = []",
                "excluded_causes.liquid",
                "has no words",
            ),
            (
                "excluded_causes.impact = [\"!\"]",
                "excluded_causes.impact",
                "has the word \"!\", which needs two letters",
            ),
            (
                "excluded_causes.liquid = [\"water\", \" \"]",
                "excluded_causes.liquid",
                "has the word \" \"",
            ),
            (
                "excluded_causes.liquid = [\"\"]",
                "excluded_causes.liquid",
                "has the word \"\"",
            ),
            (
                "excluded_causes.cosmetic = [\"x\"]",
                "excluded_causes.cosmetic",
                "has the word \"x\"",
            ),
            (
                "repair_prices = { currency = \"USD\", otherwise = \"1\", products = { AX-1 = { fee = \"1\" }, ax1 = { fee = \"2\" } } }",
                "repair_prices.products",
                "the repair prices of AX-1 and ax1",
            ),
            (
                "excluded_causes.cosmetic = [\"Water\"]",
                "excluded_causes.cosmetic",
                "stands for liquid and for cosmetic",
            ),
            (
                "repair_prices = { currency = \"DOLLARS\", otherwise = \"1\" }",
                "repair_prices.currency",
                "currency",
            ),
            (
                "repair_prices = { currency = \"USD\", otherwise = \"-1.00\" }",
                "repair_prices.otherwise",
                "of products that are not listed cannot be -1.00",
            ),
            (
                "repair_prices = { currency = \"USD\", otherwise = \"1\", products = { A1 = { fee = \"0.001\" } } }",
                "repair_prices.products.A1.fee",
                "the repair fee of A1 cannot be 0.001",
            ),
        ] {
            let error = warranty(&format!("[policy.warranty]\n{section}\n")).unwrap_err();
            let place = format!("policy.warranty.{key}: ");
            assert!(error.starts_with(&place), "{section}: {error}");
            assert!(error.contains(why), "{section}: {error}");
        }
        for (text, hint) in [
            ("[polcy]", "did you mean policy?"),
            ("[policy.waranty]", "did you mean warranty?"),
            (
                "[policy.warranty]\ngrace_day = 1",
                "line 2: unknown field `grace_day`",
            ),
            (
                "[policy.warranty]\ngrace_day = 1",
                "did you mean grace_days?",
            ),
            (
                &format!("[policy.warranty.tiers.gold]\n{GOLD}\ncoverd = true"),
                "did you mean covered?",
            ),
            (
                "[policy.warranty.tiers.gold]\ncovered = true",
                "turnaround_business_days",
            ),
            ("[policy.warranty]\ngrace_days = -1", "line 2"),
            (
                "[policy.warranty.repair_prices]\ncurrency = \"USD\"\notherwise = 99.00",
                "an amount in quotes, such as \"69.00\"",
            ),
            (
                "[policy.warranty.repair_prices]\ncurrency = \"USD\"\notherwise = \"99 dollars\"",
                "\"99 dollars\" is no amount",
            ),
        ] {
            let error = warranty(text).unwrap_err();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }

    /// *Invariant:* what `refund-mcp config` shows is a file that means the same.
    #[test]
    fn what_is_shown_can_be_read_again() {
        let odd = "[policy.warranty.tiers.gold]\nturnaround_business_days = 1\ncovered = false\n\
             [policy.warranty.repair_prices]\ncurrency = \"JPY\"\notherwise = \"9900\"\n\
             [policy.warranty.repair_prices.products]\n\"A \\\"1\\\" é\" = { fee = \"1\" }\n";
        for text in ["", odd] {
            let wanted = warranty(text).unwrap();
            let lines: Vec<_> = rows(&wanted)
                .iter()
                .map(|(key, value)| format!("{key} = {value}"))
                .collect();
            let mut again = warranty(&lines.join("\n")).unwrap().rules;
            let mut rules = wanted.rules;
            // A table has no order.
            for rules in [&mut again, &mut rules] {
                rules.tiers.sort_by(|one, other| one.name.cmp(&other.name));
                let products = &mut rules.repair_prices.products;
                products.sort_by(|one, other| one.sku.cmp(&other.sku));
            }
            assert_eq!(again, rules, "{}", lines.join("\n"));
        }
    }
}
