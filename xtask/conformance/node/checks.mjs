// What both generations of the TypeScript client check, whatever their API looks like.
//
// A client script hands over `connect(database, mode)`, which starts the server through its SDK's
// stdio transport, or with `listening` for its HTTP transport, and returns `{ info(), list(), call(tool, args), prompts(), prompt(name, args),
// kill(), close() }`; `call` throws `{ code, message, data }` for a protocol error. A third argument
// replaces the server's own arguments.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import Ajv2020 from "ajv/dist/2020.js";
import { conversation as returns } from "./returns.mjs";
import { conversation as warranty } from "./warranty.mjs";

export const [binary, scratch] = process.argv.slice(2);

/** Running out of it means that something hangs; nothing is slow here. */
export const DEADLINE = 60_000;

const TOOLS = ["get_customer_record", "get_refund", "list_refunds", "preview_refund", "trigger_refund"];
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let passed = 0;
let failed = 0;

export async function check(name, body) {
  try {
    await body();
    passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    failed += 1;
    const text = String(error?.message ?? error).replaceAll(/\s+/g, " ");
    console.log(`FAIL ${name}: ${text.slice(0, 600)}`);
  }
}

const refund = (amount, key, more = {}) => ({
  customer_id: "CUST-00001",
  amount,
  reason: "The parcel arrived damaged",
  ...(key === undefined ? {} : { idempotency_key: key }),
  ...more,
});

