// What a tile would do, before any chain is named (PLC-3 to PLC-6).

import { FIRST_CHAIN, chainsBeside, independentBeside, spread } from "./squares.js";
import { largestOf } from "./state.js";

/** What placing a tile would do, as in `grows Tower to 5`. */
export function effectText(state, square) {
  const chains = chainsBeside(state.board, square);
  const names = (list) => list.map((chain) => state.names[chain]);
  if (!chains.length && !independentBeside(state.board, square)) return "stands alone";
  const joined = spread([...state.board], square, FIRST_CHAIN);
  if (!chains.length) return `founds a chain of ${joined}`;
  const size = joined + chains.reduce((sum, chain) => sum + state.sizes[chain], 0);
  if (chains.length === 1) return `grows ${names(chains)[0]} to ${size}`;
  return `merges ${names(chains).join(", ")}: ${names(largestOf(state, chains)).join(" or ")} survives with ${size}`;
}
