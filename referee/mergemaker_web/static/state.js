// The state of a game, and what can be said of it. The rules that change it are in play.js, the answers it allows in answers.js.

import {
  CHAINS, EMPTY, FIRST_CHAIN, INDEPENDENT, SQUARES, chainsBeside, independentBeside, squareName,
} from "./squares.js";
import { GIANT_SIZE, SAFE_SIZE, SHARES_PER_CHAIN, START_CASH, chainNames, priceOf } from "./tables.js";
import { decisionText } from "./wording.js";

/** A game in which nothing has been set up yet. */
export function emptyState(rules, seats, deal) {
  const each = (value) => Array.from({ length: seats }, value);
  return {
    rules, seats, deal, names: chainNames(rules),
    board: new Array(SQUARES).fill(EMPTY),
    sizes: new Array(CHAINS).fill(0),
    market: new Array(CHAINS).fill(SHARES_PER_CHAIN),
    cash: each(() => START_CASH),
    shares: each(() => new Array(CHAINS).fill(0)),
    hands: each(() => []),
    powers: each(() => []),
    aside: [],
    drawn: 0, marketDraws: 0, turn: 0, seat: 0,
    declared: false, powerUsed: false, moved: false, idle: 0,
    agenda: [], // the next step is the last item; empty when the game is over
    ended: null,
  };
}

/** An equal state that shares nothing mutable with this one. Steps of the agenda never change. */
export function copyOf(state) {
  const rows = (lists) => lists.map((list) => [...list]);
  return {
    ...state,
    board: [...state.board], sizes: [...state.sizes], market: [...state.market], cash: [...state.cash], aside: [...state.aside],
    shares: rows(state.shares), hands: rows(state.hands), powers: rows(state.powers), agenda: [...state.agenda],
  };
}

/** The open question; null when the game is over. */
export const decisionOf = (state) => state.agenda.at(-1) ?? null;

export const pileSize = (state) => SQUARES - state.drawn;
export const chainPrice = (state, chain) => priceOf(chain, state.sizes[chain]);
export const activeChains = (state) => [...state.sizes.keys()].filter((chain) => state.sizes[chain]);
export const holdingsOf = (state, chain) => state.shares.map((held) => held[chain]);
export const isFull = (state) => activeChains(state).length === CHAINS;

/** Whether the end may be declared now (END-1). */
export function endAllowed(state) {
  const sizes = state.sizes.filter(Boolean);
  return sizes.some((size) => size >= GIANT_SIZE) || (sizes.length > 0 && sizes.every((size) => size >= SAFE_SIZE));
}

/** Whether a tile would join two safe chains (PLC-7). */
export const isDead = (state, square) =>
  chainsBeside(state.board, square).filter((chain) => state.sizes[chain] >= SAFE_SIZE).length > 1;

/** Whether a tile would found an eighth chain (PLC-8). */
export const isEighth = (state, square) =>
  isFull(state) && !chainsBeside(state.board, square).length && independentBeside(state.board, square);

/** The tiles of a hand that can be placed. */
export const placeable = (state, seat) => state.hands[seat].filter((tile) => !isDead(state, tile) && !isEighth(state, tile));

/** The chains with the most tiles among these (MRG-1, MRG-4). */
export function largestOf(state, chains) {
  const most = Math.max(...chains.map((chain) => state.sizes[chain]));
  return chains.filter((chain) => state.sizes[chain] === most);
}

/** A mark of the board: a dot, `o` for an independent tile, or a chain's first letter. */
export function markOf(held, names) {
  if (held >= FIRST_CHAIN) return names[held - FIRST_CHAIN][0];
  return held === INDEPENDENT ? "o" : ".";
}

/** Everything that makes up a game, as plain data in the order of RECORDS.md: a record has its digest for each decision. */
export function stateDocument(state) {
  const decision = decisionOf(state);
  return {
    turn: state.turn,
    seat: state.seat,
    asked: decision ? decisionText(decision, state.names) : null,
    board: state.board.map((held) => markOf(held, state.names)).join(""),
    cash: state.cash,
    shares: state.shares,
    market: state.market,
    hands: state.hands.map((hand) => hand.map(squareName)),
    aside: state.aside.map(squareName),
    drawn: state.drawn,
    market_draws: state.marketDraws,
    powers_used: state.powers,
    power_used: state.powerUsed,
    declared: state.declared,
    moved: state.moved,
    idle: state.idle,
    ended: state.ended,
  };
}
