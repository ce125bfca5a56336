/** Starts the bot, as `./run` does. Each match has a bot of its own; this one keeps nothing, so all may have the same. */

import { myBot } from "./bot.js";
import { run } from "./sdk/src/index.js";

await run(() => myBot);
