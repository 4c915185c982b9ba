//! Messages from the real store to a real SMTP conversation. The clock is passed in.

mod server;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use refund_domain::{
    BillingStatus, Calendar, Caller, CivilDate, Clock, Customer, CustomerId, CustomerStatus,
    EmailAddress, Money, NotificationWords, NotificationWriter, Order, OrderId, OrderLine,
    OrderPrice, PersonName, Principal, Product, ProductName, Quantity, ReturnId, ReturnNews,
    ReturnReason, ReturnRequest, ReturnsDesk, Role, Sku, TimeZone, Timestamp,
};
use refund_store::SqliteStore;
use refund_store::system::RandomIds;
use tokio::net::TcpListener;

use super::courier::Round;
use super::smtp::Trouble;
use super::{Courier, Sender, Smtp, SmtpUrl};
use crate::shutdown::Shutdown;
use server::{Event, Manner, Server};

/// A clock that goes on when it is told to.
#[derive(Debug, Clone)]
struct Hand(Arc<AtomicI64>);

impl Hand {
    fn at_rest() -> Self {
        let now = Timestamp::parse("2026-08-11T03:04:05.678Z").unwrap();
        Self(Arc::new(AtomicI64::new(now.unix_millis())))
    }

    fn says(&self, text: &str) {
        let now = Timestamp::parse(text).unwrap().unix_millis();
        self.0.store(now, Ordering::Relaxed);
    }

    fn go_on(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000, Ordering::Relaxed);
    }
}

