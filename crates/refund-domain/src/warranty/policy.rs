//! The warranty policy: data, checked once. [`WarrantyRules`] is what configuration says,
//! [`WarrantyPolicy`] what holds.

use rust_decimal::Decimal;

use crate::warranty::cause::Lexicon;
use crate::warranty::{
    CauseWords, CauseWordsError, CausesFound, NormalForm, RegionCode, SerialNumber, TierName,
};
use crate::{Currency, Money, MoneyError, Sku, TextError};

/// The policy as configuration writes it. The defaults are the rules that hold without any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarrantyRules {
    /// How many days a warranty is honoured after its end.
    pub grace_days: u16,
    /// How many days after shipping a unit can be returned at all.
    pub return_window_days: u16,
    /// Beginnings of serial numbers that a person must look at. None switches the rule off.
    pub fraud_prefixes: Vec<String>,
    /// The words of excluded causes.
    pub cause_words: CauseWords,
    /// Regions whose cases a person decides.
    pub review_regions: Vec<String>,
    /// The tiers that warranties have.
    pub tiers: Vec<TierRule>,
    /// What a repair costs.
    pub repair_prices: RepairPrices,
}

/// A tier of warranties as configuration writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TierRule {
    /// Its name, as warranties have it.
    pub name: String,
    /// How many business days a repair takes.
    pub turnaround_business_days: u16,
    /// Whether it covers defects.
    pub covered: bool,
}

/// Prices of repairs as configuration writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairPrices {
    /// The currency of all of them, an ISO 4217 code.
    pub currency: String,
    /// The price of a product that is not listed.
    pub otherwise: Decimal,
    /// The deposit of a product that is not listed.
    pub otherwise_deposit: Decimal,
    /// The products.
    pub products: Vec<RepairPrice>,
}

/// The price of a product's repair as configuration writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairPrice {
    /// The product.
    pub sku: String,
    /// The price.
    pub fee: Decimal,
    /// What is paid before the repair.
    pub deposit: Decimal,
}

impl Default for WarrantyRules {
    fn default() -> Self {
        let tier = |name: &str, turnaround_business_days, covered| TierRule {
            name: name.to_owned(),
            turnaround_business_days,
            covered,
        };
        Self {
            grace_days: 30,
            return_window_days: 730,
            fraud_prefixes: vec!["SUSPECT".to_owned(), "TESTFRAUD".to_owned()],
            cause_words: CauseWords::default(),
            review_regions: Vec::new(),
            tiers: vec![
                tier("standard", 10, true),
                tier("extended", 5, true),
                tier("premium", 2, true),
                tier("no-service", 21, false),
            ],
            repair_prices: RepairPrices::default(),
        }
    }
}

impl Default for RepairPrices {
    fn default() -> Self {
        let price = |sku: &str, cents| RepairPrice {
            sku: sku.to_owned(),
            fee: Decimal::new(cents, 2),
            deposit: Decimal::ZERO,
        };
        Self {
            currency: "USD".to_owned(),
            otherwise: Decimal::new(9_900, 2),
            otherwise_deposit: Decimal::ZERO,
            products: vec![
                price("AX-200-HS", 6_900),
                price("AX-400-RG", 11_900),
                price("BX-100-KT", 14_900),
                price("CR-10-CRD", 2_900),
                price("CBL-USB-3M", 900),
            ],
        }
    }
}

/// A rule of the policy that cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Without tiers no warranty means anything.
    #[error("the policy has no tiers")]
    NoTiers,
    /// A tier's name is none.
    #[error("the tier {name:?} cannot be used")]
    TierName {
        /// As written.
        name: String,
        /// Why.
        #[source]
        source: TextError,
    },
    /// A tier stands twice.
    #[error("the tier {0} has two rules")]
    TierTwice(TierName),
    /// A prefix without letters and digits would fit every unit.
    #[error("a fraud prefix must have a letter or a digit, but one is {0:?}")]
    BlankPrefix(String),
    /// Two prefixes fit the same serial numbers.
    #[error("the fraud prefixes {0} and {1} fit the same serial numbers")]
    PrefixOverlap(String, String),
    /// The words of causes cannot be used.
    #[error("the words of excluded causes cannot be used")]
    CauseWords(#[from] CauseWordsError),
    /// A region is none.
    #[error("the review region {region:?} cannot be used")]
    Region {
        /// As written.
        region: String,
        /// Why.
        #[source]
        source: TextError,
    },
    /// A region lies in another, or stands twice.
    #[error("the review regions {0} and {1} overlap")]
    RegionOverlap(RegionCode, RegionCode),
    /// The currency of the prices is none.
    #[error("the currency of the repair prices cannot be used")]
    Currency(#[source] MoneyError),
    /// A product's number is none.
    #[error("the repair price of {sku:?} is for no product")]
    Sku {
        /// As written.
        sku: String,
        /// Why.
        #[source]
        source: TextError,
    },
    /// Two prices are for one product, or for two that nobody tells apart.
    #[error(
        "the repair prices of {0} and {1} are for products that differ in case, blanks or punctuation alone"
    )]
    PriceTwice(Sku, Sku),
    /// An amount is negative, or its currency has fewer decimals.
    #[error("the {what} of {product} cannot be {amount}")]
    Amount {
        /// `repair fee` or `deposit`.
        what: &'static str,
        /// The product's number, or `products that are not listed`.
        product: String,
        /// As written.
        amount: Decimal,
        /// Why.
        #[source]
        source: MoneyError,
    },
}

