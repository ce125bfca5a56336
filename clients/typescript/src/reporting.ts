/** What a bot's author reads when a bot fails: the question, and its position. */

import { CHAINS, squareName } from "./board.js";
import type { Turn } from "./turn.js";

const ROW = 12;
const FIRST_CHAIN_SQUARE = 2;

/** Writes to standard error. */
export function complain(text: string): void {
  process.stderr.write(`mergemaker: ${text}\n`);
}

/** Which question it is: match, decision (in brackets as it is named after the path of the match's record), what is asked. */
export function questionLine(turn: Turn): string {
  return `match ${turn.match.match}, decision ${turn.id} (@seat${turn.seat}:${turn.id}), ${turn.asked.case}`;
}

/** What a seat knows, in a few lines: turn and hand, the board, the chains, and what each seat has. */
export function viewText(turn: Turn): string {
  const { view, names } = turn;
  const hand = view.hand.map(squareName).join(" ") || "nothing";
  const lines = [
    `turn ${view.turn} of seat ${view.turnSeat}; seat ${turn.seat} has ${hand}; ${view.pile} tiles in the pile`,
  ];
  for (let row = 0; row * ROW < view.board.length; row += 1) {
    const squares = [...view.board.subarray(row * ROW, (row + 1) * ROW)];
    lines.push(`  ${squares.map((held) => markOf(held, names)).join("")}`);
  }
  const onBoard = Array.from({ length: CHAINS }, (_, chain) => chain).filter((chain) => view.sizes[chain]);
  const chains = onBoard.map(
    (chain) => `${names[chain] ?? ""} ${view.sizes[chain] ?? 0} tiles $${view.prices[chain] ?? 0}`,
  );
  lines.push(`  chains: ${chains.join(", ") || "none"}`);
  lines.push(`  market: ${sharesText(view.market, names)}`);
  view.players.forEach(({ cash, shares }, seat) => {
    const held = shares === undefined ? "hidden" : sharesText(shares.counts, names);
    lines.push(`  seat ${seat}: ${cash === undefined ? "hidden" : `$${cash}`}, ${held}`);
  });
  return lines.join("\n");
}

function markOf(held: number, names: readonly string[]): string {
  return held < FIRST_CHAIN_SQUARE ? ".o".charAt(held) : (names[held - FIRST_CHAIN_SQUARE]?.charAt(0) ?? "?");
}

function sharesText(counts: readonly number[], names: readonly string[]): string {
  const held = counts.map((count, chain) => (count > 0 ? `${count} ${names[chain] ?? ""}` : ""));
  return held.filter((text) => text !== "").join(", ") || "nothing";
}
