// The two tools of a refund desk on the official TypeScript SDK: strict schemas, amounts in whole
// cents, customers in memory, one JSON line a call on stderr. `cargo xtask bench` measures it beside
// our server, so it does what such a server must do and nothing that it need not. `server.mjs http` serves
// them over HTTP, without sessions, and prints its port.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const customers = new Map(
  [
    ["CUST-00001", "Alice Johnson", "alice.johnson@example.com", "active", 50_000_000_00],
    ["CUST-00002", "Bob Smith", "bob.smith@example.com", "suspended", 200_00],
    ["CUST-00003", "Carol White", "carol.white@example.com", "active", 0],
  ].map(([id, name, email, status, cents]) => [
    id,
    { id, name, email, status, currency: "USD", cents, createdAt: "2024-01-15T09:30:00.000Z" },
  ]),
);

const customerId = z.string().regex(/^CUST-\d{5}$/);

const getCustomerRecordInput = z.strictObject({ customer_id: customerId });

const triggerRefundInput = z.strictObject({
  customer_id: customerId,
  amount: z
    .number()
    .positive()
    .max(1_000_000)
    .refine((amount) => Math.abs(amount * 100 - Math.round(amount * 100)) < 1e-6, {
      error: "amount must have at most 2 decimal places",
    }),
  reason: z.string().trim().min(10).max(500),
});

class Refusal extends Error {}

function known(id) {
  const customer = customers.get(id);
  if (!customer) throw new Refusal(`Customer ${id} was not found.`);
  return customer;
}

function getCustomerRecord({ customer_id }) {
  const { id, name, email, status, currency, cents, createdAt } = known(customer_id);
  return { customerId: id, name, email, status, currency, refundableBalance: cents / 100, createdAt };
}

function triggerRefund({ customer_id, amount, reason }) {
  const customer = known(customer_id);
  const cents = Math.round(amount * 100);
  if (customer.status !== "active") {
    throw new Refusal(`Customer ${customer_id} is suspended. Refunds can only be issued to active accounts.`);
  }
  if (cents > customer.cents) {
    throw new Refusal(`Refund of ${amount} exceeds the refundable balance of ${customer.cents / 100}.`);
  }
  customer.cents -= cents;
  return {
    refundId: randomUUID(),
    customerId: customer_id,
    amount,
    currency: customer.currency,
    reason,
    status: "processed",
    processedAt: new Date().toISOString(),
    remainingRefundableBalance: customer.cents / 100,
  };
}

const tools = new Map([
  ["get_customer_record", { description: "Returns a customer record by id.", input: getCustomerRecordInput, run: getCustomerRecord }],
  ["trigger_refund", { description: "Issues a refund to a customer.", input: triggerRefundInput, run: triggerRefund }],
]);

const published = [...tools].map(([name, { description, input }]) => ({
  name,
  description,
  inputSchema: z.toJSONSchema(input, { io: "input" }),
}));

function log(fields) {
  process.stderr.write(`${JSON.stringify({ timestamp: new Date().toISOString(), level: "info", ...fields })}\n`);
}

function call({ params }) {
  const tool = tools.get(params.name);
  if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
  const parsed = tool.input.safeParse(params.arguments);
  if (!parsed.success) {
    log({ message: "call", tool: params.name, outcome: "invalid_arguments" });
    throw new McpError(ErrorCode.InvalidParams, `Invalid arguments for tool ${params.name}`, {
      issues: parsed.error.issues,
    });
  }
  const began = performance.now();
  try {
    const result = tool.run(parsed.data);
    log({ message: "call", tool: params.name, outcome: "ok", micros: Math.round((performance.now() - began) * 1000) });
    return { content: [{ type: "text", text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    log({ message: "call", tool: params.name, outcome: "refused" });
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

function newServer() {
  const server = new Server({ name: "bench-peer", version: "0.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: published }));
  server.setRequestHandler(CallToolRequestSchema, call);
  return server;
}

/** A server and a transport for each request, as the SDK wants it where there are no sessions. */
async function answer(request, response) {
  const server = newServer();
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: true,
  });
  response.on("close", () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

if (process.argv[2] === "http") {
  // Connections wait while one of them is measured.
  const listener = createServer({ keepAliveTimeout: 0 }, answer);
  listener.listen(0, "127.0.0.1", () => console.log(listener.address().port));
} else {
  await newServer().connect(new StdioServerTransport());
}
