/** Turns of the event loop, one for each caller: in between, it handles what has come meanwhile. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isDue = false;

  /** Resolves in a turn of its own, after those of all earlier callers. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isDue || this.#waiting.length === 0) {
      return;
    }
    this.#isDue = true;
    // From within such a call the next one comes after the messages of other threads, not in the same turn.
    setImmediate(() => {
      this.#isDue = false;
      this.#waiting.shift()?.();
      this.#schedule();
    });
  }
}
