import assert from "node:assert/strict";
import { setImmediate as turnOfLoop } from "node:timers/promises";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { buy, place } from "../src/actions.js";
import type { Bot } from "../src/bot.js";
import type { Choice } from "../src/conversation.js";
import type { BotFailed, FalseDeal } from "../src/errors.js";
import { Player } from "../src/player.js";
import { EventSchema, type Event } from "../src/wire/events_pb.js";
import { MatchEndedSchema } from "../src/wire/referee_pb.js";
import { MATCH, decision, offered, started } from "./kit.js";

interface Sent {
  readonly decision: bigint;
  readonly choice: Choice;
  readonly note: string;
}

/** A player in the middle of a match, with what it sent and said. */
function table(bot: Bot, isStrict = false) {
  const [sent, said, traced]: [Sent[], string[], string[]] = [[], [], []];
  const failures: (BotFailed | FalseDeal)[] = [];
  const player = new Player(() => bot, {
    answer: (_, id, choice, note) => sent.push({ decision: id, choice, note }),
    report: (text) => said.push(text),
    fail: isStrict ? (error) => failures.push(error) : undefined,
    trace: (match, { reason }) => traced.push(`${match} ${reason}`),
    nowNs: () => 0n,
  });
  const begin = () => {
    player.take({ do: "begin", match: MATCH, offered: offered(), started: started() }, 0n);
  };
  const tell = (...events: Event[]) => {
    player.take({ do: "tell", match: MATCH, events }, 0n);
  };
  const ask = async (id: bigint) => {
    player.take({ do: "ask", match: MATCH, decision: decision(id) }, 0n);
    // One for what the bot still hears, one for the question.
    await turnOfLoop();
    await turnOfLoop();
  };
  const end = () => {
    const promised = { match: MATCH, offered: offered() };
    player.take({ do: "end", match: MATCH, promised, ended: create(MatchEndedSchema) }, 0n);
  };
  return { player, sent, said, traced, failures, begin, tell, ask, end };
}

const DECLARED = create(EventSchema, { number: 1n, kind: { case: "endDeclared", value: { seat: 1 } } });
const UNKNOWN = create(EventSchema, { number: 2n });

async function answerOf(bot: Bot): Promise<Sent | undefined> {
  const made = table(bot);
  made.begin();
  await made.ask(1n);
  return made.sent[0];
}

test("a handler that is not written answers the default", async () => {
  assert.deepEqual(await answerOf({}), { decision: 1n, choice: 1n, note: "" });
});

test("an answer is an action or an index, now or later, with a note or without", async () => {
  const choices: [Bot, Choice, string][] = [
    [{ chooseTile: () => 0 }, 0n, ""],
    [{ chooseTile: () => Promise.resolve(0n) }, 0n, ""],
    [{ answer: (turn) => turn.default }, 1n, ""],
    [{ chooseTile: (turn) => ({ answer: turn.answers.at(0), note: "ä".repeat(512) }) }, place(5), "ä".repeat(512)],
  ];
  for (const [bot, choice, note] of choices) {
    assert.deepEqual(await answerOf(bot), { decision: 1n, choice, note });
  }
});

const WRONG: [string, unknown][] = [
  ["bad-index", 2],
  ["bad-index", -1n],
  ["bad-answer", undefined],
  ["bad-answer", 0.5],
  ["bad-answer", "0"],
  ["bad-action", place(-1)],
  ["bad-action", place(1.5)],
  ["bad-action", buy([0, 0, 0, 0, 0, 0, 2 ** 32])],
  ["note-too-long", { answer: 0, note: "ä".repeat(513) }],
  ["bad-note", { answer: 0, note: 7 }],
];
test("what is no answer costs no match: it is reported with the position, and the default is answered", async () => {
  for (const [reason, returned] of WRONG) {
    const made = table({ chooseTile: () => returned as number }, true);
    made.begin();
    await made.ask(1n);
    assert.deepEqual(made.sent, [{ decision: 1n, choice: 1n, note: "default, after BotError" }]);
    assert.match(made.said[0] ?? "", /decision 1 \(@seat0:1\), chooseTile/);
    assert.equal((made.failures[0]?.cause as { reason: string }).reason, reason);
  }
});

test("a bot that throws, now or later, costs no match", async () => {
  const fails = () => {
    throw new TypeError("no");
  };
  for (const chooseTile of [fails, () => Promise.reject(new TypeError("no"))]) {
    const made = table({ chooseTile, onStart: fails, onEvents: () => Promise.reject(new Error("neither")) });
    made.begin();
    made.tell(DECLARED);
    await made.ask(1n);
    assert.deepEqual(made.sent, [{ decision: 1n, choice: 1n, note: "default, after TypeError" }]);
    assert.equal(made.said.length, 3);
    assert.equal(made.failures.length, 0);
  }
});

test("a bot gets the start, events before the question, and the end", async () => {
  const told: string[] = [];
  const made = table({
    onStart: (match) => void told.push(`start ${match.seats}`),
    onEvents: async (events) => {
      await turnOfLoop();
      told.push(`events ${events.length}`);
    },
    answer: (turn) => {
      told.push(`asked behind ${turn.events.length}`);
      return 0;
    },
    onEnd: (result) => void told.push(`end ${result.why}`),
  });
  made.begin();
  made.tell(DECLARED, UNKNOWN);
  made.tell(UNKNOWN);
  await made.ask(1n);
  await turnOfLoop();
  await made.ask(2n);
  made.end();
  assert.deepEqual(told, ["start 2", "events 1", "asked behind 1", "asked behind 0", "end voided"]);
  assert.equal(made.player.results.length, 1);
});

