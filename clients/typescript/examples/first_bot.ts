/** A first bot: founds a chain when it can, and buys the cheapest shares. All else is the referee's default. */

import { EffectKind, run, type Bot } from "../src/index.js";

const firstBot = (): Bot => ({
  chooseTile: (turn) => turn.tiles.find((tile) => tile.kind === EffectKind.FOUNDS)?.action ?? turn.default,

  choosePurchase(turn) {
    const onBoard = turn.names.filter((name) => turn.price(name) > 0);
    const [cheapest] = onBoard.sort((one, other) => turn.price(one) - turn.price(other));
    const wish = cheapest === undefined ? turn.default : turn.buy({ [cheapest]: 2 });
    return turn.answers.includes(wish) ? wish : turn.default;
  },
});

await run(firstBot);
