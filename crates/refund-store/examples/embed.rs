//! A service of your own that refunds money, without MCP and without JSON: a desk over a store.
//!
//! `cargo run --package refund-store --example embed`

use refund_domain::{
    Caller, IdempotencyKey, Principal, Reason, RefundAmount, RefundDesk, RefundRequest, Role,
};
use refund_store::system::{RandomIds, SystemClock};
use refund_store::{DemoData, SqliteStore};

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what happens")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A store that is gone at the end; `SqliteStore::open(path)` keeps what it is given.
    let store = SqliteStore::memory()?;
    DemoData::Refunds.import_into(&store)?;
    let desk = RefundDesk::new(store, SystemClock, RandomIds);

    let caller = Caller::new(Principal::new("billing-service")?, Role::Agent);
    let key = IdempotencyKey::new("ticket-4711-line-1")?;
    let request = RefundRequest {
        customer_id: "CUST-00001".parse()?,
        amount: RefundAmount::new("12.50".parse()?)?,
        reason: Reason::new("Item arrived damaged")?,
        idempotency_key: Some(key.clone()),
    };
    // When this returns, the refund is in the store.
    let receipt = desk.trigger_refund(caller.clone(), request.clone()).await?;
    let refund = receipt.refund;
    let left = refund.remaining_refundable_balance;
    println!("refunded {}, {left} are left", refund.amount);

    // Nobody knows whether the answer arrived, so the same request is sent again.
    let again = desk.trigger_refund(caller.clone(), request).await?;
    println!("sent again, replayed: {}", again.replayed);

    let found = desk.refund_by_key(&caller.principal, &key).await?;
    println!("found by its key: {}", found == refund);
    Ok(())
}
