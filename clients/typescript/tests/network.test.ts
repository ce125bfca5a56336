import assert from "node:assert/strict";
import { test } from "node:test";

import { status } from "@grpc/grpc-js";

import type { Bot } from "../src/bot.js";
import { BotFailed, RefusedByReferee, TakenOver } from "../src/errors.js";
import { play, type PlayOptions } from "../src/run.js";
import type { MatchResult } from "../src/turn.js";
import { MATCH, decision, offered, response, started, welcome } from "./kit.js";
import { Referee, type Stream } from "./referee.js";

const HANG_GUARD_MS = 120_000;
const guard = { timeout: HANG_GUARD_MS };

/** Plays with a referee that keeps to a script, and returns what came of it. */
async function played(bot: Bot, script: (referee: Referee) => Promise<void>, options: PlayOptions = {}) {
  const referee = await new Referee().start();
  const said: string[] = [];
  try {
    const playing = play(() => bot, {
      server: referee.url,
      token: "secret",
      name: "Ann",
      report: (text) => said.push(text),
      ...options,
    });
    const settled = playing.then(
      (results) => ({ results, error: undefined }),
      (error: unknown) => ({ results: [] as MatchResult[], error }),
    );
    await script(referee);
    return { ...(await settled), said };
  } finally {
    referee.stop();
  }
}

async function greeted(referee: Referee, resumed = false): Promise<Stream> {
  const stream = await referee.stream();
  await stream.expect("hello");
  stream.send(welcome("t1", { resumed }));
  return stream;
}

async function begun(referee: Referee): Promise<Stream> {
  const stream = await greeted(referee);
  await stream.expect("takeSeat");
  stream.send(response({ matchOffered: offered() }));
  stream.send(response({ matchStarted: started() }));
  return stream;
}

async function over(stream: Stream): Promise<void> {
  stream.send(response({ matchEnded: { text: "by the test" } }));
  await stream.expect("takeSeat");
  stream.send(response({ match: "", requestRefused: { request: "take_seat" } }));
  await stream.closed();
  stream.end();
}

test("a match is played over the network, and the token goes with the stream", guard, async () => {
  const { results, error } = await played({ chooseTile: () => 0 }, async (referee) => {
    const stream = await begun(referee);
    assert.deepEqual(stream.metadata.get("authorization"), ["Bearer secret"]);
    stream.send(response({ decision: decision(1n) }));
    const { kind } = await stream.expect("answer");
    assert(kind.case === "answer");
    assert.deepEqual(kind.value.choice, { case: "index", value: 0n });
    await over(stream);
  });
  assert.equal(error, undefined);
  assert.deepEqual(
    results.map(({ match, why }) => [match, why]),
    [[MATCH, "by the test"]],
  );
});

test("pings are answered while a bot computes without a pause", guard, async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const computes = () => {
    Atomics.wait(gate, 0, 0, HANG_GUARD_MS); // holds the bot's thread until the pong has come
    return 0;
  };
  // The referee is in a thread of its own here, as it is in life: this one is held up.
  const { Worker } = await import("node:worker_threads");
  const referee = new Worker(new URL("./pinging_referee.js", import.meta.url), { workerData: gate });
  const url = await new Promise<string>((resolve) => referee.once("message", resolve));
  try {
    const results = await play(() => ({ chooseTile: computes }), {
      server: url,
      token: "secret",
      report: () => undefined,
    });
    assert.equal(results.length, 1);
    assert.equal(Atomics.load(gate, 0), 1, "the pong came before the answer");
  } finally {
    await referee.terminate();
  }
});

test("a stream that breaks is opened again, and the same answer is sent", guard, async () => {
  const { error } = await played({}, async (referee) => {
    const stream = await begun(referee);
    stream.send(response({ decision: decision(1n) }));
    const first = await stream.expect("answer");
    stream.end(status.UNAVAILABLE);
    const again = await greeted(referee, true);
    again.send(response({ matchOffered: offered(), matchStarted: started(), decision: decision(1n) }));
    assert.deepEqual(await again.expect("answer"), first);
    await over(again);
  });
  assert.equal(error, undefined);
});

test("a bot that is taken over or refused does not come back, and learns why", guard, async () => {
  const taken = await played({}, async (referee) => {
    (await begun(referee)).end(status.ABORTED);
  });
  assert(taken.error instanceof TakenOver);
  const refused = await played({}, async (referee) => {
    (await referee.stream()).end(status.UNAUTHENTICATED);
  });
  assert(refused.error instanceof RefusedByReferee);
  assert.match(refused.error.message, /MERGEMAKER_TOKEN/);
  assert(!refused.error.message.includes("secret"));
});

test("a bot that is to be stopped by its failure is", guard, async () => {
  const fails = () => {
    throw new Error("no");
  };
  const options = { onError: "throw" } as const;
  const { error } = await played(
    { chooseTile: fails },
    async (referee) => {
      (await begun(referee)).send(response({ decision: decision(1n) }));
    },
    options,
  );
  assert(error instanceof BotFailed);
});

test("a signal closes the stream in the middle of a match", guard, async () => {
  const stopping = new AbortController();
  const script = async (referee: Referee) => {
    const stream = await begun(referee);
    stopping.abort(new Error("enough"));
    await stream.closed();
    stream.end();
  };
  const { error } = await played({}, script, { signal: stopping.signal });
  assert(error instanceof Error);
  assert.equal(error.message, "enough");
});

test("a version that is too long is a wrong setting", guard, async () => {
  const version = "ä".repeat(65);
  await assert.rejects(
    play(() => ({}), { server: "grpc://127.0.0.1:1", token: "secret", version }),
    /64 characters/,
  );
});
