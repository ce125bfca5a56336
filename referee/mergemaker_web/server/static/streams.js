// One stream of server-sent events for all matches that are followed here, and what becomes of it when the connection is lost.

const QUIET_MS = 35_000; // the server sends something every 10 s
const RETRY_MS = [500, 1000, 2000, 4000, 8000, 15_000];
const KINDS = ["events", "over", "problem", "reset"];

export class Streams {
  /** `open` makes an EventSource; `tell` gets a match and what is said of it: `{ kind, ...data }`, where a kind may be `state`. */
  constructor(url, tell, open = (address) => new EventSource(address)) {
    this.url = url;
    this.tell = tell;
    this.open = open;
    this.places = new Map(); // by match: the number of the first event that is missing
    this.source = null;
    this.failures = 0;
    this.timer = null;
    this.watch = null;
  }

  /** Follows a match from an event on. */
  add(match, place) {
    const known = this.places.get(match);
    if (known !== undefined && known <= place) return this.tell(match, { kind: "state", isLost: this.failures > 0 });
    this.places.set(match, place);
    return this.connect();
  }

  /** Follows a match no longer. */
  remove(match) {
    if (this.places.delete(match) && !this.places.size) this.close();
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.watch);
    this.source?.close();
    this.source = null;
  }

  connect() {
    this.close();
    if (!this.places.size) return;
    const query = [...this.places].map(([match, place]) => `match=${encodeURIComponent(`${match}:${place}`)}`).join("&");
    const source = this.open(`${this.url}?${query}`);
    this.source = source;
    source.addEventListener("open", () => {
      this.failures = 0;
      this.state(false);
      this.listen();
    });
    source.addEventListener("error", () => this.lost());
    source.addEventListener("beat", () => this.listen());
    for (const kind of KINDS) source.addEventListener(kind, (event) => this.hear(kind, JSON.parse(event.data)));
    this.listen();
  }

  hear(kind, data) {
    this.listen();
    const { match } = data;
    if (!this.places.has(match)) return;
    if (kind === "events") this.places.set(match, data.first_event + data.events.length);
    else this.places.delete(match); // over; or whoever follows it begins anew
    this.tell(match, { kind, ...data });
    if (!this.places.size) this.close();
  }

  /** Begins to wait for the next sign of life. */
  listen() {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => this.lost(), QUIET_MS);
  }

  lost() {
    this.close();
    this.state(true);
    const wait = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), wait * (0.75 + Math.random() / 2));
  }

  state(isLost) {
    for (const match of this.places.keys()) this.tell(match, { kind: "state", isLost });
  }
}
