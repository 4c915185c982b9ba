// The client of the 1.x packages against the real server: node client_v1.mjs SERVER SCRATCH

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import { binary, DEADLINE, killed, listening, run } from "./checks.mjs";

async function connect(database, mode, args = ["--toolsets", "refunds"]) {
  const http = mode.endsWith("http") ? await listening(database, args) : undefined;
  const transport = http
    ? new StreamableHTTPClientTransport(http.url, { requestInit: { headers: http.headers } })
    : new StdioClientTransport({
        command: binary,
        args: [...args, "--database", database],
        stderr: "ignore",
      });
  const client = new Client({ name: "conformance-v1", version: "1.0.0" });
  const gone = new Promise((resolve) => {
    client.onclose = resolve;
  });
  await client.connect(transport, { timeout: DEADLINE });
  return {
    info: () => ({
      ...client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
    list: async () => (await client.listTools(undefined, { timeout: DEADLINE })).tools,
    call: async (name, args) => {
      try {
        return await client.callTool({ name, arguments: args }, undefined, { timeout: DEADLINE });
      } catch (error) {
        // This SDK puts the code before the message that came over the wire.
        if (!(error instanceof McpError)) throw error;
        const message = error.message.replace(`MCP error ${error.code}: `, "");
        throw { code: error.code, message, data: error.data };
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

await run("typescript-v1", ["handshake", "handshake-http"], connect);
