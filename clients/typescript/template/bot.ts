/** my-bot: what it answers. What it has no handler for is answered by the referee's default. */

import type { Bot } from "./sdk/src/index.js";

export const myBot = {
  // The dearest chain there is.
  chooseFounded: (turn) => turn.answers.at(-1),
} satisfies Bot;
