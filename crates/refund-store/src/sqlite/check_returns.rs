//! The invariants of orders, returns, messages and conversations.

/// Queries that give one sentence for each violation, without personal data. `{return}` and `{turn}`
/// are the tools that make returns and count turns.
pub(crate) const INVARIANTS: [&str; 12] = [
    "SELECT 'order ' || o.order_id || ': there is no customer ' || o.customer_id
     FROM orders o LEFT JOIN customers c ON c.customer_id = o.customer_id
     WHERE c.customer_id IS NULL",
    "SELECT 'order ' || o.order_id || ': there is no product ' || o.sku
     FROM orders o LEFT JOIN products p ON p.sku = o.sku WHERE p.sku IS NULL",
    "SELECT 'return ' || r.return_id || ': there is no order ' || r.order_id
     FROM returns r LEFT JOIN orders o ON o.order_id = r.order_id WHERE o.order_id IS NULL",
    "SELECT 'return ' || r.return_id || ': order ' || r.order_id || ' does not say that it was returned'
     FROM returns r JOIN orders o ON o.order_id = r.order_id WHERE o.returned <> 1",
    // One that was made elsewhere and imported needs one only for retries of its key.
    "SELECT 'return ' || r.return_id || ': there is no message about it'
     FROM returns r LEFT JOIN outbox m ON m.return_id = r.return_id
     WHERE m.return_id IS NULL AND (r.import_seq IS NULL OR r.idempotency_key IS NOT NULL)",
    "SELECT 'message ' || m.seq || ': there is no return ' || m.return_id
     FROM outbox m LEFT JOIN returns r ON r.return_id = m.return_id WHERE r.return_id IS NULL",
    "SELECT 'return ' || r.return_id || ': its idempotency key ' || r.idempotency_key
         || ' of principal ' || r.principal || ' is not recorded for it'
     FROM returns r LEFT JOIN idempotency_keys k
         ON k.principal = r.principal AND k.key = r.idempotency_key
     WHERE r.idempotency_key IS NOT NULL AND (k.key IS NULL OR k.tool <> '{return}')",
    "SELECT 'a turn of conversation ' || t.session_id || ': its idempotency key ' || t.idempotency_key
         || ' of principal ' || t.principal || ' is not recorded for it'
     FROM escalation_turns t LEFT JOIN idempotency_keys k
         ON k.principal = t.principal AND k.key = t.idempotency_key
     WHERE k.key IS NULL OR k.tool <> '{turn}'",
    "SELECT 'idempotency key ' || k.key || ' of principal ' || k.principal
         || ': there is nothing that ' || k.tool || ' did with it'
     FROM idempotency_keys k
     LEFT JOIN returns r ON r.principal = k.principal AND r.idempotency_key = k.key
     LEFT JOIN escalation_turns t ON t.principal = k.principal AND t.idempotency_key = k.key
     WHERE (k.tool = '{return}' AND r.return_id IS NULL)
         OR (k.tool = '{turn}' AND t.session_id IS NULL)",
    "SELECT 'conversation ' || t.session_id || ' of principal ' || t.principal || ': turn '
         || t.turn_count || ' was counted, but it has had ' || coalesce(s.turn_count, 0)
     FROM escalation_turns t LEFT JOIN escalation_sessions s
         ON s.principal = t.principal AND s.session_id = t.session_id
     WHERE s.session_id IS NULL OR t.turn_count > s.turn_count",
    "SELECT 'return ' || r.return_id || ': audit row ' || r.import_seq || ' is not that of an import'
     FROM returns r LEFT JOIN audit a ON a.seq = r.import_seq
     WHERE r.import_seq IS NOT NULL AND (a.seq IS NULL OR a.outcome <> 'imported')",
    "SELECT 'return ' || r.return_id || ': it was imported, but audit row ' || a.seq
         || ' says that it was processed here'
     FROM audit a CROSS JOIN returns r ON r.return_id = a.return_id
     WHERE a.outcome = 'processed' AND r.import_seq IS NOT NULL",
];
