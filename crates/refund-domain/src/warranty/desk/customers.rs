//! Finding customers by what is known of them.

use std::cmp::Reverse;

use crate::warranty::search::probe;
use crate::warranty::{
    Criterion, CustomerSearchAnswer, FoundCustomer, MOST_CANDIDATES, PhoneProbe, Phrase, Score,
    SearchRefusal, TextProbe, WarrantyDeskError, WarrantyReader, score,
};
use crate::{Customer, CustomerId, EmailAddress, ExternalId, PhoneNumber, StoreError};

use super::WarrantyDesk;

/// What is known of a customer. Every criterion that is given must fit; one that is blank is not given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CustomerCriteria {
    /// The name, or a part of it.
    pub name: Option<Criterion>,
    /// The e-mail address, in any case. A text that is none fits nobody.
    pub email: Option<Criterion>,
    /// The telephone number.
    pub phone_number: Option<Criterion>,
    /// The number in another system, to the letter. A text that is none fits nobody.
    pub external_id: Option<Criterion>,
}

/// The criteria, read.
struct Query {
    external_id: Option<Option<ExternalId>>,
    email: Option<Option<EmailAddress>>,
    phone: Option<PhoneProbe>,
    name: Option<TextProbe>,
}

impl CustomerCriteria {
    fn query(&self) -> Result<Query, SearchRefusal> {
        fn given(criterion: &Option<Criterion>) -> Option<&Criterion> {
            criterion.as_ref().filter(|criterion| !criterion.is_blank())
        }
        let phone = match given(&self.phone_number) {
            None => None,
            Some(number) => Some(
                PhoneProbe::of(number.as_str()).ok_or(SearchRefusal::TooShort("phoneNumber"))?,
            ),
        };
        let query = Query {
            external_id: given(&self.external_id)
                .map(|id| ExternalId::new(id.as_str().trim()).ok()),
            email: given(&self.email).map(|email| EmailAddress::new(email.as_str()).ok()),
            phone,
            name: given(&self.name)
                .map(|name| probe("name", name))
                .transpose()?,
        };
        if query.is_empty() {
            Err(SearchRefusal::NothingAsked)
        } else {
            Ok(query)
        }
    }
}

impl Query {
    fn is_empty(&self) -> bool {
        self.external_id.is_none()
            && self.email.is_none()
            && self.phone.is_none()
            && self.name.is_none()
    }

    /// How well a customer fits the criterion that it fits worst; `None` where it does not.
    fn score(&self, customer: &Customer) -> Option<Score> {
        let equal = |same: bool| if same { Score::ONE } else { Score::ZERO };
        let external_id = self
            .external_id
            .as_ref()
            .map(|asked| equal(asked.is_some() && customer.external_id == *asked));
        let email = self.email.as_ref().map(|asked| {
            equal(
                asked
                    .as_ref()
                    .is_some_and(|asked| asked.key() == customer.email.key()),
            )
        });
        let phone = self.phone.as_ref().map(|asked| {
            let number = customer
                .phone_number
                .as_ref()
                .map_or("", PhoneNumber::as_str);
            asked.score(number)
        });
        let name = self
            .name
            .as_ref()
            .map(|asked| score(asked.query(), &Phrase::of(customer.name.as_str())));
        [external_id, email, phone, name]
            .into_iter()
            .flatten()
            .min()
            .filter(|score| *score >= Score::PERSON_THRESHOLD)
    }
}

impl<R: WarrantyReader> WarrantyDesk<R> {
    /// Customers by what is known of them, the best first, those with one score by id.
    ///
    /// # Errors
    /// A fault of the store.
    pub async fn find_customer(
        &self,
        criteria: &CustomerCriteria,
        take: u32,
    ) -> Result<CustomerSearchAnswer, WarrantyDeskError> {
        let refused = |refusal| CustomerSearchAnswer {
            refusal: Some(refusal),
            ..CustomerSearchAnswer::default()
        };
        let query = match criteria.query() {
            Ok(query) => query,
            Err(refusal) => return Ok(refused(refusal)),
        };
        let candidates = match self.candidates(&query).await? {
            Ok(candidates) => candidates,
            Err(refusal) => return Ok(refused(refusal)),
        };
        let mut found: Vec<(Score, Customer)> = candidates
            .into_iter()
            .filter_map(|customer| Some((query.score(&customer)?, customer)))
            .collect();
        found.sort_by_key(|(score, customer)| (Reverse(*score), customer.id));
        let matches = found.len() as u64;
        found.truncate(take as usize);
        let foreign = |email: &EmailAddress| !email.as_str().is_ascii();
        Ok(CustomerSearchAnswer {
            matches,
            customers: self.with_addresses(found).await?,
            refusal: None,
            look_alike_letters: matches == 0 && query.email.flatten().as_ref().is_some_and(foreign),
        })
    }

    /// Everyone who may fit, by the narrowest criterion: whoever fits them all fits it too.
    async fn candidates(
        &self,
        query: &Query,
    ) -> Result<Result<Vec<Customer>, SearchRefusal>, StoreError> {
        let limit = MOST_CANDIDATES.saturating_add(1);
        if let Some(id) = &query.external_id {
            return Ok(Ok(match id {
                Some(id) => self
                    .reader
                    .customer_with_external_id(id)
                    .await?
                    .into_iter()
                    .collect(),
                None => Vec::new(),
            }));
        }
        if let Some(email) = &query.email {
            return Ok(Ok(match email {
                Some(email) => self
                    .reader
                    .customer_with_email(email)
                    .await?
                    .into_iter()
                    .collect(),
                None => Vec::new(),
            }));
        }
        let (what, found) = match (&query.phone, &query.name) {
            (Some(phone), _) => (
                "phoneNumber",
                self.reader.customers_with_phone(phone, limit).await?,
            ),
            (None, Some(name)) => ("name", self.reader.customers_named(name, limit).await?),
            (None, None) => return Ok(Err(SearchRefusal::NothingAsked)),
        };
        Ok(if found.len() > MOST_CANDIDATES as usize {
            Err(SearchRefusal::TooBroad(what))
        } else {
            Ok(found)
        })
    }

    async fn with_addresses(
        &self,
        found: Vec<(Score, Customer)>,
    ) -> Result<Vec<FoundCustomer>, StoreError> {
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<CustomerId> = found.iter().map(|(_, customer)| customer.id).collect();
        let counts = self.reader.address_counts(&ids).await?;
        let counts = counts.into_iter().chain(std::iter::repeat(0));
        Ok(found
            .into_iter()
            .zip(counts)
            .map(|((score, customer), address_count)| FoundCustomer {
                customer,
                address_count,
                score,
            })
            .collect())
    }
}
