//! The contract suite: what every store behind the ports of `refund-domain` must do.
//!
//! Implement [`ContractStore`] for something that makes your store, and write
//! `refund_store::contract_tests!(YourType);` in a test. Every case becomes a `#[test]` of its own
//! with a database of its own. A store for refunds alone implements [`RefundContractStore`] and writes
//! `refund_store::refund_contract_tests!(YourType);`, as `examples/own_store.rs` does.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "this module is test code that other crates can call"
)]

pub mod adjusting;
pub mod arithmetic;
pub mod clocks;
pub mod concurrency;
pub mod given;
pub mod given_orders;
pub mod given_units;
pub mod keys;
pub mod messages;
pub mod orders;
pub mod people;
pub mod products;
pub mod reading;
pub mod refusals;
pub mod returns;
pub mod turns;
pub mod units;

use refund_domain::ports::{
    CustomerDirectory, CustomerReader, CustomerWriter, EscalationWriter, OrderReader, Outbox,
    RefundReader, RefundWriter, ReturnWriter,
};
use refund_domain::warranty::WarrantyReader;
use refund_domain::{Customer, OrderLine};

/// Makes the store under test, for the ports of refunds alone.
pub trait RefundContractStore: Sized {
    /// The store. Clones are handles on one store, used by several threads at once.
    type Store: CustomerReader + RefundReader + RefundWriter + Clone + 'static;

    /// A new store that holds these customers and nothing else.
    fn with(customers: Vec<Customer>) -> impl Future<Output = Self>;

    /// A handle on the store.
    fn store(&self) -> Self::Store;

    /// Closes the store and opens it again; `None` if it keeps nothing.
    fn reopen(self) -> impl Future<Output = Option<Self>>;
}

/// What makes a store for everything makes one for refunds.
impl<T: ContractStore> RefundContractStore for T {
    type Store = <T as ContractStore>::Store;

    fn with(customers: Vec<Customer>) -> impl Future<Output = Self> {
        <T as ContractStore>::with(customers)
    }

    fn store(&self) -> Self::Store {
        ContractStore::store(self)
    }

    fn reopen(self) -> impl Future<Output = Option<Self>> {
        ContractStore::reopen(self)
    }
}

/// Makes the store under test, for the ports of every toolset.
pub trait ContractStore: Sized {
    /// The store. Clones are handles on one store, used by several threads at once.
    type Store: CustomerReader
        + CustomerDirectory
        + CustomerWriter
        + RefundReader
        + RefundWriter
        + OrderReader
        + ReturnWriter
        + EscalationWriter
        + Outbox
        + Clone
        + 'static;

    /// A new store that holds these customers and nothing else.
    fn with(customers: Vec<Customer>) -> impl Future<Output = Self> {
        Self::with_orders(customers, Vec::new())
    }

    /// A new store that holds these customers, orders with their products, and nothing else.
    fn with_orders(customers: Vec<Customer>, orders: Vec<OrderLine>) -> impl Future<Output = Self>;

    /// A handle on the store, whose messages to customers are simulated.
    fn store(&self) -> Self::Store;

    /// A handle on the store, whose messages to customers wait to be sent.
    fn sending_mail(&self) -> Self::Store;

    /// Closes the store and opens it again; `None` if it keeps nothing.
    fn reopen(self) -> impl Future<Output = Option<Self>>;
}

/// Makes the store under test, for the readers of the warranty desk.
pub trait WarrantyContractStore: Sized {
    /// What reads the store. Clones are handles on one store.
    type Reader: WarrantyReader + Clone + 'static;

    /// A new store that holds what a JSON document of [`crate::transfer`] says, and nothing else.
    fn with_data(json: &str) -> impl Future<Output = Self>;

    /// A handle that reads the store.
    fn reader(&self) -> Self::Reader;
}

/// Runs a case on a runtime with several threads.
pub fn run(case: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .unwrap()
        .block_on(case);
}

