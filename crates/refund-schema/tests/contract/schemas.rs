//! The published schemas stay inside what every client takes.

use refund_schema::{
    CheckReturnEligibilityInput, CheckReturnEligibilityOutput, CheckWarrantyCoverageInput,
    CheckWarrantyCoverageOutput, EscalateToHumanInput, EscalateToHumanOutput, FindCustomerInput,
    FindCustomerOutput, FindDeviceInput, FindDeviceOutput, GetBillingStatusInput,
    GetBillingStatusOutput, GetCustomerRecordInput, GetCustomerRecordOutput, GetFeeQuoteInput,
    GetFeeQuoteOutput, GetOpenReturnsForDeviceInput, GetOpenReturnsForDeviceOutput, GetRefundInput,
    GetRefundOutput, ListRefundsInput, ListRefundsOutput, LookupOrderInput, LookupOrderOutput,
    PreviewRefundInput, PreviewRefundOutput, ProcessReturnInput, ProcessReturnOutput,
    ResolveShippingAddressInput, ResolveShippingAddressOutput, SearchDevicesInput,
    SearchDevicesOutput, TriggerRefundInput, TriggerRefundOutput, input_schema, output_schema,
};
use serde_json::{Map, Value, json};

fn inputs() -> [(&'static str, Map<String, Value>); 17] {
    [
        (
            "get_customer_record",
            input_schema::<GetCustomerRecordInput>(),
        ),
        ("trigger_refund", input_schema::<TriggerRefundInput>()),
        ("get_refund", input_schema::<GetRefundInput>()),
        ("list_refunds", input_schema::<ListRefundsInput>()),
        ("preview_refund", input_schema::<PreviewRefundInput>()),
        ("lookup_order", input_schema::<LookupOrderInput>()),
        (
            "check_return_eligibility",
            input_schema::<CheckReturnEligibilityInput>(),
        ),
        ("process_return", input_schema::<ProcessReturnInput>()),
        (
            "get_billing_status",
            input_schema::<GetBillingStatusInput>(),
        ),
        ("escalate_to_human", input_schema::<EscalateToHumanInput>()),
        (
            "check_warranty_coverage",
            input_schema::<CheckWarrantyCoverageInput>(),
        ),
        ("get_fee_quote", input_schema::<GetFeeQuoteInput>()),
        ("find_device", input_schema::<FindDeviceInput>()),
        ("search_devices", input_schema::<SearchDevicesInput>()),
        (
            "get_open_returns_for_device",
            input_schema::<GetOpenReturnsForDeviceInput>(),
        ),
        ("find_customer", input_schema::<FindCustomerInput>()),
        (
            "resolve_shipping_address",
            input_schema::<ResolveShippingAddressInput>(),
        ),
    ]
}

fn outputs() -> [(&'static str, Map<String, Value>); 17] {
    [
        (
            "get_customer_record",
            output_schema::<GetCustomerRecordOutput>(),
        ),
        ("trigger_refund", output_schema::<TriggerRefundOutput>()),
        ("get_refund", output_schema::<GetRefundOutput>()),
        ("list_refunds", output_schema::<ListRefundsOutput>()),
        ("preview_refund", output_schema::<PreviewRefundOutput>()),
        ("lookup_order", output_schema::<LookupOrderOutput>()),
        (
            "check_return_eligibility",
            output_schema::<CheckReturnEligibilityOutput>(),
        ),
        ("process_return", output_schema::<ProcessReturnOutput>()),
        (
            "get_billing_status",
            output_schema::<GetBillingStatusOutput>(),
        ),
        (
            "escalate_to_human",
            output_schema::<EscalateToHumanOutput>(),
        ),
        (
            "check_warranty_coverage",
            output_schema::<CheckWarrantyCoverageOutput>(),
        ),
        ("get_fee_quote", output_schema::<GetFeeQuoteOutput>()),
        ("find_device", output_schema::<FindDeviceOutput>()),
        ("search_devices", output_schema::<SearchDevicesOutput>()),
        (
            "get_open_returns_for_device",
            output_schema::<GetOpenReturnsForDeviceOutput>(),
        ),
        ("find_customer", output_schema::<FindCustomerOutput>()),
        (
            "resolve_shipping_address",
            output_schema::<ResolveShippingAddressOutput>(),
        ),
    ]
}

/// Every keyword that a published schema may have. Absent on purpose, among others: `$schema`, `$ref`,
/// `$defs`, `title`, `const`, `format`, `multipleOf`, `anyOf`, `oneOf`, `allOf`.
const KEYWORDS: [&str; 16] = [
    "type",
    "description",
    "enum",
    "pattern",
    "minLength",
    "maxLength",
    "exclusiveMinimum",
    "minimum",
    "maximum",
    "default",
    "items",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "additionalProperties",
];

// Cases R-025, R-130, R-131, R-140.
fn walk(place: &str, schema: &Value, is_field: bool) {
    let Value::Object(schema) = schema else {
        panic!("{place}: not an object: {schema}");
    };
    for keyword in schema.keys() {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{place}: {keyword}");
    }
    let kind = schema["type"]
        .as_str()
        .unwrap_or_else(|| panic!("{place}: type"));
    if is_field {
        let description = schema["description"].as_str().unwrap();
        assert!(
            description.len() >= 10 && !description.contains('\n'),
            "{place}: {description}"
        );
    }
    for keyword in ["exclusiveMinimum", "minimum", "maximum"] {
        let limit = schema.get(keyword);
        assert!(
            limit.is_none_or(Value::is_i64) || limit.is_some_and(Value::is_u64),
            "{place}"
        );
    }
    if let Some(words) = schema.get("enum") {
        assert_eq!(kind, "string", "{place}");
        assert!(
            words.as_array().unwrap().iter().all(Value::is_string),
            "{place}"
        );
    }
    match kind {
        "object" => {
            assert_eq!(schema["additionalProperties"], false, "{place}");
            let properties = schema["properties"].as_object().unwrap();
            assert!(!properties.is_empty(), "{place}");
            for (name, property) in properties {
                walk(&format!("{place}.{name}"), property, true);
            }
            for name in schema
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                assert!(
                    properties.contains_key(name.as_str().unwrap()),
                    "{place}: {name}"
                );
            }
        }
        "array" => walk(&format!("{place}[]"), &schema["items"], false),
        "string" | "number" | "integer" | "boolean" => {}
        other => panic!("{place}: {other}"),
    }
}

#[test]
fn every_schema_stays_inside_the_subset() {
    for (tool, schema) in inputs().into_iter().chain(outputs()) {
        let schema = Value::Object(schema);
        assert_eq!(schema["type"], "object", "{tool}");
        walk(tool, &schema, false);
        assert!(jsonschema::meta::is_valid(&schema), "{tool}");
        assert!(!schema.to_string().contains("\"x-"), "{tool}");
    }
}

#[test]
fn schemas_are_the_same_every_time() {
    assert_eq!(
        serde_json::to_string(&inputs()).unwrap(),
        serde_json::to_string(&inputs()).unwrap()
    );
    assert_eq!(
        serde_json::to_string(&outputs()).unwrap(),
        serde_json::to_string(&outputs()).unwrap()
    );
}

fn without_descriptions(schema: Map<String, Value>) -> String {
    fn strip(schema: &mut Value) {
        if let Value::Object(schema) = schema {
            schema.shift_remove("description");
            for (_, property) in schema
                .get_mut("properties")
                .and_then(Value::as_object_mut)
                .into_iter()
                .flatten()
            {
                strip(property);
            }
            if let Some(items) = schema.get_mut("items") {
                strip(items);
            }
        }
    }
    let mut schema = Value::Object(schema);
    strip(&mut schema);
    schema.to_string()
}

#[test]
fn the_arguments_as_published() {
    let refund = r#"{"type":"object","properties":{"customer_id":{"type":"string","pattern":"^CUST-[0-9]{5}$"},"amount":{"type":"number","exclusiveMinimum":0,"maximum":1000000},"reason":{"type":"string","minLength":10,"maxLength":500},"idempotency_key":{"type":"string","pattern":"^[!-~]*$","minLength":1,"maxLength":255}},"required":["customer_id","amount","reason"],"additionalProperties":false}"#;
    let any_id = r#"{"type":"string","pattern":"^$|[^\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]","minLength":1,"maxLength":320}"#;
    let key = r#"{"type":"string","pattern":"^[!-~]*$","minLength":1,"maxLength":255}"#;
    let user = format!(
        r#"{{"type":"object","properties":{{"user_id":{any_id}}},"required":["user_id"],"additionalProperties":false}}"#
    );
    let order = user.replace("user_id", "order_id");
    let processed = format!(
        r#"{{"type":"object","properties":{{"order_id":{any_id},"reason":{{"type":"string","minLength":1,"maxLength":500}},"idempotency_key":{key}}},"required":["order_id","reason"],"additionalProperties":false}}"#
    );
    let turn = format!(
        r#"{{"type":"object","properties":{{"session_id":{any_id},"user_message":{{"type":"string","minLength":1,"maxLength":4000}},"idempotency_key":{key}}},"required":["session_id","user_message"],"additionalProperties":false}}"#
    );
    let unit = any_id.replace("320", "128");
    let day = r#"{"type":"string","pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}"#;
    let boolean = r#"{"type":"boolean"}"#;
    let criterion = r#"{"type":"string","maxLength":320}"#;
    let take =
        |usual: u32| format!(r#"{{"type":"integer","minimum":1,"maximum":25,"default":{usual}}}"#);
    let coverage = format!(
        r#"{{"type":"object","properties":{{"identifier":{unit},"today":{day},"problemDescription":{{"type":"string","maxLength":4000}},"regionCode":{{"type":"string","pattern":"^[A-Za-z]{{2}}(-[A-Za-z0-9]{{1,3}})?$"}},"proofOfPurchaseOnFile":{boolean},"hasOpenReturn":{boolean}}},"required":["identifier","today"],"additionalProperties":false}}"#
    );
    let quote = format!(
        r#"{{"type":"object","properties":{{"identifier":{unit},"today":{day}}},"required":["identifier","today"],"additionalProperties":false}}"#
    );
    let device = format!(
        r#"{{"type":"object","properties":{{"identifier":{unit},"includeUnitsWithOpenReturns":{{"type":"boolean","default":false}},"today":{day}}},"required":["identifier"],"additionalProperties":false}}"#
    );
    let devices = format!(
        r#"{{"type":"object","properties":{{"productName":{criterion},"model":{criterion},"sku":{criterion},"take":{}}},"additionalProperties":false}}"#,
        take(10)
    );
    let open_returns = user.replace("user_id", "deviceId").replace("320", "128");
    let customer = format!(
        r#"{{"type":"object","properties":{{"name":{criterion},"email":{criterion},"phoneNumber":{criterion},"externalCustomerId":{criterion},"take":{}}},"additionalProperties":false}}"#,
        take(5)
    );
    let shipping = format!(
        r#"{{"type":"object","properties":{{"customerId":{{"type":"string","pattern":"^CUST-[0-9]{{5}}$"}},"freeTextAddress":{}}},"required":["customerId","freeTextAddress"],"additionalProperties":false}}"#,
        any_id.replace("320", "500")
    );
    let expected = [
        r#"{"type":"object","properties":{"customer_id":{"type":"string","pattern":"^CUST-[0-9]{5}$"}},"required":["customer_id"],"additionalProperties":false}"#,
        refund,
        r#"{"type":"object","properties":{"refund_id":{"type":"string","pattern":"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"},"idempotency_key":{"type":"string","pattern":"^[!-~]*$","minLength":1,"maxLength":255}},"minProperties":1,"maxProperties":1,"additionalProperties":false}"#,
        r#"{"type":"object","properties":{"customer_id":{"type":"string","pattern":"^CUST-[0-9]{5}$"},"limit":{"type":"integer","minimum":1,"maximum":100,"default":20},"cursor":{"type":"string","pattern":"^r(0|[1-9a-f][0-9a-f]{0,14}|[1-7][0-9a-f]{15})$"}},"required":["customer_id"],"additionalProperties":false}"#,
        refund,
        &user,
        &order,
        &processed,
        &user,
        &turn,
        &coverage,
        &quote,
        &device,
        &devices,
        &open_returns,
        &customer,
        &shipping,
    ];
    for ((tool, schema), expected) in inputs().into_iter().zip(expected) {
        assert_eq!(without_descriptions(schema), expected, "{tool}");
    }
}

#[test]
fn the_answer_of_a_refund_need_never_change() {
    let schema = output_schema::<TriggerRefundOutput>();
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "refundId",
            "customerId",
            "amount",
            "currency",
            "reason",
            "status",
            "processedAt",
            "remainingRefundableBalance",
            "replayed",
            "approvalId",
            "expiresAt",
        ]
    );
    assert_eq!(
        schema["properties"]["status"]["enum"],
        json!(["processed", "pending_approval"])
    );
    assert_eq!(
        schema["required"],
        json!([
            "customerId",
            "amount",
            "currency",
            "reason",
            "status",
            "remainingRefundableBalance"
        ])
    );
    let pending = json!({
        "customerId": "CUST-00001", "amount": 900, "currency": "USD", "reason": "Item arrived damaged",
        "status": "pending_approval", "remainingRefundableBalance": 100, "approvalId": "a",
        "expiresAt": "2026-03-02T12:00:00.000Z",
    });
    assert!(jsonschema::is_valid(&Value::Object(schema), &pending));
}

#[test]
fn the_key_is_described_for_retries() {
    let schema = input_schema::<TriggerRefundInput>();
    let description = schema["properties"]["idempotency_key"]["description"]
        .as_str()
        .unwrap();
    for part in [
        "Reuse the same key when you retry the same refund",
        "Never make up a new key per attempt",
        "a new key only for a new decision",
    ] {
        assert!(description.contains(part), "{description}");
    }
}
