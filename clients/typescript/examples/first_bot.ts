/** The bot that every library begins with (`clients/python/FIRST.md`). */

import { declaresEnd, run, type Action, type Bot, type TileChoice } from "../src/index.js";

const firstBot = (): Bot => ({
  // Places its tile where it owns more than the others.
  chooseTile(turn) {
    const lead = (tile: TileChoice) => tile.chains.reduce((sum, chain) => sum + turn.lead(chain), 0);
    return best(turn.tiles, lead)?.action ?? turn.default;
  },

  // Buys where the race for the most shares is close, and does not declare the end.
  choosePurchase(turn) {
    const choices = [...turn.answers].filter((answer) => !declaresEnd(answer));
    const score = ({ kind }: Action) => {
      const shares = kind.case === "buy" ? kind.value.shares : [];
      return shares.reduce((sum, count, chain) => sum + count * (10 - Math.abs(turn.lead(chain))), 0);
    };
    return best(choices, score) ?? turn.default;
  },

  // Sells all shares of a chain that is gone.
  chooseDisposal: (turn) => turn.answers.at(-1),
});

/** The first one with the highest score. */
function best<T>(choices: readonly T[], score: (choice: T) => number): T | undefined {
  const scores = choices.map(score);
  return choices[scores.indexOf(Math.max(...scores))];
}

await run(firstBot);
