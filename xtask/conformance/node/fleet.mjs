// Two servers on one PostgreSQL database behind a load balancer, many clients of the 2.x packages, and
// accidents: node fleet.mjs SERVER SCRATCH DATABASE
//
// A server is killed and started again, the database is lost and comes back, the other server is killed.
// Whoever runs this script restarts the database when it prints the line `RESTART`. The clients ask again with
// their keys until they are answered. What they were told is then held against what the store exports;
// I1 to I6 are those of crates/refund-mcp/tests/wire/reliability/oracle.rs.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { balance } from "./balancer.mjs";
import { binary, check, closing, DEADLINE, listening, scratch } from "./checks.mjs";

const RESTART = "restart the database";
const database = process.argv[4];
const CLIENTS = 16;
const REFUNDS = 5000;
const CUSTOMERS = 20;
const OPENING = 1_000_000;
/** The last customer's money runs out. */
const SHORT = 20_000;
const TOOLSETS = ["--toolsets", "refunds"];

const customer = (number) => `CUST-${String(number).padStart(5, "0")}`;
const opening = (number) => (number === CUSTOMERS ? SHORT : OPENING);
const cents = (amount) => Math.round(amount * 100);
const run = (...words) =>
  execFileSync(binary, [...words, "--database", database], { maxBuffer: 1 << 28, stdio: "pipe" });

/** What was asked for and what was answered: the client's side of the books. */
const journal = Array.from({ length: REFUNDS }, (_, index) => ({
  key: `fleet-${index}`,
  customer: customer(1 + (index % CUSTOMERS)),
  cents: 1 + ((index * 7919) % 4000),
  answers: [],
  sent: 0,
}));

/** Sends one request, and again with its key until it is answered. */
async function answered(client, entry, more = {}) {
  for (;;) {
    entry.sent += 1;
    let result;
    try {
      result = await client.callTool(
        {
          name: "trigger_refund",
          arguments: {
            customer_id: entry.customer,
            amount: entry.cents / 100,
            reason: `The parcel of ${entry.key} arrived damaged`,
            idempotency_key: entry.key,
            ...more,
          },
        },
        { timeout: DEADLINE },
      );
    } catch {
      result = undefined;
    }
    const code = result?._meta?.["refund-mcp/code"];
    if (result !== undefined && code !== "STORE_UNAVAILABLE") {
      return code ?? result.structuredContent;
    }
    // As a client should that meets a server which is away.
    await pause(25);
  }
}

/** A connected client; half of them shake hands, half are stateless. */
async function connect(number, url, headers) {
  const mode = number % 2 === 0 ? "legacy" : "auto";
  const client = new Client(
    { name: "fleet", version: "1.0.0" },
    { versionNegotiation: { mode } },
  );
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }), {
    timeout: DEADLINE,
  });
  return client;
}

/** Works through `entries` with all clients. */
async function shared(clients, entries, work) {
  const left = entries[Symbol.iterator]();
  await Promise.all(
    clients.map(async (client) => {
      for (const entry of left) await work(client, entry);
    }),
  );
}

const instances = [];
const addresses = [];
async function start(index) {
  instances[index] = await listening(database, TOOLSETS);
  addresses[index] = instances[index].url.host;
}
async function kill(index) {
  instances[index].child.kill("SIGKILL");
  await instances[index].gone;
}

/** What happens to the fleet, by the number of refunds that were answered before it. */
const accidents = new Map([
  [800, () => kill(0)],
  [1400, () => start(0)],
  [2200, () => console.log(RESTART)],
  [3400, () => kill(1)],
  [4000, () => start(1)],
]);

const file = join(scratch, "fleet.json");
const customers = Array.from({ length: CUSTOMERS }, (_, index) => ({
  customer_id: customer(index + 1),
  name: `Customer ${index + 1}`,
  email: `customer.${index + 1}@example.com`,
  status: "active",
  currency: "USD",
  refundable_balance: opening(index + 1) / 100,
  created_at: "2026-01-01T00:00:00.000Z",
}));
writeFileSync(file, JSON.stringify({ customers }));

let proxy;
let clients;
await check("two servers start on one database, and clients connect through the balancer", async () => {
  run("migrate");
  run("import", file);
  await Promise.all([start(0), start(1)]);
  proxy = await balance(addresses);
  const { headers } = instances[0];
  clients = await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) => connect(index, proxy.url, headers)),
  );
});

