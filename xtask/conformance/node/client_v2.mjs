// The client of the 2.x packages against the real server: node client_v2.mjs SERVER SCRATCH
//
// It runs with the handshake, and with the stateless revision, which it must find by itself; over stdio
// and over HTTP.

import assert from "node:assert/strict";
import { Client, ProtocolError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { binary, DEADLINE, killed, listening, run } from "./checks.mjs";

const MODES = {
  handshake: { negotiation: "legacy", revision: "2025-11-25" },
  stateless: { negotiation: "auto", revision: "2026-07-28" },
  "handshake-http": { negotiation: "legacy", revision: "2025-11-25" },
  "stateless-http": { negotiation: "auto", revision: "2026-07-28" },
};

async function connect(database, mode, args = ["--toolsets", "refunds"]) {
  const { negotiation, revision } = MODES[mode];
  const http = mode.endsWith("http") ? await listening(database, args) : undefined;
  const transport = http
    ? new StreamableHTTPClientTransport(http.url, { requestInit: { headers: http.headers } })
    : new StdioClientTransport({
        command: binary,
        args: [...args, "--database", database],
        stderr: "ignore",
      });
  const client = new Client(
    { name: "conformance-v2", version: "1.0.0" },
    { versionNegotiation: { mode: negotiation } },
  );
  const gone = new Promise((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(transport, { timeout: DEADLINE });
  assert.equal(client.getNegotiatedProtocolVersion(), revision);
  return {
    info: () => ({
      ...client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
    list: async () => (await client.listTools(undefined, { timeout: DEADLINE })).tools,
    call: async (name, args) => {
      try {
        return await client.callTool({ name, arguments: args }, { timeout: DEADLINE });
      } catch (error) {
        if (!ProtocolError.isInstance(error)) throw error;
        throw { code: error.code, message: error.message, data: error.data };
      }
    },
    prompts: async () => (await client.listPrompts(undefined, { timeout: DEADLINE })).prompts,
    prompt: (name, args) => client.getPrompt({ name, arguments: args }, { timeout: DEADLINE }),
    kill: () => killed(http?.child ?? transport, http?.gone ?? gone),
    close: async () => {
      await client.close();
      http?.child.kill();
      await http?.gone;
    },
  };
}

await run("typescript-v2", Object.keys(MODES), connect);
