/** The command line of the example bots: `main.js random|greedy [--matches-at-once=N] [--events=immediate] [--think=MS]`. */

import { setTimeout as sleep } from "node:timers/promises";

import { GreedyBot, RandomBot, run, type Bot, type RunOptions, type Turn } from "../src/index.js";

type Answering = Required<Pick<Bot, "answer">>;

const BOTS = new Map<string, new () => Answering>([
  ["random", RandomBot],
  ["greedy", GreedyBot],
]);
const USAGE = `usage: run random|greedy [--matches-at-once=N] [--events=immediate] [--think=MS]

Plays with the rule of one of the built-in bots. Where to go is in the environment: MERGEMAKER_SERVER, MERGEMAKER_TOKEN.

  --matches-at-once=N   as many matches at once on the stream (usually 1)
  --events=immediate    events as they happen (usually held until the next question)
  --think=MS            wait this many milliseconds before each answer, as a bot that thinks does
`;
const WRONG_USE = 2;
const THINK_MS_MAX = 3_600_000;

class WrongUse extends Error {}

interface Wanted {
  readonly bot: () => Bot;
  readonly options: RunOptions;
}

function wanted(words: readonly string[]): Wanted {
  const name = words.find((word) => !word.startsWith("--")) ?? "";
  const kind = BOTS.get(name);
  if (kind === undefined) {
    throw new WrongUse(`a bot is ${[...BOTS.keys()].join(" or ")}, not ${JSON.stringify(name)}`);
  }
  const options: { matchesAtOnce?: number; events?: "held" | "immediate" } = {};
  let thinkMs = 0;
  for (const word of words.filter((each) => each !== name)) {
    const [option, value = ""] = word.split("=", 2);
    if (option === "--matches-at-once") {
      options.matchesAtOnce = whole(word, value, 1, Number.MAX_SAFE_INTEGER);
    } else if (option === "--think") {
      thinkMs = whole(word, value, 0, THINK_MS_MAX);
    } else if (option === "--events" && (value === "immediate" || value === "held")) {
      options.events = value;
    } else {
      throw new WrongUse(`${word} is not understood`);
    }
  }
  return { bot: () => (thinkMs > 0 ? slowed(new kind(), thinkMs) : new kind()), options };
}

function whole(word: string, value: string, least: number, most: number): number {
  const number = /^\d{1,16}$/.test(value) ? Number(value) : NaN;
  if (!(number >= least && number <= most)) {
    throw new WrongUse(`${word} is not understood: expected is a whole number from ${least} to ${most}`);
  }
  return number;
}

/** The same bot, but it waits before each answer. */
function slowed(bot: Answering, thinkMs: number): Bot {
  return {
    async answer(turn: Turn) {
      await sleep(thinkMs, undefined, { signal: turn.signal });
      return bot.answer(turn);
    },
  };
}

try {
  const words = process.argv.slice(2);
  if (words.includes("--help") || words.includes("-h")) {
    process.stdout.write(USAGE);
  } else {
    const { bot, options } = wanted(words);
    await run(bot, options);
  }
} catch (error) {
  if (!(error instanceof WrongUse)) {
    throw error;
  }
  process.stderr.write(`mergemaker: ${error.message}\n\n${USAGE}`);
  process.exitCode = WRONG_USE;
}
