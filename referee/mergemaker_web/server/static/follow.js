// Follows matches by the stream that all pages of this browser share; where there are no shared workers, by one of the page's own.

import { Streams } from "./streams.js";

const WORKER = "stream_worker.js";
const hearers = new Map(); // by match: who hears of it, and from which event on
let line = null;

const tell = (match, said) => hearers.get(match)?.hear(said);

/** The way to the stream: `add(match, place)` and `remove(match)`. */
function lineTo(prefix) {
  const ownStream = () => new Streams(`${prefix}/api/stream`, tell);
  if (typeof SharedWorker !== "function") return ownStream();
  const worker = new SharedWorker(`${prefix}/static/${WORKER}`, { type: "module", name: "mergemaker" });
  const { port } = worker;
  worker.addEventListener("error", () => { // it could not be loaded, so it would never say anything
    line = ownStream();
    hearers.forEach(({ place }, match) => line.add(match, place));
  });
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
  hearers.set(match, { hear, place });
  line.add(match, place);
  return () => {
    if (hearers.get(match)?.hear !== hear) return;
    hearers.delete(match);
    line.remove(match);
  };
}