impl PolicyError {
    /// What [`PolicyError::Amount`] calls the products that have no price of their own.
    pub const NOT_LISTED: &'static str = "products that are not listed";
}

/// A warranty whose tier the policy does not have. It is never taken for another tier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the warranty policy has no tier {tier}, which a warranty names")]
pub struct UnknownTier {
    /// As stored.
    pub tier: TierName,
}

/// A tier of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tier {
    name: TierName,
    turnaround_business_days: u16,
    covered: bool,
}

impl Tier {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &TierName {
        &self.name
    }

    /// How many business days a repair takes.
    #[must_use]
    pub fn turnaround_business_days(&self) -> u16 {
        self.turnaround_business_days
    }

    /// Whether it covers defects.
    #[must_use]
    pub fn covered(&self) -> bool {
        self.covered
    }
}

/// What a repair costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepairFee {
    /// The price.
    pub fee: Money,
    /// What is paid before the repair.
    pub deposit: Money,
}

/// The policy that holds. `Default` is the one without any configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WarrantyPolicy {
    grace_days: u16,
    return_window_days: u16,
    /// As written, and as compared.
    fraud_prefixes: Vec<(String, NormalForm)>,
    lexicon: Lexicon,
    review_regions: Vec<RegionCode>,
    tiers: Vec<Tier>,
    prices: Vec<(Sku, RepairFee)>,
    otherwise: RepairFee,
}

impl WarrantyPolicy {
    /// Checks the rules.
    ///
    /// # Errors
    /// The first rule that cannot hold.
    pub fn new(rules: &WarrantyRules) -> Result<Self, PolicyError> {
        let prices = &rules.repair_prices;
        let currency =
            Currency::new(&prices.currency).map_err(|error| PolicyError::Currency(error.into()))?;
        let fee_of = |product: &str, fee, deposit| {
            Ok::<_, PolicyError>(RepairFee {
                fee: amount("repair fee", product, fee, currency)?,
                deposit: amount("deposit", product, deposit, currency)?,
            })
        };
        Ok(Self {
            grace_days: rules.grace_days,
            return_window_days: rules.return_window_days,
            fraud_prefixes: fraud_prefixes(&rules.fraud_prefixes)?,
            lexicon: Lexicon::new(&rules.cause_words)?,
            review_regions: review_regions(&rules.review_regions)?,
            tiers: tiers(&rules.tiers)?,
            otherwise: fee_of(
                PolicyError::NOT_LISTED,
                prices.otherwise,
                prices.otherwise_deposit,
            )?,
            prices: product_prices(&prices.products, fee_of)?,
        })
    }

    /// How many days a warranty is honoured after its end.
    #[must_use]
    pub fn grace_days(&self) -> u16 {
        self.grace_days
    }

    /// How many days after shipping a unit can be returned.
    #[must_use]
    pub fn return_window_days(&self) -> u16 {
        self.return_window_days
    }

    /// The tier of a name; `None` for one that the policy does not have.
    #[must_use]
    pub fn tier(&self, name: &TierName) -> Option<&Tier> {
        self.tiers.iter().find(|tier| tier.name == *name)
    }

    /// The tiers, in the order written.
    #[must_use]
    pub fn tiers(&self) -> &[Tier] {
        &self.tiers
    }

