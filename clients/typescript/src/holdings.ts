/** What others hold: counted where the view shows it, or else guessed as `clients/python/GREEDY.md` says. */

import { SHARES_PER_CHAIN } from "./board.js";
import type { View } from "./wire/view_pb.js";

/** The two largest holdings of a chain among the seats other than this one; 0 where there is none. */
export function topsOfOthers(view: View, seat: number, chain: number): readonly [number, number] {
  const others = view.players.filter((_, other) => other !== seat);
  const shown = others.flatMap(({ shares }) => (shares ? [shares.counts[chain] ?? 0] : []));
  if (shown.length === others.length) {
    const [first = 0, second = 0] = shown.sort((one, other) => other - one);
    return [first, second];
  }
  const rest = SHARES_PER_CHAIN - (view.market[chain] ?? 0) - (view.players[seat]?.shares?.counts[chain] ?? 0);
  const guess = others.length === 1 ? rest : Math.floor((2 * rest + 2) / 3);
  return [guess, rest - guess];
}
