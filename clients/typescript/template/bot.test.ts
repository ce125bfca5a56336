/** The bot's tests, with the questions of a recorded match. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { myBot } from "./bot.js";
import { turns } from "./questions.js";
import { declaresEnd } from "./sdk/src/index.js";

test("it buys shares, and does not declare the end", () => {
  const answers = turns("choosePurchase").map((turn) => {
    const answer = myBot.choosePurchase(turn);
    assert(turn.answers.includes(answer) && !declaresEnd(answer));
    return answer.kind;
  });
  assert(answers.some(({ case: kind, value }) => kind === "buy" && value.shares.some((count) => count > 0)));
});