test("an answer to a question that was settled meanwhile is not sent, and the thought is asked to stop", async () => {
  const answers: ((index: number) => void)[] = [];
  const signals: AbortSignal[] = [];
  const made = table({
    answer: (turn) => {
      signals.push(turn.signal);
      return new Promise((resolve) => answers.push(resolve));
    },
  });
  made.begin();
  await made.ask(1n);
  await made.ask(2n);
  answers[0]?.(0);
  answers[1]?.(0);
  await turnOfLoop();
  assert.deepEqual(
    made.sent.map((each) => each.decision),
    [2n],
  );
  assert.deepEqual(
    signals.map((signal) => signal.aborted),
    [true, false],
  );
});

test("a match or a question that cannot be read is answered by its defaults", async () => {
  const made = table({ answer: () => 0 });
  const offer = offered();
  offer.seat = 2;
  made.player.take({ do: "begin", match: MATCH, offered: offer, started: started() }, 0n);
  await made.ask(1n);
  assert.deepEqual(made.sent, [{ decision: 1n, choice: 1n, note: "" }]);
  made.begin();
  const wrong = decision(2n);
  delete wrong.view;
  made.player.take({ do: "ask", match: MATCH, decision: wrong }, 0n);
  await turnOfLoop();
  assert.deepEqual(made.sent[1], { decision: 2n, choice: 1n, note: "" });
  assert.equal(made.said.length, 2);
});

test("each match has a bot of its own", () => {
  let made = 0;
  const player = new Player(
    () => {
      made += 1;
      return {};
    },
    { answer: () => undefined, report: () => undefined, nowNs: () => 0n },
  );
  assert.equal(made, 1, "the first is made at once");
  for (const match of ["m1", "m2"]) {
    player.take({ do: "begin", match, offered: offered(), started: started() }, 0n);
  }
  assert.equal(made, 2);
});

test("a question that was settled before the bot had time for it is not asked", async () => {
  const asked: string[] = [];
  let goOn: () => void = () => undefined;
  const made = table({
    onStart: () => new Promise((resolve) => (goOn = resolve)),
    chooseTile: (turn) => {
      asked.push(`${turn.id} behind ${turn.events.length}`);
      return 0;
    },
  });
  const settle = (id: bigint) => {
    made.player.take({ do: "settled", match: MATCH, decision: id }, 0n);
  };
  made.begin();
  made.tell(DECLARED);
  await made.ask(1n);
  settle(1n);
  made.tell(DECLARED);
  goOn();
  await turnOfLoop();
  assert.deepEqual(asked, []);
  await made.ask(2n);
  await turnOfLoop();
  settle(1n);
  assert.deepEqual(asked, ["2 behind 2"]);
  assert.deepEqual(
    made.sent.map((each) => each.decision),
    [2n],
  );
});

test("what came while another match's bot kept the thread busy is looked at before the next question", async () => {
  const asked: string[] = [];
  const made = table({
    chooseTile: (turn) => {
      asked.push(`${turn.match.match} ${turn.id}`);
      return 0;
    },
  });
  const other = "m-2";
  made.begin();
  made.player.take({ do: "begin", match: other, offered: offered(), started: started() }, 0n);
  // The second question is settled after the first one came, while its bot thinks.
  made.player.take({ do: "ask", match: MATCH, decision: decision(1n) }, 0n);
  made.player.take({ do: "ask", match: other, decision: decision(1n) }, 0n);
  made.player.take({ do: "settled", match: other, decision: 1n }, 0n);
  await turnOfLoop();
  await turnOfLoop();
  assert.deepEqual(asked, [`${MATCH} 1`]);
});

test("the signal of a question says that it was settled", async () => {
  let signal: AbortSignal | undefined;
  const made = table({
    chooseTile: (turn) => {
      signal = turn.signal;
      return new Promise(() => undefined);
    },
  });
  made.begin();
  await made.ask(2n);
  made.player.take({ do: "settled", match: MATCH, decision: 1n }, 0n);
  assert.equal(signal?.aborted, false, "that was another one");
  made.player.take({ do: "settled", match: MATCH, decision: 2n }, 0n);
  assert.equal(signal.aborted, true);
});

test("a false deal is reported, traced, and given to the bot, also if the bot is to go on", () => {
  const told: string[] = [];
  const made = table({
    onFalseDeal: ({ reason }) => {
      told.push(reason);
    },
    onEnd: ({ deal, problem }) => {
      told.push(`${deal}, ${problem?.reason}`);
    },
  });
  made.begin();
  made.tell(UNKNOWN);
  made.end();
  assert.deepEqual(told, ["events-missing", "false, events-missing"]);
  assert.deepEqual(made.traced, [`${MATCH} events-missing`]);
  const said = made.said.filter((text) => text.includes("THE DEAL IS NOT THE ONE THAT WAS PROMISED (events-missing)"));
  assert.equal(said.length, 1, "once, and not at the end again");
});

test("a false deal ends a bot that is to be stopped by it, at the end of the match", () => {
  const made = table({}, true);
  made.begin();
  made.tell(UNKNOWN);
  assert.deepEqual(made.failures, []);
  made.end();
  assert.deepEqual(
    made.failures.map(({ reason }) => reason),
    ["events-missing"],
  );
});
