import assert from "node:assert/strict";
import { test } from "node:test";

import { fromBinary } from "@bufbuild/protobuf";

import { sameAction } from "../src/actions.js";
import { answersOf } from "../src/answers.js";
import { askBot, type Bot } from "../src/bot.js";
import { GreedyBot } from "../src/bots/greedy.js";
import { RandomBot } from "../src/bots/random.js";
import { Chance, chanceSeed } from "../src/chance.js";
import { Turn, matchInfo } from "../src/turn.js";
import { ActionSchema } from "../src/wire/actions_pb.js";
import { LegalAnswersSchema } from "../src/wire/answers_pb.js";
import { MatchOfferedSchema, MatchStartedSchema } from "../src/wire/referee_pb.js";
import { dialogues, linesOf, message, response, skip } from "./vectors.js";

const BOTS: Readonly<Record<string, Bot>> = { greedy: new GreedyBot(), random: new RandomBot() };

test("dialogues are there", { skip }, () => {
  assert(dialogues().length > 0);
});

for (const name of dialogues()) {
  for (const [kind, bot] of Object.entries(BOTS)) {
    test(`${kind} answers ${name} as written`, () => {
      const [first, ...rest] = linesOf(`dialogues/${name}.jsonl`);
      assert(first);
      const offered = message(MatchOfferedSchema, first, "offered");
      const info = matchInfo(name, offered, message(MatchStartedSchema, first, "started"));
      const questions = rest.slice(0, -1);
      assert(questions.length > 0);
      for (const line of questions) {
        const { decision, events } = response(line);
        assert(decision);
        const turn = new Turn(info, decision, events);
        assert.equal(turn.asked.case, camel(line.kind as string));
        assert.equal(turn.answers.count, BigInt(line.count as number));
        const said = `decision ${turn.id}, ${turn.asked.case}`;
        assert.equal(Number(askBot(bot, turn)), line[kind], said);
      }
    });
  }
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

test("listings are as written, and every answer is found at its index", { skip }, () => {
  const lines = linesOf("listings.jsonl");
  assert(lines.length > 0);
  for (const line of lines) {
    const answers = answersOf(message(LegalAnswersSchema, line, "answers"));
    for (const [index, bytes] of line.actions as [number, string][]) {
      const action = fromBinary(ActionSchema, Buffer.from(bytes, "base64"));
      const said = `${String(line.listing)}, ${index}`;
      assert(sameAction(answers.at(index), action), said);
      assert.equal(answers.indexOf(action), BigInt(index), said);
    }
  }
});

test("chances are as written", { skip }, () => {
  const lines = linesOf("chances.jsonl");
  assert(lines.length > 0);
  for (const line of lines) {
    const nonce = Buffer.from(line.nonce as string, "hex");
    const seed = chanceSeed(nonce, BigInt(line.last_event as number), line.kind as string);
    assert.equal(Buffer.from(seed).toString("hex"), line.seed);
    const chance = new Chance(seed);
    for (const [limit, drawn] of line.below as [string, string][]) {
      assert.equal(String(chance.below(BigInt(limit))), drawn);
    }
  }
});
