// Gives every request of the conformance suite the server's token, for which the suite has no option.
// It asks through undici, through fetch, which uses undici's dispatcher, and through node:http.

import http from "node:http";
import { Agent, setGlobalDispatcher } from "undici";

const authorization = `Bearer ${process.env.MCP_HTTP_TOKEN}`;

function pairs(headers = {}) {
  if (!Array.isArray(headers)) return [...(headers.entries?.() ?? Object.entries(headers))];
  return headers.flatMap((name, at) => (at % 2 ? [] : [[name, headers[at + 1]]]));
}

const withToken = (dispatch) => (options, handler) => {
  const others = pairs(options.headers).filter(([name]) => name.toLowerCase() !== "authorization");
  const headers = [...others.flat(), "authorization", authorization];
  return dispatch({ ...options, headers }, handler);
};
setGlobalDispatcher(new Agent().compose(withToken));

const request = http.request;
http.request = (...args) => {
  const made = request(...args);
  made.setHeader("authorization", authorization);
  return made;
};
