// Follows matches by the stream that all pages of this browser share; where there are no shared workers, by one of the page's own.

import { Streams } from "./streams.js";

const WORKER = "stream_worker.js";
const hearers = new Map(); // by match
let line = null;

const tell = (match, said) => hearers.get(match)?.(said);

/** The way to the stream: `add(match, place)` and `remove(match)`. */
function lineTo(prefix) {
  if (typeof SharedWorker !== "function") return new Streams(`${prefix}/api/stream`, tell);
  const { port } = new SharedWorker(`${prefix}/static/${WORKER}`, { type: "module", name: "mergemaker" });
  port.addEventListener("message", ({ data }) => tell(data.match, data.said));
  port.start();
  const found = { add: (match, place) => port.postMessage({ match, place }), remove: (match) => port.postMessage({ match, place: null }) };
  // A page that goes cannot say so later.
  window.addEventListener("pagehide", () => [...hearers.keys()].forEach(found.remove));
  return found;
}

/** Tells `hear` what is said of a match from an event on. Returns what ends that. */
export function follow(prefix, match, place, hear) {
  line ??= lineTo(prefix);
  hearers.set(match, hear);
  line.add(match, place);
  return () => {
    if (hearers.get(match) !== hear) return;
    hearers.delete(match);
    line.remove(match);
  };
}
