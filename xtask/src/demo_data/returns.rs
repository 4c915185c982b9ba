//! The demo data of the returns desk.

use serde_json::{Value, json};

/// Id, name and address. They are easily mistaken for each other, on purpose.
const CUSTOMERS: [(&str, &str, &str); 5] = [
    ("CUST-00004", "Ami Murasaki", "Ami.Murasaki@example.com"),
    ("CUST-00005", "Goshi Tanabe", "goshi.tanabe@example.com"),
    (
        "CUST-00006",
        "Takeharu Mokuda",
        "takeharu.mokuda@example.com",
    ),
    ("CUST-00007", "Amigo Murasaka", "amigo.murasaka@example.com"),
    (
        "CUST-00008",
        "Mokuga Takehiro",
        "takehiro.mokuga@example.com",
    ),
];
/// Number, name, category and price in JPY.
const PRODUCTS: [(&str, &str, &str, u32); 3] = [
    ("COLA-500-12", "コーラ(500ml) 12本入りパック", "飲料", 1_800),
    (
        "TEA-350-24",
        "ブレンド茶(350ml) 24本入りパック",
        "飲料",
        2_400,
    ),
    (
        "GYUDON-18",
        "冷凍牛丼お得パック 18個入り",
        "冷凍食品",
        5_400,
    ),
];
/// The days of each customer's orders. On 2026-08-11 only those of the first can be returned.
const DATES: [&str; 3] = ["2026-08-01", "2026-07-01", "2026-06-01"];

/// The customers with their products and orders.
pub(super) fn file() -> Value {
    let mut customers = Vec::new();
    let mut orders = Vec::new();
    for (person, (id, name, email)) in (0_u32..).zip(CUSTOMERS) {
        let mut paid = 0;
        let products = PRODUCTS.iter().cycle().skip(person as usize);
        for ((nth, date), (sku, _, _, price)) in (0_u32..).zip(DATES).zip(products) {
            let quantity = 1 + (person / 2 + nth) % 2;
            // Nobody has paid everything or nothing, and of the newest orders some are paid.
            let is_paid = (person + nth) % 3 != 1;
            paid += u32::from(is_paid) * quantity * price;
            orders.push(json!({
                "order_id": format!("ORD-{}{:03}", person + 1, nth + 1),
                "customer_id": id,
                "sku": sku,
                "quantity": quantity,
                "unit_price": price,
                "currency": "JPY",
                "order_date": date,
                "billing_status": if is_paid { "paid" } else { "unpaid" },
            }));
        }
        customers.push(json!({
            "customer_id": id,
            "name": name,
            "email": email,
            "status": "active",
            "currency": "JPY",
            // What they paid.
            "refundable_balance": paid,
            "created_at": format!("2025-04-{:02}T01:00:00.000Z", person + 1),
            "language": "ja",
        }));
    }
    let products = PRODUCTS.map(|(sku, name, category, price)| {
        json!({
            "sku": sku,
            "name": name,
            "category": category,
            "unit_price": price,
            "currency": "JPY",
        })
    });
    json!({ "customers": customers, "products": products, "orders": orders })
}