    /// The first name that the policy does not have: for a check when a server starts.
    ///
    /// # Errors
    /// A name without a tier.
    pub fn knows<'a>(
        &self,
        names: impl IntoIterator<Item = &'a TierName>,
    ) -> Result<(), UnknownTier> {
        match names.into_iter().find(|name| self.tier(name).is_none()) {
            None => Ok(()),
            Some(tier) => Err(UnknownTier { tier: tier.clone() }),
        }
    }

    /// What a repair of a product costs.
    #[must_use]
    pub fn repair_fee(&self, sku: &Sku) -> RepairFee {
        let listed = self.prices.iter().find(|(listed, _)| listed == sku);
        listed.map_or(self.otherwise, |(_, fee)| *fee)
    }

    /// The fraud prefix of a serial number, as the policy writes it.
    #[must_use]
    pub fn fraud_prefix(&self, serial: &SerialNumber) -> Option<&str> {
        let form = NormalForm::of(serial.as_str())?;
        self.fraud_prefixes
            .iter()
            .find(|(_, prefix)| form.as_str().starts_with(prefix.as_str()))
            .map(|(written, _)| written.as_str())
    }

    /// The review region that a region lies in.
    #[must_use]
    pub fn review_region(&self, region: &RegionCode) -> Option<&RegionCode> {
        self.review_regions
            .iter()
            .find(|listed| listed.contains(region))
    }

    /// The excluded causes that a text about a problem speaks of.
    #[must_use]
    pub fn causes_of(&self, problem: &str) -> CausesFound {
        self.lexicon.causes_of(problem)
    }
}

impl Default for WarrantyPolicy {
    #[expect(
        clippy::expect_used,
        reason = "the default rules are constant, and a test checks them"
    )]
    fn default() -> Self {
        Self::new(&WarrantyRules::default()).expect("the default policy holds")
    }
}

fn amount(
    what: &'static str,
    product: &str,
    amount: Decimal,
    currency: Currency,
) -> Result<Money, PolicyError> {
    Money::from_decimal(amount, currency).map_err(|source| PolicyError::Amount {
        what,
        product: product.to_owned(),
        amount,
        source,
    })
}

fn product_prices(
    products: &[RepairPrice],
    fee_of: impl Fn(&str, Decimal, Decimal) -> Result<RepairFee, PolicyError>,
) -> Result<Vec<(Sku, RepairFee)>, PolicyError> {
    let mut prices: Vec<(Sku, RepairFee)> = Vec::new();
    for product in products {
        let sku = Sku::new(&product.sku).map_err(|source| PolicyError::Sku {
            sku: product.sku.clone(),
            source,
        })?;
        let form = NormalForm::of(sku.as_str());
        let same = prices.iter().find(|(known, _)| {
            *known == sku || (form.is_some() && NormalForm::of(known.as_str()) == form)
        });
        if let Some((known, _)) = same {
            return Err(PolicyError::PriceTwice(known.clone(), sku));
        }
        let fee = fee_of(sku.as_str(), product.fee, product.deposit)?;
        prices.push((sku, fee));
    }
    Ok(prices)
}

fn tiers(rules: &[TierRule]) -> Result<Vec<Tier>, PolicyError> {
    let mut tiers: Vec<Tier> = Vec::new();
    for rule in rules {
        let name = TierName::new(&rule.name).map_err(|source| PolicyError::TierName {
            name: rule.name.clone(),
            source,
        })?;
        if tiers.iter().any(|tier| tier.name == name) {
            return Err(PolicyError::TierTwice(name));
        }
        tiers.push(Tier {
            name,
            turnaround_business_days: rule.turnaround_business_days,
            covered: rule.covered,
        });
    }
    if tiers.is_empty() {
        return Err(PolicyError::NoTiers);
    }
    Ok(tiers)
}

fn fraud_prefixes(prefixes: &[String]) -> Result<Vec<(String, NormalForm)>, PolicyError> {
    let mut checked: Vec<(String, NormalForm)> = Vec::new();
    for prefix in prefixes {
        let form =
            NormalForm::of(prefix).ok_or_else(|| PolicyError::BlankPrefix(prefix.clone()))?;
        let same = checked.iter().find(|(_, known)| {
            known.as_str().starts_with(form.as_str()) || form.as_str().starts_with(known.as_str())
        });
        if let Some((known, _)) = same {
            return Err(PolicyError::PrefixOverlap(known.clone(), prefix.clone()));
        }
        checked.push((prefix.clone(), form));
    }
    Ok(checked)
}

fn review_regions(regions: &[String]) -> Result<Vec<RegionCode>, PolicyError> {
    let mut checked: Vec<RegionCode> = Vec::new();
    for region in regions {
        let code = RegionCode::new(region).map_err(|source| PolicyError::Region {
            region: region.clone(),
            source,
        })?;
        let same = checked
            .iter()
            .find(|known| known.contains(&code) || code.contains(known));
        if let Some(known) = same {
            return Err(PolicyError::RegionOverlap(known.clone(), code));
        }
        checked.push(code);
    }
    Ok(checked)
}

#[cfg(test)]
mod tests;