impl Clock for Hand {
    fn now(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

#[derive(Debug)]
struct Words;

impl NotificationWriter for Words {
    fn return_accepted(&self, news: &ReturnNews<'_>) -> NotificationWords {
        NotificationWords {
            subject: format!("返品受付 {}", news.details.order.id),
            body: format!(
                "Dear {},\n.\n..two dots\nthe return is {}.\n",
                news.customer().name.as_str(),
                news.return_id
            ),
        }
    }
}

/// A store with some orders of one customer, and its clock.
struct Shop {
    store: SqliteStore,
    clock: Hand,
}

impl Shop {
    fn new(orders: u32, email: &str) -> Self {
        let store = SqliteStore::memory().unwrap().sending_mail();
        let yen = "JPY".parse().unwrap();
        let id = CustomerId::new("CUST-00004").unwrap();
        let customer = Customer {
            id,
            name: PersonName::new("Ami Murasaki").unwrap(),
            email: EmailAddress::new(email).unwrap(),
            status: CustomerStatus::Active,
            refundable_balance: Money::zero(yen),
            created_at: Timestamp::parse("2024-01-15T09:30:00Z").unwrap(),
            external_id: None,
            phone_number: None,
            company: None,
            language: None,
        };
        store.import_customers(vec![customer]).unwrap();
        let product = Product {
            sku: Sku::new("COLA-500-12").unwrap(),
            name: ProductName::new("コーラ").unwrap(),
        };
        let price = OrderPrice::new(
            Money::from_minor(1_800, yen).unwrap(),
            Quantity::new(1).unwrap(),
        );
        let lines: Vec<_> = (0..orders)
            .map(|number| OrderLine {
                order: Order {
                    id: OrderId::new(&format!("A-{number}")).unwrap(),
                    customer_id: id,
                    sku: product.sku.clone(),
                    price: price.clone().unwrap(),
                    order_date: CivilDate::parse("2026-08-01").unwrap(),
                    billing_status: BillingStatus::Paid,
                    returned: false,
                },
                product: product.clone(),
            })
            .collect();
        store.import_orders(&lines).unwrap();
        Self {
            store,
            clock: Hand::at_rest(),
        }
    }

    async fn return_order(&self, number: u32) -> ReturnId {
        let calendar = Calendar {
            zone: TimeZone::UTC,
            pinned: Some(CivilDate::parse("2026-08-11").unwrap()),
        };
        let desk = ReturnsDesk::new(self.store.clone(), self.clock.clone(), RandomIds, calendar);
        let caller = Caller::new(Principal::new("local").unwrap(), Role::Agent);
        let request = ReturnRequest {
            order_id: OrderId::new(&format!("A-{number}")).unwrap(),
            reason: ReturnReason::new("it leaks").unwrap(),
            idempotency_key: None,
        };
        let answer = desk.process_return(caller, request, Arc::new(Words)).await;
        answer.unwrap().value.order_return.id
    }

    fn courier(&self, url: &str) -> Courier<SqliteStore, Hand> {
        Courier::new(self.store.clone(), self.clock.clone(), smtp(url))
    }

    async fn round(&self, url: &str) -> Round {
        let courier = self.courier(url);
        courier.round(&Shutdown::new()).await.unwrap()
    }
}

fn smtp(url: &str) -> Smtp {
    let sender = Sender::parse("Shop <returns@example.com>").unwrap();
    Smtp::new(&SmtpUrl::parse(url).unwrap(), &sender).unwrap()
}

fn round(delivered: u32, failed: u32) -> Round {
    Round {
        delivered,
        failed,
        trouble: None,
    }
}

fn down() -> Round {
    Round {
        trouble: Some(Trouble::Down),
        ..round(0, 1)
    }
}

fn unwelcome() -> Round {
    Round {
        trouble: Some(Trouble::Unwelcome),
        ..round(0, 1)
    }
}

fn message_id(mail: &str) -> &str {
    let line = mail.lines().find(|line| line.starts_with("Message-ID: "));
    line.unwrap()
}

#[tokio::test]
async fn an_accepted_message_goes_out_once() {
    let mut server = Server::start(&[Manner::Accept]).await;
    let shop = Shop::new(1, "Ami.Murasaki@example.com");
    let id = shop.return_order(0).await;
    assert_eq!(shop.round(&server.url).await, round(1, 0));
    let events = server.so_far();
    let [Event::Connected, Event::Received(recipient, mail)] = events.as_slice() else {
        panic!("{events:?}");
    };
    assert_eq!(recipient, "RCPT TO:<Ami.Murasaki@example.com>");
    for line in [
        "From: Shop <returns@example.com>",
        "To: Ami.Murasaki@example.com",
        &format!("Message-ID: <{id}@refund-mcp>"),
        "Date: Tue, 11 Aug 2026 03:04:05 +0000",
        "Auto-Submitted: auto-generated",
        "Content-Type: text/plain; charset=utf-8",
        "Dear Ami Murasaki,",
        // Dots that begin a line are doubled on the way.
        "..",
        "...two dots",
    ] {
        assert!(mail.lines().any(|found| found == line), "{line}: {mail}");
    }
    assert!(mail.is_ascii() && !mail.contains("返"), "{mail}");
    shop.clock.go_on(36_000_000);
    assert_eq!(shop.round(&server.url).await, round(0, 0));
    assert_eq!(server.so_far(), []);
}

// T-12: at the edges of what a clock can say.
#[tokio::test]
async fn a_message_of_any_clock_is_dated() {
    for (says, dated) in [
        ("0000-01-01T00:00:00Z", "Thu, 01 Jan 1970 00:00:00 +0000"),
        (
            "9999-12-31T23:59:59.999Z",
            "Fri, 31 Dec 9999 23:59:59 +0000",
        ),
    ] {
        let mut server = Server::start(&[Manner::Accept]).await;
        let shop = Shop::new(1, "ami@example.com");
        shop.clock.says(says);
        let _id = shop.return_order(0).await;
        assert_eq!(shop.round(&server.url).await, round(1, 0), "{says}");
        let mails = server.mails();
        let line = format!("Date: {dated}");
        assert!(mails[0].lines().any(|found| found == line), "{mails:?}");
    }
}

#[tokio::test]
async fn a_refused_message_is_tried_again_seldom_and_holds_up_no_other() {
    let manners = [Manner::Recipient("550 no such user"), Manner::Accept];
    let mut server = Server::start(&manners).await;
    let shop = Shop::new(2, "ami@example.com");
    let first = shop.return_order(0).await;
    let _second = shop.return_order(1).await;
    assert_eq!(shop.round(&server.url).await, round(1, 1));
    assert_eq!(server.mails().len(), 1);
    shop.clock.go_on(3_599);
    assert_eq!(shop.round(&server.url).await, round(0, 0));
    shop.clock.go_on(1);
    assert_eq!(shop.round(&server.url).await, round(1, 0));
    assert!(message_id(&server.mails()[0]).contains(&first.to_string()));
}

#[tokio::test]
async fn what_fails_for_now_is_tried_again_soon() {
    let manners = [
        Manner::Recipient("451 greylisted"),
        Manner::Message("452 no room"),
        Manner::Accept,
    ];
    let mut server = Server::start(&manners).await;
    let shop = Shop::new(1, "ami@example.com");
    let _id = shop.return_order(0).await;
    for pause in [10, 20] {
        assert_eq!(shop.round(&server.url).await, round(0, 1));
        shop.clock.go_on(pause - 1);
        assert_eq!(shop.round(&server.url).await, round(0, 0));
        shop.clock.go_on(1);
    }
    assert_eq!(shop.round(&server.url).await, round(1, 0));
    let mails = server.mails();
    assert_eq!(mails.len(), 2, "the one that got no room, and the last");
    assert_eq!(message_id(&mails[0]), message_id(&mails[1]));
}

// The server may have taken it: it comes again, and can be told by its Message-ID.
#[tokio::test]
async fn a_connection_cut_after_the_data_repeats_the_same_mail() {
    let mut server = Server::start(&[Manner::CutAfterData, Manner::Accept]).await;
    let shop = Shop::new(1, "ami@example.com");
    let _id = shop.return_order(0).await;
    assert_eq!(shop.round(&server.url).await, down());
    shop.clock.go_on(10);
    assert_eq!(shop.round(&server.url).await, round(1, 0));
    let mails = server.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0], mails[1]);
}

