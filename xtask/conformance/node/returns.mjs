// The conversation of a support agent that uses the toolset `returns`, from who asks to the end of
// ten turns, on the day for which the demo data was made.

import assert from "node:assert/strict";
import { check, content, refusal } from "./checks.mjs";

const TOOLS = [
  "check_return_eligibility",
  "escalate_to_human",
  "get_billing_status",
  "lookup_order",
  "process_return",
];

const ARGUMENTS = ["--toolsets", "returns", "--demo", "returns", "--today", "2026-08-11"];

/** Code, category and details of a call that is refused with a structured error. */
async function problem(server, tool, args) {
  const [code, text] = await refusal(server, tool, args);
  const { error } = JSON.parse(text);
  assert.equal(error.code, code);
  assert.ok(error.message.length > 10, text);
  return [error.code, error.category, error.details];
}

export async function conversation(connect, mode) {
  let server;
  await check(`the returns desk opens (${mode})`, async () => {
    server = await connect("memory:", mode, ARGUMENTS);
    assert.deepEqual((await server.list()).map((tool) => tool.name), TOOLS);
  });
  if (server === undefined) return;

  await check("the agent's prompt is served in two languages", async () => {
    assert.deepEqual((await server.prompts()).map((prompt) => prompt.name), ["support_desk"]);
    const text = async (language) =>
      (await server.prompt("support_desk", { language })).messages[0].content.text;
    assert.ok((await text("en")).includes("lookup_order"));
    assert.match(await text("ja"), /[\u3041-\u3096]/);
  });

  let orders;
  await check("who asks: an address that is only similar is nobody", async () => {
    const args = { user_id: "ami.murasaka@example.com" };
    assert.deepEqual(await problem(server, "lookup_order", args), ["USER_NOT_FOUND", "NOT_FOUND", args]);
    const found = await content(server, "lookup_order", { user_id: "AMI.MURASAKI@example.com" });
    assert.equal(found.user.user_id, "Ami.Murasaki@example.com");
    assert.equal(found.order_count, 3);
    orders = found.orders;
    assert.deepEqual(orders.map((order) => order.order_date), ["2026-08-01", "2026-07-01", "2026-06-01"]);
  });

  await check("what can be returned: August's order, not July's or June's", async () => {
    const judged = [];
    for (const { order_id } of orders) {
      judged.push(await content(server, "check_return_eligibility", { order_id }));
    }
    assert.deepEqual(judged.map((one) => [one.eligible, one.reason, one.deadline_date, one.days_elapsed]), [
      [true, "OK", "2026-09-01", 10],
      [false, "EXPIRED", "2026-08-01", 41],
      [false, "EXPIRED", "2026-07-01", 71],
    ]);
  });

  await check("the return, its message, and its retry", async () => {
    const args = { order_id: orders[0].order_id, reason: "Broken", idempotency_key: `return-${mode}` };
    const made = await content(server, "process_return", args);
    assert.equal(made.notification.to, "Ami.Murasaki@example.com");
    assert.ok(made.notification.subject && made.notification.body.includes(made.return_id));
    assert.deepEqual(await content(server, "process_return", args), { ...made, replayed: true });
    assert.deepEqual(await problem(server, "process_return", { order_id: args.order_id, reason: "Again" }), [
      "RETURN_NOT_ELIGIBLE",
      "BUSINESS_RULE",
      { order_id: args.order_id, reason: "ALREADY_RETURNED", deadline_date: "2026-09-01" },
    ]);
    const late = { order_id: orders[1].order_id, reason: "Too late" };
    assert.equal((await problem(server, "process_return", late))[2].reason, "EXPIRED");
    const now = await content(server, "lookup_order", { user_id: "ami.murasaki@example.com" });
    assert.deepEqual(now.orders.map((order) => order.returned), [true, false, false]);
  });

  await check("what is to be paid, and how", async () => {
    const bills = await content(server, "get_billing_status", { user_id: "goshi.tanabe@example.com" });
    const unpaid = bills.billing.filter((bill) => bill.billing_status === "unpaid");
    assert.equal(bills.unpaid_count, unpaid.length);
    assert.ok(unpaid.length > 0 && unpaid.length < bills.billing.length);
    for (const bill of bills.billing) {
      assert.equal("payment_instructions" in bill, bill.billing_status === "unpaid");
    }
  });

  await check("ten turns with a person, then no more", async () => {
    for (let turn = 1; turn <= 10; turn += 1) {
      const args = { session_id: `talk-${mode}`, user_message: `Message ${turn} 👋` };
      const answer = await content(server, "escalate_to_human", args);
      const status = turn === 5 ? "confirm_close" : turn === 10 ? "force_closed" : "active";
      assert.deepEqual(
        [answer.turn_count, answer.status, answer.received_message],
        [turn, status, args.user_message],
      );
      assert.ok(answer.guidance);
    }
    const args = { session_id: `talk-${mode}`, user_message: "One more" };
    assert.deepEqual(await problem(server, "escalate_to_human", args), [
      "SESSION_CLOSED",
      "STATE_CONFLICT",
      { session_id: args.session_id },
    ]);
  });

  await check("bad arguments are a result with every problem in it", async () => {
    const [code, category, details] = await problem(server, "process_return", { reason: " ", note: 1 });
    assert.deepEqual([code, category], ["INVALID_INPUT", "VALIDATION"]);
    assert.deepEqual(details.issues.map((issue) => [issue.path, issue.code]), [
      [["order_id"], "required"],
      [["reason"], "too_short"],
      [["note"], "unknown_key"],
    ]);
  });

  await server.close();
}
