// What a page's stream does when its connection is lost, with sources and timers that the test moves: prints it as JSON.

import { pathToFileURL } from "node:url";

const timers = [];
globalThis.setTimeout = (call, after) => timers.push({ call, after });
globalThis.clearTimeout = (number) => { if (number) timers[number - 1] = null; };
const { Streams } = await import(pathToFileURL(process.argv[2]).href);

const opened = [];
const told = [];
class Source {
  constructor(address) {
    this.address = address;
    this.hearers = {};
    this.isClosed = false;
    opened.push(this);
  }

  addEventListener(kind, hear) { this.hearers[kind] = hear; }

  close() { this.isClosed = true; }

  say(kind, data) { this.hearers[kind]({ data: JSON.stringify(data) }); }
}
const streams = new Streams("stream", (match, said) => told.push([match, said]), (address) => new Source(address));
const waiting = () => timers.filter((timer) => timer !== null);

/** Time passes up to the next timer; returns how long that was. */
function pass() {
  const timer = waiting().reduce((least, each) => (each.after < least.after ? each : least));
  timers[timers.indexOf(timer)] = null;
  timer.call();
  return timer.after;
}

streams.add("m", 3);
opened[0].say("open");
opened[0].say("events", { match: "m", first_event: 3, events: ["a", "b"] });
opened[0].say("error");
const waits = [pass()];
opened[1].say("error");
waits.push(pass());
opened[2].say("open");
const quiet = pass(); // nothing comes any more, not even a beat
waits.push(pass());
opened[3].say("open");
opened[3].say("beat", {});
const timersWhileOpen = waiting().length;
streams.remove("m");
const states = told.map(([, said]) => (said.kind === "state" ? said.isLost : said.kind));
const addresses = opened.map((source) => source.address);
const closed = opened.map((source) => source.isClosed);
process.stdout.write(JSON.stringify({ addresses, closed, states, waits, quiet, timersWhileOpen, left: waiting().length }));
