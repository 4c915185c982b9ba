//! `find_customer`: what it takes and gives.

use std::sync::LazyLock;

use garde::Validate;
use refund_domain::warranty::{CustomerCriteria, CustomerSearchAnswer, FoundCustomer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::argument::given;
use crate::decode::ToolInput;
use crate::number::Number;
use crate::personal::Personal;
use crate::rules::Rules;
use crate::warranty_argument::{CriterionArgument, TakeArgument};

/// The arguments of `find_customer`.
#[derive(Debug, Clone, Deserialize, JsonSchema, Validate)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindCustomerInput {
    /// The person's name or a part of it; case, accents and punctuation do not matter. At least one
    /// criterion is needed, and a customer must fit each that is given.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "CriterionArgument")]
    #[garde(dive)]
    name: Option<CriterionArgument>,
    /// The e-mail address in full, in any case. It is the surest criterion besides externalCustomerId.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "CriterionArgument")]
    #[garde(dive)]
    email: Option<CriterionArgument>,
    /// The telephone number, with or without the country code, as a string.
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "CriterionArgument")]
    #[garde(dive)]
    phone_number: Option<CriterionArgument>,
    /// The customer's number in another system, to the letter, for example "EXT-10001".
    #[serde(default, deserialize_with = "given")]
    #[schemars(with = "CriterionArgument")]
    #[garde(dive)]
    external_customer_id: Option<CriterionArgument>,
    /// How many customers to list at most: an integer from 1 to 25, 5 if it is left out.
    #[serde(default = "TakeArgument::usual_customers")]
    #[garde(dive)]
    take: TakeArgument,
}

impl FindCustomerInput {
    /// What is known of the customer, and how many to list.
    #[must_use]
    pub fn into_parts(self) -> (CustomerCriteria, u32) {
        let criteria = CustomerCriteria {
            name: self.name.map(CriterionArgument::into_domain),
            email: self.email.map(CriterionArgument::into_domain),
            phone_number: self.phone_number.map(CriterionArgument::into_domain),
            external_id: self
                .external_customer_id
                .map(CriterionArgument::into_domain),
        };
        (criteria, self.take.rows())
    }
}

impl ToolInput for FindCustomerInput {
    fn rules() -> &'static Rules {
        static RULES: LazyLock<Rules> = LazyLock::new(Rules::of::<FindCustomerInput>);
        &RULES
    }
}

/// The answer of `find_customer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FindCustomerOutput {
    /// How many customers fit in all.
    match_count: u64,
    /// Whether the customer has to confirm who they are before a candidate is used.
    requires_confirmation: bool,
    /// Why the search was not made. Absent if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    refusal_reason: Option<String>,
    /// The customers that fit, the best first.
    customers: Vec<CandidateCustomer>,
    /// What this answer is and is not, and what to do next.
    note: String,
}

/// A customer that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CandidateCustomer {
    /// The customer's id for other tools: CUST- and five digits.
    customer_id: String,
    /// The customer's number in another system.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    external_customer_id: Option<String>,
    /// The customer's full name.
    full_name: Personal,
    /// The customer's company.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    company_name: Option<Personal>,
    /// E-mail address.
    email: Personal,
    /// Telephone number. Absent if none is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    phone_number: Option<Personal>,
    /// Preferred language, as a tag such as en or ja.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    preferred_language: Option<String>,
    /// How many addresses are stored.
    address_count: u32,
    /// How well the customer fits the criterion that fits worst, from 0 to 1.
    match_score: Number,
}

impl From<&FoundCustomer> for CandidateCustomer {
    fn from(found: &FoundCustomer) -> Self {
        let customer = &found.customer;
        let phone = customer.phone_number.as_ref();
        let company = customer.company.as_ref();
        Self {
            customer_id: customer.id.to_string(),
            external_customer_id: customer.external_id.as_ref().map(ToString::to_string),
            full_name: Personal::new(customer.name.as_str()),
            company_name: company.map(|company| Personal::new(company.as_str())),
            email: Personal::new(customer.email.as_str()),
            phone_number: phone.map(|phone| Personal::new(phone.as_str())),
            preferred_language: customer.language.as_ref().map(ToString::to_string),
            address_count: found.address_count,
            match_score: found.score.into(),
        }
    }
}

impl From<&CustomerSearchAnswer> for FindCustomerOutput {
    fn from(answer: &CustomerSearchAnswer) -> Self {
        Self {
            match_count: answer.matches,
            requires_confirmation: answer.requires_confirmation(),
            refusal_reason: answer.refusal.map(|refusal| refusal.to_string()),
            customers: answer
                .customers
                .iter()
                .map(CandidateCustomer::from)
                .collect(),
            note: answer.note(),
        }
    }
}
