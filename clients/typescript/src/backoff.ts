/** When to reconnect after a stream broke: later and later, partly at random, not for ever. It has no clock. */

/** The first wait. */
export const RECONNECT_MS_MIN = 100;
/** No wait is longer, unless the referee asks for it. */
export const RECONNECT_MS_MAX = 10_000;
/** The same while a match goes on: the bot's clock may be running. */
export const RECONNECT_PLAYING_MS_MAX = 1_000;
/** The time to reach a referee that was never reached: its address may be wrong. */
export const FIRST_CONTACT_MS_MAX = 30_000;
/** The time to reach it again. */
export const GIVE_UP_MS = 120_000;
/** A stream that lasted this long was no failed attempt. */
export const STEADY_MS = 10_000;
const DOUBLINGS_MAX = 20;

/** Counts attempts. `chance` gives numbers from 0 to 1, so that bots that broke off together do not come back together. */
export class Backoff {
  readonly #chance: () => number;
  #downSinceMs: number;
  #openedMs: number;
  #isWelcome = false;
  /** Whether the referee was ever reached. */
  #wasWelcome = false;
  #attempts = 0;

  constructor(chance: () => number, nowMs: number) {
    this.#chance = chance;
    this.#downSinceMs = nowMs;
    this.#openedMs = nowMs;
  }

  /** How long it may take to reach the referee now. */
  get limitMs(): number {
    return this.#wasWelcome ? GIVE_UP_MS : FIRST_CONTACT_MS_MAX;
  }

  /** Notes an attempt to open a stream. */
  opened(nowMs: number): void {
    this.#openedMs = nowMs;
    this.#isWelcome = false;
  }

  /** Notes that the stream was accepted. */
  welcomed(): void {
    this.#isWelcome = true;
    this.#wasWelcome = true;
  }

  /** Something of a match came through it: the next break is a new one. */
  progressed(): void {
    this.#attempts = 0;
  }

  /** The stream is gone, perhaps in the middle of a match: how long to wait before the next; undefined to give up. */
  waitMs(nowMs: number, leastMs: number, isPlaying: boolean): number | undefined {
    if (this.#isWelcome) {
      this.#downSinceMs = nowMs;
      if (nowMs - this.#openedMs >= STEADY_MS) {
        this.#attempts = 0;
      }
    }
    const most = isPlaying ? RECONNECT_PLAYING_MS_MAX : RECONNECT_MS_MAX;
    const longest = Math.min(most, RECONNECT_MS_MIN * 2 ** Math.min(this.#attempts, DOUBLINGS_MAX));
    const wait = leastMs + Math.ceil((longest * (1 + this.#chance())) / 2);
    this.#attempts += 1;
    return nowMs + wait - this.#downSinceMs <= this.limitMs ? wait : undefined;
  }
}
