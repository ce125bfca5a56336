/** The network as the bot's thread sees it: what comes from it, and what is sent. */

import { Worker } from "node:worker_threads";

import type { Choice, Wishes } from "./conversation.js";
import type { Environment } from "./environment.js";
import { problemOf, type FalseDeal } from "./errors.js";
import type { Delivery } from "./outputs.js";

/** What the network's thread is started with. */
export interface NetworkData {
  readonly environment: Environment;
  readonly wishes: Wishes;
}

/** What comes from it, and when it came there, in nanoseconds of a clock that only goes forward. */
export interface FromNetwork {
  readonly delivery: Delivery;
  readonly cameNs: bigint;
}

/** What it gets. */
export type ToNetwork =
  | { readonly do: "leave" }
  | { readonly do: "falseDeal"; readonly match: string; readonly reason: string; readonly text: string }
  | {
      readonly do: "answer";
      readonly match: string;
      readonly decision: bigint;
      readonly choice: Choice;
      readonly note: string;
    };

/** Twice the bound on leaving a stream, and something for a busy machine. */
const LEAVE_MS_MAX = 4_000;

/** The network's thread. */
export class Network {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;

  /** Starts the thread; `take` gets what comes, and last of all a `Close`. */
  constructor(data: NetworkData, take: (delivery: Delivery, cameNs: bigint) => void) {
    // The thread needs nothing of what the bot's own process was started with, such as options of a debugger.
    this.#worker = new Worker(new URL("./network_thread.js", import.meta.url), { workerData: data, execArgv: [] });
    this.#exited = new Promise((resolve) => {
      this.#worker.once("exit", () => {
        resolve();
      });
    });
    this.#worker.on("message", ({ delivery, cameNs }: FromNetwork) => {
      take(delivery, cameNs);
    });
    this.#worker.on("error", (error) => {
      take({ do: "close", problem: problemOf(error) }, process.hrtime.bigint());
    });
  }

  /** Sends the bot's answer. */
  answer(match: string, decision: bigint, choice: Choice, note: string): void {
    this.#tell({ do: "answer", match, decision, choice, note });
  }

  /** Writes into the trace that a deal was not the one promised. */
  falseDeal(match: string, { reason, message }: FalseDeal): void {
    this.#tell({ do: "falseDeal", match, reason, text: message });
  }

  /** Closes the stream, and ends the thread within a time limit. */
  async leave(): Promise<void> {
    this.#tell({ do: "leave" });
    const timer = setTimeout(() => void this.stop(), LEAVE_MS_MAX);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Ends the thread at once. */
  async stop(): Promise<void> {
    await this.#worker.terminate();
  }

  #tell(message: ToNetwork): void {
    this.#worker.postMessage(message);
  }
}