/// Runs the suite of refunds on the store that a [`RefundContractStore`] makes.
#[macro_export]
macro_rules! refund_contract_tests {
    ($store:ty) => {
        $crate::contract_tests! { @modules $store;
            arithmetic {
                a_thousand_tenths_leave_exactly_nothing
                ten_thousand_cents_leave_exactly_nothing
                every_currency_counts_in_its_own_units
            }
            concurrency {
                a_storm_never_overdraws
                two_that_fit_only_alone
                fifty_calls_with_one_key_are_one_refund
                an_abandoned_call_is_whole_or_nothing
            }
            keys {
                a_retry_gets_its_first_receipt
                lost_replies_sent_again_pay_nothing_twice
                a_key_does_not_age
                a_key_with_other_arguments_is_a_conflict
                a_key_belongs_to_its_principal
                a_refusal_does_not_use_up_its_key
                a_key_survives_reopening
            }
            reading {
                a_customer_comes_back_as_saved
                a_refund_is_found_by_id_and_by_key
                pages_go_from_the_newest_to_the_oldest
                an_unknown_customer_has_no_pages
                facts_move_nothing
            }
            refusals {
                an_unknown_customer_is_refused
                a_suspended_customer_is_refused
                more_than_the_balance_is_refused
                decimals_that_the_currency_lacks_are_refused
            }
        }
    };
}

/// Runs the suite of warranties on the store that a [`WarrantyContractStore`](crate::contract::WarrantyContractStore)
/// makes.
#[macro_export]
macro_rules! warranty_contract_tests {
    ($store:ty) => {
        $crate::contract_tests! { @modules $store;
            people {
                customers_are_found_by_what_is_known_of_them
                names_are_found_as_a_scan_finds_them
                a_customer_is_listed_once_and_whole
                a_domain_in_punycode_is_the_same_domain
                a_name_of_everybody_is_refused
                addresses_come_in_the_order_in_which_they_were_added
                a_text_means_an_address
            }
            products {
                units_are_found_by_their_product
                products_are_found_as_a_scan_finds_them
                units_stand_in_the_order_of_the_products
                a_search_that_fits_everything_is_refused
            }
            units {
                each_unit_of_the_demonstration_comes_to_its_outcome
                an_identifier_in_any_spelling_is_the_same
                identities_that_look_alike_stay_apart
                two_kinds_of_identifiers_can_clash
                identifiers_are_found_as_a_scan_finds_them
                a_unit_with_an_open_return_is_suppressed
                a_unit_comes_back_as_saved
                units_stand_in_the_order_of_their_characters
            }
        }
    };
}

/// Runs the whole suite on the store that a [`ContractStore`] makes.
#[macro_export]
macro_rules! contract_tests {
    ($store:ty) => {
        $crate::refund_contract_tests!($store);
        $crate::contract_tests! { @modules $store;
            adjusting {
                a_balance_goes_up_and_down
                a_correction_that_cannot_be_changes_nothing
                a_correction_with_a_key_is_made_once
                corrections_and_refunds_at_once_lose_nothing
                customers_are_found_by_address_and_in_pages
            }
            clocks {
                keys_replay_under_every_clock
                lists_do_not_follow_the_clock
                messages_of_every_clock_go_out
                every_instant_has_a_day
            }
            messages {
                a_return_has_one_message
                a_simulated_message_is_never_handed_out
                a_claim_runs_out
                a_failed_message_is_tried_again_later
                a_clock_that_goes_back_holds_no_message_up
                each_message_goes_to_one_of_many
                a_message_survives_reopening
            }
            orders {
                an_order_comes_back_as_saved
                a_customer_is_found_by_exact_address
                orders_come_in_the_order_that_is_chosen
            }
            returns {
                a_return_marks_its_order_and_moves_no_money
                an_order_is_returned_once
                an_order_that_came_as_returned_stays_so
                the_rules_are_asked_before_anything_is_saved
                of_two_at_once_one_gets_it
                a_retry_gets_its_first_return
                twenty_calls_with_one_key_are_one_return
                a_refused_return_does_not_use_up_its_key
                a_key_belongs_to_one_tool
                a_return_survives_reopening
                an_abandoned_return_is_whole_or_nothing
            }
            turns {
                ten_turns_and_then_the_session_is_closed
                parallel_turns_are_counted_one_by_one
                a_repeated_turn_counts_once
                other_calls_leave_the_count_alone
                a_count_survives_reopening
            }
        }
    };
    (@modules $store:ty; $($module:ident { $($case:ident)* })*) => {
        $(mod $module {
            #[allow(unused_imports, reason = "the type may be named by a path of its own")]
            use super::*;
            $(
                #[test]
                fn $case() {
                    $crate::contract::run($crate::contract::$module::$case::<$store>());
                }
            )*
        })*
    };
}
