/** `run(factory)`: the one call of a bot's file. Connects as the environment says, and plays. */

import type { BotFactory } from "./bot.js";
import type { Wishes } from "./conversation.js";
import { readEnvironment } from "./environment.js";
import { BadSetting, BotError, BotFailed, type FalseDeal, MergemakerError, errorOf, textOf } from "./errors.js";
import { Network } from "./network.js";
import { Player } from "./player.js";
import { complain } from "./reporting.js";
import type { MatchResult } from "./turn.js";

/** The exit statuses of a bot's process. */
const STOPPED = 0;
const FAILED = 1;
const WRONG_USE = 2;
const INTERRUPTED = 130;

const VERSION_CHARACTERS_MAX = 64;

/** How a bot plays. Where to go is in the environment, unless it is given here. */
export interface RunOptions {
  /** In place of `MERGEMAKER_SERVER`, `MERGEMAKER_TOKEN` and `MERGEMAKER_BOT`. */
  readonly server?: string;
  readonly token?: string;
  readonly name?: string;
  /** The bot's own version, for records: up to 64 characters. */
  readonly version?: string;
  /** How many matches to play; usually as many as there are for this bot. */
  readonly matches?: number;
  /** How many of them at once; usually 1. */
  readonly matchesAtOnce?: number;
  /** How events come: `held` until the next question (usually), or `immediate`. */
  readonly events?: "held" | "immediate";
  /** Whether to take the place of another live process with the same token. */
  readonly evict?: boolean;
  /** What becomes of a bot that fails: `default` answers its default and goes on (usually), `throw` ends it all. */
  readonly onError?: "default" | "throw";
}

/** What `play` takes besides. */
export interface PlayOptions extends RunOptions {
  /** Ends the play in an orderly way: `play` rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Takes what a bot's author should read; usually it goes to standard error. */
  readonly report?: (text: string) => void;
}

/**
 * Plays until the referee has no more matches for this bot, or `matches` are played, and resolves then.
 *
 * Problems are written to standard error and end the process: with 1 for what failed, 2 for wrong settings, 130 after Ctrl-C,
 * 0 after SIGTERM. A deal that was not the one promised is a failure, reported at once and at the end.
 */
export async function run(factory: BotFactory, options: RunOptions = {}): Promise<MatchResult[]> {
  const stopping = new AbortController();
  const interrupt = () => {
    stopping.abort(INTERRUPTED);
  };
  const terminate = () => {
    stopping.abort(STOPPED);
  };
  process.on("SIGINT", interrupt).on("SIGTERM", terminate);
  try {
    const results = await play(factory, { ...options, signal: stopping.signal });
    const reasons = new Set(results.flatMap(({ problem }) => (problem ? [problem.reason] : [])));
    if (reasons.size > 0) {
      const count = results.filter(({ problem }) => problem).length;
      const deals = `${count} of ${results.length} deals were not the ones promised`;
      complain(`${deals}: ${[...reasons].sort().join(", ")}`);
      return process.exit(FAILED);
    }
    return results;
  } catch (error) {
    if (stopping.signal.aborted) {
      if (stopping.signal.reason === INTERRUPTED) {
        complain("interrupted");
      }
      return process.exit(Number(stopping.signal.reason));
    }
    complain(error instanceof MergemakerError ? error.message : `the bot failed: ${textOf(error)}`);
    const isWrongUse = error instanceof BadSetting || error instanceof BotError;
    return process.exit(isWrongUse ? WRONG_USE : FAILED);
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", terminate);
  }
}

/** Plays as `run` does, and resolves with how the matches ended; problems are thrown. */
export async function play(factory: BotFactory, options: PlayOptions = {}): Promise<MatchResult[]> {
  const environment = readEnvironment(process.env, options);
  const wishes = wishesOf(environment.name, options);
  const { signal, report = complain } = options;
  signal?.throwIfAborted();
  let network: Network | undefined;
  let player: Player | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const playing = new Player(factory, {
        answer: (match, decision, choice, note) => network?.answer(match, decision, choice, note),
        report,
        fail:
          options.onError === "throw"
            ? (error: BotFailed | FalseDeal) => {
                reject(error);
              }
            : undefined,
        trace: (match, problem) => network?.falseDeal(match, problem),
        nowNs: () => process.hrtime.bigint(),
      });
      const connected = new Network({ environment, wishes }, (delivery, cameNs) => {
        if (signal?.aborted === true) {
          return;
        }
        if (delivery.do !== "close") {
          playing.take(delivery, cameNs);
        } else if (delivery.problem) {
          reject(errorOf(delivery.problem));
        } else {
          resolve(playing.results);
        }
      });
      [network, player] = [connected, playing];
      const leave = () => {
        void connected.leave().then(() => {
          reject(signal?.reason as Error);
        });
      };
      signal?.addEventListener("abort", leave, { once: true });
    });
  } finally {
    player?.stop();
    await network?.stop();
  }
}

function wishesOf(name: string, options: RunOptions): Wishes {
  const { version = "", matches, matchesAtOnce = 1, events = "held", evict = false } = options;
  for (const [what, count] of Object.entries({ matches, matchesAtOnce })) {
    if (count !== undefined && !(Number.isSafeInteger(count) && count >= 1)) {
      throw new BadSetting("bad-setting", `${what} is a whole number from 1, not ${count}`);
    }
  }
  if (Array.from(version).length > VERSION_CHARACTERS_MAX) {
    throw new BadSetting("bad-setting", `version has at most ${VERSION_CHARACTERS_MAX} characters`);
  }
  return { name, version, events, matches, matchesAtOnce, evict };
}