await check(`${REFUNDS} refunds are answered through accidents`, async () => {
  let done = 0;
  const happening = [];
  await shared(clients, journal, async (client, entry) => {
    // A client in a hurry sends twice at once.
    const copies = entry.cents % 10 === 0 ? 2 : 1;
    entry.answers.push(
      ...(await Promise.all(Array.from({ length: copies }, () => answered(client, entry)))),
    );
    done += 1;
    happening.push(accidents.get(done)?.());
  });
  await Promise.all(happening);
  assert.ok(proxy.counts.every((count) => count > REFUNDS / 5), `uneven: ${proxy.counts}`);
});

await check("I5: a retry of what was unsure, and of others, gives the same result", async () => {
  const again = journal.filter(
    (entry, index) => entry.sent > 1 || typeof entry.answers[0] === "string" || index % 5 === 0,
  );
  assert.ok(journal.some((entry) => entry.sent > entry.answers.length), "no accident hurt anybody");
  await shared(clients, again, async (client, entry) => {
    const answer = await answered(client, entry);
    assert.equal(answer.replayed, typeof entry.answers[0] === "string" ? undefined : true);
    entry.answers.push(answer);
  });
  for (const { key, answers } of journal) {
    const once = answers.filter((answer) => !answer.replayed);
    assert.ok(typeof answers[0] === "string" || once.length <= 1, `${key} was paid ${once.length} times`);
    for (const answer of answers) {
      const plain = (value) => (typeof value === "string" ? value : { ...value, replayed: undefined });
      assert.deepEqual(plain(answer), plain(answers[0]), key);
      if (typeof answer === "string") assert.equal(answer, "EXCEEDS_BALANCE", key);
    }
  }
});

await check("I6: the same key with another amount is refused", async () => {
  const paid = journal.filter((entry, index) => index % 10 === 0 && entry.answers[0].refundId);
  assert.ok(paid.length > REFUNDS / 20, `only ${paid.length}`);
  await shared(clients, paid, async (client, entry) => {
    const other = await answered(client, entry, { amount: (entry.cents + 1) / 100 });
    assert.equal(other, "IDEMPOTENCY_CONFLICT", entry.key);
  });
});

await check("the servers stop in good order", async () => {
  await Promise.all(clients.map((client) => client.close()));
  await proxy.close();
  for (const { child, gone } of instances) {
    child.kill("SIGTERM");
    assert.deepEqual(await gone, [0, null]);
  }
});

await check("I1 to I4: what was told is what the store holds", () => {
  const stored = JSON.parse(run("export"));
  const byKey = new Map(stored.refunds.map((refund) => [refund.idempotency_key, refund]));
  assert.equal(byKey.size, stored.refunds.length, "I2: a key is there twice");
  assert.equal(new Set(stored.refunds.map((refund) => refund.refund_id)).size, byKey.size, "I1");
  const spent = new Map();
  for (const entry of journal) {
    const refund = byKey.get(entry.key);
    const [answer] = entry.answers;
    if (typeof answer === "string") {
      assert.equal(refund, undefined, `I1: ${entry.key} was refused`);
      continue;
    }
    assert.ok(refund, `I1: ${entry.key} is lost`);
    byKey.delete(entry.key);
    assert.deepEqual(
      [refund.refund_id, refund.customer_id, cents(refund.amount), refund.processed_at],
      [answer.refundId, entry.customer, entry.cents, answer.processedAt],
      `I1: ${entry.key}`,
    );
    assert.equal(cents(refund.remaining_refundable_balance), cents(answer.remainingRefundableBalance));
    spent.set(entry.customer, (spent.get(entry.customer) ?? 0) + entry.cents);
  }
  assert.deepEqual([...byKey.keys()], [], "I4: nobody asked for these");
  for (let number = 1; number <= CUSTOMERS; number += 1) {
    const id = customer(number);
    const { refundable_balance } = stored.customers.find((found) => found.customer_id === id);
    assert.equal(cents(refundable_balance), opening(number) - spent.get(id), `I3: ${id}`);
    assert.ok(refundable_balance >= 0, `I3: ${id}`);
  }
  assert.ok(
    journal.some((entry) => entry.answers[0] === "EXCEEDS_BALANCE"),
    "nobody's money ran out",
  );
});

await check("the store's own check passes", () => {
  run("check");
});

for (const { child } of instances) child.kill("SIGKILL");
closing("fleet");
