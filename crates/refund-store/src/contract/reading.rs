//! What was saved is read back, and reading moves nothing.

use refund_domain::ports::{CustomerReader, RefundReader};
use refund_domain::refund::KeyUse;
use refund_domain::{
    CompanyName, Customer, ExternalId, LanguageTag, PersonName, PhoneNumber, RefundId,
};

use super::RefundContractStore;
use super::given::{Ask, balance, customer, id, key, principal, processed, refunds, suspended};

/// Every field, optional ones included.
pub async fn a_customer_comes_back_as_saved<F: RefundContractStore>() {
    let full = Customer {
        name: PersonName::new("Zoë Ōtsuka-O'Brien 🎉").unwrap(),
        external_id: Some(ExternalId::new("EXT-10001").unwrap()),
        phone_number: Some(PhoneNumber::new("+81 3-5550-0100").unwrap()),
        company: Some(CompanyName::new("Example & Co.").unwrap()),
        language: Some(LanguageTag::new("ja-JP").unwrap()),
        ..suspended(0, 1, "KWD")
    };
    let plain = customer(99_999, 999_999_999_999_999, "JPY");
    let made = F::with(vec![full.clone(), plain.clone()]).await;
    for saved in [full, plain] {
        let read = made.store().customer(saved.id).await.unwrap();
        assert_eq!(read, Some(saved));
    }
    assert_eq!(made.store().customer(id(1)).await.unwrap(), None);
}

/// And by no other.
pub async fn a_refund_is_found_by_id_and_by_key<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let reason = "返品のため — \"quoted\"; DROP TABLE refunds; --\n🎉 second line";
    let ask = Ask::new(1, "10").key("it's_\"K\"");
    let refund = processed(ask.clone().reason(reason).of(&store).await);
    assert_eq!(refund.reason.as_str(), reason);
    assert_eq!(store.refund(refund.id).await.unwrap(), Some(refund.clone()));
    let (local, used, unused) = (principal("local"), key("it's_\"K\""), key("other"));
    let by_key = store.refund_by_key(&local, &used).await;
    assert_eq!(by_key.unwrap(), Some(refund));
    let nobody = RefundId::new("00000000-0000-4000-8000-000000000000").unwrap();
    assert_eq!(store.refund(nobody).await.unwrap(), None);
    let by_key = store.refund_by_key(&local, &unused).await;
    assert_eq!(by_key.unwrap(), None);
}

/// With the total on every page, and a next page only where there is one.
pub async fn pages_go_from_the_newest_to_the_oldest<F: RefundContractStore>() {
    let customers = vec![customer(1, 10_000, "USD"), customer(2, 10_000, "USD")];
    let made = F::with(customers).await;
    let store = made.store();
    let mut made_so_far = Vec::new();
    for number in 0..7 {
        // Times that go back don't change the order.
        let ask = Ask::new(1, "1").days_later(-number);
        made_so_far.insert(0, processed(ask.of(&store).await));
        let _of_somebody_else = processed(Ask::new(2, "1").of(&store).await);
    }
    for limit in [1, 2, 3, 6, 7, 8, 100] {
        let mut read = Vec::new();
        let mut before = None;
        loop {
            let page = store.refunds_of(id(1), limit, before).await;
            let page = page.unwrap().unwrap();
            assert_eq!(page.total, 7);
            assert!(page.refunds.len() <= limit as usize);
            assert!(!page.refunds.is_empty(), "no page is empty, by {limit}");
            read.extend(page.refunds);
            before = page.next;
            if before.is_none() {
                break;
            }
        }
        assert_eq!(read, made_so_far, "by {limit}");
    }
    // A page that was begun goes on below where it ended, whatever comes on top meanwhile.
    let first = store.refunds_of(id(1), 3, None).await.unwrap().unwrap();
    let _newer = processed(Ask::new(1, "1").of(&store).await);
    let second = store.refunds_of(id(1), 3, first.next).await;
    assert_eq!(second.unwrap().unwrap().refunds, made_so_far[3..6]);
}

/// Unlike one without refunds.
pub async fn an_unknown_customer_has_no_pages<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 0, "USD")]).await;
    let store = made.store();
    assert_eq!(store.refunds_of(id(2), 20, None).await.unwrap(), None);
    let page = store.refunds_of(id(1), 20, None).await.unwrap().unwrap();
    assert_eq!((page.total, page.refunds, page.next), (0, vec![], None));
}

/// They are what the next refund will be decided by.
pub async fn facts_move_nothing<F: RefundContractStore>() {
    let made = F::with(vec![customer(1, 10_000, "USD")]).await;
    let store = made.store();
    let ask = Ask::new(1, "10").key("K");
    let local = principal("local");
    for _ in 0..3 {
        let facts = store.refund_facts(&local, ask.request()).await.unwrap();
        assert_eq!(facts.customer, Some(customer(1, 10_000, "USD")));
        assert_eq!(facts.key_use, None);
    }
    assert_eq!(refunds(&store, 1).await, []);
    let refund = processed(ask.of(&store).await);
    let facts = store.refund_facts(&local, ask.request()).await.unwrap();
    assert_eq!(facts.key_use, Some(KeyUse::Refund(refund)));
    let theirs = principal("theirs");
    let facts = store.refund_facts(&theirs, ask.request()).await.unwrap();
    assert_eq!(facts.key_use, None);
    let unknown = Ask::new(2, "10");
    let facts = store.refund_facts(&local, unknown.request()).await.unwrap();
    assert_eq!(facts.customer, None);
    assert_eq!(balance(&store, 1).await, 9_000);
}