/** The structured content of a call that succeeds, once it agrees with its text block. */
export async function content(server, tool, args) {
  const result = await server.call(tool, args);
  assert.ok(!result.isError, `refused: ${JSON.stringify(result.content)}`);
  assert.deepEqual(result.content.map((block) => block.type), ["text"]);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

/** Code and text of a call that is refused. */
export async function refusal(server, tool, args) {
  const result = await server.call(tool, args);
  assert.equal(result.isError, true, "not refused");
  assert.equal(result.structuredContent, undefined, "a refusal carries no structured content");
  assert.deepEqual(result.content.map((block) => block.type), ["text"]);
  return [result._meta?.["refund-mcp/code"], result.content[0].text];
}

/** The protocol error of a call. */
async function protocolError(server, tool, args) {
  let result;
  try {
    result = await server.call(tool, args);
  } catch (error) {
    return error;
  }
  throw new Error(`no protocol error: ${JSON.stringify(result)}`);
}

/** Path and code of every problem with the arguments of a call. */
async function issues(server, tool, args) {
  const error = await protocolError(server, tool, args);
  assert.equal(error.code, -32602, error.message);
  assert.equal(error.message, `Invalid arguments for tool ${tool}`);
  return error.data.issues.map((issue) => [issue.path, issue.code]);
}

function* nodes(value) {
  if (value !== null && typeof value === "object") {
    if (!Array.isArray(value)) yield value;
    for (const inner of Object.values(value)) yield* nodes(inner);
  }
}

/** No property without a description, nothing undeclared, nothing that some client cannot take. */
function readable(schema, where) {
  for (const word of ["anyOf", "oneOf", "allOf", "not"]) {
    assert.ok(!(word in schema), `${where} has a top-level ${word}`);
  }
  for (const node of nodes(schema)) {
    assert.ok(!("$schema" in node) && !("const" in node), `${where} has $schema or const`);
    assert.ok(!Array.isArray(node.type), `${where} has a list of types`);
    if (node.properties !== null && typeof node.properties === "object") {
      assert.equal(node.additionalProperties, false, `${where} takes undeclared properties`);
      for (const [name, property] of Object.entries(node.properties)) {
        assert.ok(property.description, `${where}.${name} has no description`);
      }
    }
  }
}

/** The conversation with a server in memory. */
async function inMemory(server) {
  await check("the server is named and described", async () => {
    const info = server.info();
    assert.equal(info.name, "refund-mcp");
    assert.ok(info.version, "no version");
    assert.ok(info.instructions, "no instructions");
    assert.ok(info.capabilities.tools, "no tools offered");
  });

  const tools = await server.list();

  await check("five tools, sorted by name", () => {
    assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
  });

  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const validators = new Map();
  for (const tool of tools) {
    await check(`${tool.name} is described in full`, () => {
      assert.ok(tool.title && tool.description, "no title or description");
      readable(tool.inputSchema, `${tool.name} input`);
      readable(tool.outputSchema, `${tool.name} output`);
      ajv.compile(tool.inputSchema);
      validators.set(tool.name, ajv.compile(tool.outputSchema));
      const writes = tool.name === "trigger_refund";
      assert.equal(tool.annotations.readOnlyHint, !writes);
      assert.equal(tool.annotations.destructiveHint, writes);
      assert.equal(typeof tool.annotations.idempotentHint, "boolean");
      assert.equal(typeof tool.annotations.openWorldHint, "boolean");
    });
  }

  const valid = async (tool, args) => {
    const value = await content(server, tool, args);
    const validate = validators.get(tool);
    assert.ok(validate?.(value), `${tool} does not keep its schema: ${ajv.errorsText(validate?.errors)}`);
    return value;
  };
  const balance = async () =>
    (await valid("get_customer_record", { customer_id: "CUST-00001" })).refundableBalance;

  await check("a customer's record, valid by the published schema", async () => {
    assert.deepEqual(await valid("get_customer_record", { customer_id: "CUST-00001" }), {
      customerId: "CUST-00001",
      name: "Alice Johnson",
      email: "alice.johnson@example.com",
      status: "active",
      currency: "USD",
      refundableBalance: 500,
      createdAt: "2024-01-15T09:30:00.000Z",
    });
  });

  await check("a preview moves nothing", async () => {
    const preview = await valid("preview_refund", refund(10.1));
    assert.deepEqual([preview.wouldSucceed, preview.refusal], [true, undefined]);
    assert.equal(preview.remainingRefundableBalance, 489.9);
    const refused = await valid("preview_refund", refund(600));
    assert.deepEqual([refused.wouldSucceed, refused.refusal.code], [false, "EXCEEDS_BALANCE"]);
    assert.equal(await balance(), 500);
  });

  let first;
  await check("a refund", async () => {
    first = await valid("trigger_refund", refund(10.1, "ts-1"));
    assert.match(first.refundId, UUID_V4);
    assert.match(first.processedAt, INSTANT);
    assert.deepEqual(
      [first.customerId, first.amount, first.currency, first.status, first.remainingRefundableBalance],
      ["CUST-00001", 10.1, "USD", "processed", 489.9],
    );
    assert.ok(!first.replayed, "a first refund is no replay");
  });

  await check("the same call with its key is replayed and moves nothing", async () => {
    const again = await valid("trigger_refund", refund(10.1, "ts-1"));
    assert.deepEqual(again, { ...first, replayed: true });
    assert.equal(await balance(), 489.9);
  });

  await check("the same key with another amount is refused", async () => {
    const [code, text] = await refusal(server, "trigger_refund", refund(11, "ts-1"));
    assert.equal(code, "IDEMPOTENCY_CONFLICT");
    assert.ok(text.includes(first.refundId) && text.includes("10.10 USD"), text);
  });

  await check("refusals are word for word", async () => {
    assert.deepEqual(await refusal(server, "trigger_refund", refund(600)), [
      "EXCEEDS_BALANCE",
      "Refund of 600.00 USD exceeds the refundable balance of 489.90 USD for customer CUST-00001.",
    ]);
    const suspended = refund(1, undefined, { customer_id: "CUST-00002" });
    assert.deepEqual(await refusal(server, "trigger_refund", suspended), [
      "CUSTOMER_SUSPENDED",
      "Customer CUST-00002 is suspended. Refunds are only issued to active customers.",
    ]);
    assert.deepEqual(await refusal(server, "get_customer_record", { customer_id: "CUST-99999" }), [
      "CUSTOMER_NOT_FOUND",
      "Customer CUST-99999 was not found.",
    ]);
  });

  await check("every problem of bad arguments comes in one answer", async () => {
    const bad = { note: true, customer_id: "cust-1", amount: "10.00", reason: "short" };
    assert.deepEqual(await issues(server, "trigger_refund", bad), [
      [["customer_id"], "pattern"],
      [["amount"], "invalid_type"],
      [["reason"], "too_short"],
      [["note"], "unknown_key"],
    ]);
    assert.deepEqual(await issues(server, "get_customer_record", {}), [[["customer_id"], "required"]]);
    assert.deepEqual(await issues(server, "trigger_refund", refund(10.001)), [[["amount"], "custom"]]);
  });

  await check("an unknown tool is a protocol error", async () => {
    const error = await protocolError(server, "nope", {});
    assert.deepEqual([error.code, error.message], [-32602, "Unknown tool: nope"]);
  });

  await check("a refund is found by its id and by its key", async () => {
    for (const args of [{ refund_id: first.refundId }, { idempotency_key: "ts-1" }]) {
      const found = await valid("get_refund", args);
      assert.deepEqual([found.refundId, found.remainingRefundableBalance], [first.refundId, 489.9]);
    }
    const [code] = await refusal(server, "get_refund", { idempotency_key: "ts-none" });
    assert.equal(code, "REFUND_NOT_FOUND");
  });

  await check("refunds are listed newest first, page by page", async () => {
    await valid("trigger_refund", refund(0.1));
    await valid("trigger_refund", refund(1.25));
    const amounts = [];
    let pages = 0;
    let cursor;
    do {
      const page = await valid("list_refunds", {
        customer_id: "CUST-00001",
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.deepEqual([page.customerId, page.total], ["CUST-00001", 3]);
      amounts.push(...page.refunds.map((entry) => entry.amount));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    assert.deepEqual([pages, amounts], [2, [1.25, 0.1, 10.1]]);
  });

  await check("calls at once with one key make one refund", async () => {
    const before = await balance();
    const calls = Array.from({ length: 20 }, () => valid("trigger_refund", refund(2, "ts-many")));
    const receipts = await Promise.all(calls);
    assert.equal(new Set(receipts.map((receipt) => receipt.refundId)).size, 1);
    assert.equal(receipts.filter((receipt) => !receipt.replayed).length, 1);
    assert.equal(Math.round((await balance()) * 100), Math.round(before * 100) - 200);
  });
}

/** A refund survives the death of the server that made it. */
async function durable(name, connect, mode) {
  const database = `sqlite:${join(scratch, `${name}.db`)}`;
  await check("demo customers are imported into a file", () => {
    execFileSync(binary, ["import", "--demo", "refunds", "--database", database], {
      stdio: "pipe",
      timeout: DEADLINE,
    });
  });
  let made;
  await check("a refund is answered, then the server is killed", async () => {
    const server = await connect(database, mode);
    made = await content(server, "trigger_refund", refund(25, "ts-durable"));
    await server.kill();
  });
  await check("after the restart its key finds it, a retry is replayed, the balance is right", async () => {
    const server = await connect(database, mode);
    try {
      const found = await content(server, "get_refund", { idempotency_key: "ts-durable" });
      assert.equal(found.refundId, made.refundId);
      const again = await content(server, "trigger_refund", refund(25, "ts-durable"));
      assert.deepEqual(again, { ...made, replayed: true });
      const record = await content(server, "get_customer_record", { customer_id: "CUST-00001" });
      assert.equal(record.refundableBalance, 475);
    } finally {
      await server.close();
    }
  });
}

/** Runs everything once per mode of the client and prints the closing line. */
export async function run(name, modes, connect) {
  for (const mode of modes) {
    let server;
    await check(`connects (${mode})`, async () => {
      server = await connect("memory:", mode);
    });
    if (server === undefined) continue;
    await inMemory(server);
    await server.close();
    await durable(`${name}-${mode}`, connect, mode);
    await returns(connect, mode);
    await warranty(connect, mode);
  }
  closing(name);
}

/** Prints the closing line. */
export function closing(name) {
  console.log(`${name}: ${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Starts the server over HTTP: its address, the headers that it wants, its process and its end. */
export async function listening(database, args) {
  const token = "a-token-for-the-conformance-run";
  const rate = ["--rate-limit", "100000", "--rate-burst", "100000"];
  const child = spawn(binary, ["http", "--port", "0", ...rate, ...args, "--database", database], {
    env: { ...process.env, MCP_HTTP_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) {
    const { address } = JSON.parse(line);
    if (address === undefined) continue;
    child.stderr.resume();
    const url = new URL(`http://${address}/mcp`);
    return { url, headers: { authorization: `Bearer ${token}` }, child, gone };
  }
  throw new Error("the server does not listen");
}

/** Ends a server as a power cut would, and waits until its transport has seen it go. */
export async function killed(transport, gone) {
  process.kill(transport.pid, "SIGKILL");
  await gone;
}