#[tokio::test]
async fn a_server_that_is_down_is_not_asked_for_every_message() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}", listener.local_addr().unwrap());
    drop(listener);
    let shop = Shop::new(3, "ami@example.com");
    for number in 0..3 {
        let _id = shop.return_order(number).await;
    }
    assert_eq!(shop.round(&url).await, down());
    let mut server = Server::start(&[]).await;
    assert_eq!(shop.round(&server.url).await, round(2, 0));
    shop.clock.go_on(10);
    assert_eq!(shop.round(&server.url).await, round(1, 0));
    assert_eq!(server.mails().len(), 3);
}

// A wrong password must not be tried for every message, nor every few seconds: accounts get locked. After
// a start with the right one everything goes out.
#[tokio::test]
async fn a_server_that_does_not_let_us_in_is_asked_seldom() {
    let shop = Shop::new(3, "ami@example.com");
    for number in 0..3 {
        let _id = shop.return_order(number).await;
    }
    let with_password = |url: &str| url.replace("smtp://", "smtp://shop:secret@");
    // The first is asked twice, because what it says could be about the message.
    for manners in [
        vec![Manner::Greeting("554 no service for you"); 2],
        vec![Manner::Login("535 5.7.8 bad credentials")],
    ] {
        let mut server = Server::start(&manners).await;
        let asked = shop.round(&with_password(&server.url)).await;
        assert_eq!(asked, unwelcome());
        assert_eq!(server.so_far().len(), manners.len(), "one message tried");
        assert_eq!(
            asked.pause(Duration::from_secs(1)),
            Duration::from_secs(900)
        );
    }
    let mut server = Server::start(&[Manner::Login("454 try again later")]).await;
    let url = with_password(&server.url);
    shop.clock.go_on(20);
    assert_eq!(shop.round(&url).await.trouble, None, "said for now");
    shop.clock.go_on(20);
    let _rest = shop.round(&url).await;
    assert_eq!(server.mails().len(), 3);
}

#[test]
fn pauses_between_rounds() {
    let second = Duration::from_secs(1);
    assert_eq!(round(1, 1).pause(Duration::from_secs(900)), second);
    assert_eq!(down().pause(second), 2 * second);
    assert_eq!(down().pause(Duration::from_secs(900)), 60 * second);
    assert_eq!(unwelcome().pause(second), 900 * second);
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let server = Server::start(&[Manner::Silence]).await;
    let shop = Shop::new(1, "ami@example.com");
    let _id = shop.return_order(0).await;
    let smtp = smtp(&server.url).impatient(Duration::from_millis(50));
    let courier = Courier::new(shop.store.clone(), shop.clock.clone(), smtp);
    assert_eq!(courier.round(&Shutdown::new()).await.unwrap(), down());
    shop.clock.go_on(10);
    assert_eq!(shop.round(&server.url).await, round(1, 0));
}

// Two servers on one database.
#[tokio::test]
async fn two_couriers_send_each_message_once() {
    let mut server = Server::start(&[]).await;
    let shop = Shop::new(10, "ami@example.com");
    for number in 0..10 {
        let _id = shop.return_order(number).await;
    }
    let (one, two) = tokio::join!(shop.round(&server.url), shop.round(&server.url));
    assert_eq!(one.delivered + two.delivered, 10);
    let mut mails = server.mails();
    mails.sort();
    mails.dedup();
    assert_eq!(mails.len(), 10);
}

#[tokio::test]
async fn an_address_that_is_none_for_mail_is_refused_without_asking() {
    let mut server = Server::start(&[]).await;
    let shop = Shop::new(1, "ami,murasaki@example.com");
    let _id = shop.return_order(0).await;
    assert_eq!(shop.round(&server.url).await, round(0, 1));
    assert_eq!(server.so_far(), []);
}

#[tokio::test]
async fn the_task_delivers_until_it_is_told_to_stop() {
    let mut server = Server::start(&[]).await;
    let shop = Shop::new(1, "ami@example.com");
    let shutdown = Shutdown::new();
    let task = tokio::spawn(shop.courier(&server.url).run(shutdown.clone()));
    let id = shop.return_order(0).await;
    assert_eq!(server.events.recv().await, Some(Event::Connected));
    let Some(Event::Received(_, mail)) = server.events.recv().await else {
        panic!("no mail came");
    };
    assert!(message_id(&mail).contains(&id.to_string()));
    shutdown.stop();
    task.await.unwrap();
}

// An end waits for the message that is being sent, but not for long; it goes out again later.
#[tokio::test]
async fn an_end_is_not_held_up_by_a_slow_server() {
    let mut server = Server::start(&[Manner::Silence]).await;
    let shop = Shop::new(1, "ami@example.com");
    let _id = shop.return_order(0).await;
    let shutdown = Shutdown::new();
    let courier = shop.courier(&server.url).hasty(Duration::from_millis(20));
    let task = tokio::spawn(courier.run(shutdown.clone()));
    assert_eq!(server.events.recv().await, Some(Event::Connected));
    shutdown.stop();
    task.await.unwrap();
    assert_eq!(shop.round(&server.url).await, round(0, 0));
    shop.clock.go_on(120);
    assert_eq!(shop.round(&server.url).await, round(1, 0));
}
