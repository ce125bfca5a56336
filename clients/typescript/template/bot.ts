/** my-bot: what it answers. The referee's default answers what it has no handler for. */

import type { Bot } from "./sdk/src/index.js";

export const myBot = {
  // The dearest chain there is.
  chooseFounded: (turn) => turn.answers.at(-1),
} satisfies Bot;
