/** The bot's tests, with the questions of a recorded match. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { myBot } from "./bot.js";
import { turns } from "./questions.js";

test("it founds the dearest chain", () => {
  for (const turn of turns("chooseFounded")) {
    assert.deepEqual(myBot.chooseFounded(turn), turn.answers.at(turn.answers.count - 1n));
  }
});
