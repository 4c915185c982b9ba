// A load balancer as plain as they come: each request goes to the next server, whoever asked.

import { createServer, request } from "node:http";

/** Listens on loopback for `servers`, a list of hosts with ports that may change at any time. */
export async function balance(servers) {
  let turn = 0;
  const counts = servers.map(() => 0);
  const proxy = createServer((asked, answer) => {
    turn = (turn + 1) % servers.length;
    const index = turn;
    const target = new URL(`http://${servers[index]}${asked.url}`);
    const onward = request(target, { method: asked.method, headers: asked.headers }, (came) => {
      counts[index] += 1;
      answer.writeHead(came.statusCode, came.headers);
      came.pipe(answer);
      came.on("error", () => answer.destroy());
    });
    // A server that is gone: the caller learns no more than that.
    onward.on("error", () => {
      if (answer.headersSent) {
        answer.destroy();
      } else {
        answer.writeHead(502).end();
      }
    });
    asked.pipe(onward);
  });
  proxy.listen(0, "127.0.0.1");
  await new Promise((resolve) => proxy.once("listening", resolve));
  return {
    url: new URL(`http://127.0.0.1:${proxy.address().port}/mcp`),
    counts,
    close: () => {
      proxy.closeAllConnections();
      return new Promise((resolve) => proxy.close(resolve));
    },
  };
}
