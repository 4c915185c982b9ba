//! Orders are found by their id and by their customer's address.

use refund_domain::ports::OrderReader;
use refund_domain::{Currency, Money, OrderChoice, OrderPrice, Quantity};

use super::ContractStore;
use super::given::customer;
use super::given_orders::{id, order, unpaid};
use refund_domain::{Customer, EmailAddress, OrderLine};

fn address(text: &str) -> EmailAddress {
    EmailAddress::new(text).unwrap()
}

fn ids(lines: &[OrderLine]) -> Vec<&str> {
    lines.iter().map(|line| line.order.id.as_str()).collect()
}

/// Every field, in whatever currency, with the product and the customer.
pub async fn an_order_comes_back_as_saved<F: ContractStore>() {
    let mut odd = unpaid("注文 \0 1'; --", 1, "0001-01-01");
    let unit = Money::from_minor(1_255, Currency::new("KWD").unwrap()).unwrap();
    odd.order.price = OrderPrice::new(unit, Quantity::new(1_000_000).unwrap()).unwrap();
    odd.order.returned = true;
    let plain = order("A-1", 1, "9999-12-31");
    let owner = customer(1, 500, "USD");
    let made = F::with_orders(vec![owner.clone()], vec![odd.clone(), plain.clone()]).await;
    for saved in [odd, plain] {
        let read = made.store().order(&saved.order.id).await.unwrap().unwrap();
        assert_eq!(read.order, saved.order);
        assert_eq!(read.product, saved.product);
        assert_eq!(read.customer, owner);
    }
    for unknown in ["A-2", "a-1", "A-1 ", "注文 "] {
        let read = made.store().order(&id(unknown)).await.unwrap();
        assert_eq!(read, None, "{unknown:?}");
    }
}

/// Cases: without regard to case, and no look-alike matches.
pub async fn a_customer_is_found_by_exact_address<F: ContractStore>() {
    let with = |number, email: &str| Customer {
        email: address(email),
        ..customer(number, 0, "JPY")
    };
    let customers = vec![
        with(4, "Ami.Murasaki@example.com"),
        with(7, "amigo.murasaka@example.com"),
        with(8, "ÄMI.Murasaki@example.com"),
    ];
    let lines = vec![order("A-1", 4, "2026-08-01"), order("A-2", 7, "2026-08-01")];
    let made = F::with_orders(customers.clone(), lines).await;
    let store = made.store();
    for (asked, found) in [
        ("ami.murasaki@EXAMPLE.com", Some((0, "A-1"))),
        ("AMIGO.MURASAKA@EXAMPLE.COM", Some((1, "A-2"))),
        ("amigo.murasaki@example.com", None),
        ("ami.murasaka@example.com", None),
        ("\u{430}mi.murasaki@example.com", None),
        ("ami.murasak\u{131}@example.com", None),
        ("ami.murasaki@example.co", None),
        ("ami_murasaki@example.com", None),
        ("ami%@example.com", None),
    ] {
        let read = store
            .orders_of(&address(asked), OrderChoice::Newest, 100)
            .await
            .unwrap();
        match found {
            Some((index, order_id)) => {
                let read = read.unwrap();
                assert_eq!(read.customer, customers[index], "as stored");
                assert_eq!(ids(&read.orders), [order_id]);
            }
            None => assert_eq!(read, None, "{asked}"),
        }
    }
    // Case folding goes beyond ASCII, and a customer without orders has none.
    let read = store
        .orders_of(&address("ämi.murasaki@example.com"), OrderChoice::Newest, 1)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((read.total, read.unpaid, read.orders), (0, 0, vec![]));
}

/// The newest first, those of one day by id; or the unpaid ones before. The totals are of all.
pub async fn orders_come_in_the_order_that_is_chosen<F: ContractStore>() {
    let lines = vec![
        order("B", 1, "2026-07-01"),
        unpaid("D", 1, "2026-06-01"),
        order("C", 1, "2026-08-01"),
        order("A", 1, "2026-08-01"),
        unpaid("F", 1, "2026-07-15"),
        unpaid("E", 1, "2026-06-01"),
        unpaid("other", 2, "2026-08-01"),
    ];
    let customers = vec![customer(1, 0, "JPY"), customer(2, 0, "JPY")];
    let made = F::with_orders(customers, lines).await;
    let store = made.store();
    let email = address("customer.1@example.com");
    for (choice, all) in [
        (OrderChoice::Newest, ["A", "C", "F", "B", "D", "E"]),
        (OrderChoice::UnpaidFirst, ["F", "D", "E", "A", "C", "B"]),
    ] {
        for limit in [1, 3, 5, 6, 100] {
            let read = store.orders_of(&email, choice, limit).await;
            let read = read.unwrap().unwrap();
            assert_eq!((read.total, read.unpaid), (6, 3));
            let shown = all.len().min(limit as usize);
            assert_eq!(ids(&read.orders), all[..shown], "{choice:?}");
        }
    }
}
