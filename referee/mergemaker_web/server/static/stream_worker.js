// All pages of one browser share this worker, and so one stream: browsers open only a few connections to a server.

import { Streams } from "./streams.js";

const followers = new Map(); // by match: the ports of its pages
const url = new URL("../api/stream", import.meta.url).href;
const streams = new Streams(url, (match, said) => followers.get(match)?.forEach((port) => port.postMessage({ match, said })));

function leave(port, match) {
  const ports = followers.get(match);
  if (!ports?.delete(port) || ports.size) return;
  followers.delete(match);
  streams.remove(match);
}

self.addEventListener("connect", ({ ports: [port] }) => {
  port.addEventListener("message", ({ data: { match, place } }) => {
    if (place === null) return leave(port, match);
    if (!followers.has(match)) followers.set(match, new Set());
    followers.get(match).add(port);
    return streams.add(match, place);
  });
  port.start();
});
