// A game as everybody knows it, from public events alone, in the form of `viewOf`. It is what server/public_game.py is in Python.

import { endAllowed } from "./state.js";
import { BESIDE, CHAINS, EMPTY, FIRST_CHAIN, INDEPENDENT, SQUARES } from "./squares.js";
import { POWERS, SHARES_PER_CHAIN, START_CASH, chainNames, priceOf } from "./tables.js";

const PAIR = 2; // shares that go for one (PWR-4)
const list = (length, value) => Array.from({ length }, value);

/** The position of a game before its first event. */
export function emptyGame(rules, seats) {
  return {
    isView: true, rules, names: chainNames(rules), seats, turn: 0, turnSeat: 0, board: new Array(SQUARES).fill(EMPTY),
    sizes: new Array(CHAINS).fill(0), prices: new Array(CHAINS).fill(0), market: new Array(CHAINS).fill(SHARES_PER_CHAIN),
    pile: SQUARES, aside: [], hands: list(seats, () => null), handSizes: new Array(seats).fill(0),
    cash: list(seats, () => (rules.assets === "open" ? START_CASH : null)),
    shares: list(seats, () => (rules.assets === "open" ? new Array(CHAINS).fill(0) : null)),
    powers: list(seats, () => []), declared: false, endAllowed: false, ended: null, asked: null,
    lastTile: null, survivor: null, offer: null,
  };
}

/** The position that a server's view tells. */
export function gameOfView(rules, seats, view) {
  return {
    ...emptyGame(rules, seats), turn: view.turn, turnSeat: view.turn_seat, board: [...view.board].map(Number), sizes: view.sizes,
    prices: view.sizes.map((size, chain) => priceOf(chain, size)), market: view.market, pile: view.pile, aside: view.set_aside,
    handSizes: view.hand_sizes, cash: view.cash, shares: view.shares, powers: view.powers_used, declared: view.declared,
    endAllowed: view.end_allowed, ended: view.over, lastTile: view.last_tile, survivor: view.survivor,
  };
}

/** The position after events; the one before stays as it is. */
export function gameAfter(before, events) {
  const rows = (lists) => lists.map((each) => each && [...each]);
  const game = {
    ...before, board: [...before.board], sizes: [...before.sizes], market: [...before.market], aside: [...before.aside],
    handSizes: [...before.handSizes], cash: [...before.cash], shares: rows(before.shares), powers: rows(before.powers),
  };
  for (const event of events) CHANGES[event.kind]?.(game, event);
  game.prices = game.sizes.map((size, chain) => priceOf(chain, size));
  game.endAllowed = endAllowed(game);
  return game;
}

function pay(game, seat, amount) {
  if (game.cash[seat] !== null) game.cash[seat] += amount;
}

/** Moves shares from the market to a seat; fewer than none the other way. */
function moveShares(game, seat, chain, count) {
  game.market[chain] -= count;
  if (game.shares[seat]) game.shares[seat][chain] += count;
}

function groupOf(board, square) {
  const joined = new Set([square]);
  for (const each of joined) for (const beside of BESIDE[each]) if (board[beside] !== EMPTY) joined.add(beside);
  return joined;
}

/** Tiles that are founding a chain while somebody comes, who did not see which was the last one. */
function founding({ board }, size) {
  const groups = [...board.keys()].filter((square) => board[square] === INDEPENDENT).map((square) => groupOf(board, square));
  return groups.find((group) => group.size === size && [...group].every((square) => board[square] === INDEPENDENT)) ?? new Set();
}

/** All tiles that are connected with the last one are the chain's now. */
function grow(game, { chain, size }) {
  const joined = game.lastTile === null ? founding(game, size) : groupOf(game.board, game.lastTile);
  for (const square of joined) if (game.board[square] >= FIRST_CHAIN) game.sizes[game.board[square] - FIRST_CHAIN] = 0;
  for (const square of joined) game.board[square] = FIRST_CHAIN + chain;
  game.sizes[chain] = joined.size;
}

function trade(game, { accepted }) {
  const { offer } = game;
  game.offer = null;
  if (!accepted) return;
  if (!offer) { // it was made before this began: from now on nobody here knows who has what
    game.cash.fill(null);
    game.shares.fill(null);
    return;
  }
  offer.give_shares.forEach((given, chain) => {
    const moved = given - offer.take_shares[chain];
    if (game.shares[offer.seat]) game.shares[offer.seat][chain] -= moved;
    if (game.shares[offer.partner]) game.shares[offer.partner][chain] += moved;
  });
  pay(game, offer.seat, offer.take_cash - offer.give_cash);
  pay(game, offer.partner, offer.give_cash - offer.take_cash);
}

/** By kind of event: what it changes. Others change nothing that is shown. */
const CHANGES = {
  StartTilePlaced(game, event) {
    game.board[event.square] = INDEPENDENT;
    game.pile -= 1;
  },
  TilesDrawn(game, event) {
    game.handSizes[event.seat] += event.count;
    game.pile -= event.count;
  },
  TurnBegan: (game, event) => Object.assign(game, { turn: event.turn, turnSeat: event.seat, declared: false }),
  TilesSetAside(game, event) {
    game.aside.push(...event.squares);
    game.handSizes[event.seat] -= event.squares.length;
  },
  TradeOffered: (game, event) => Object.assign(game, { offer: event }),
  TradeAnswered: trade,
  PowerUsed(game, event) {
    game.powers[event.seat] = POWERS.filter((power) => power === event.power || game.powers[event.seat].includes(power));
  },
  EndDeclared: (game) => Object.assign(game, { declared: true }),
  TilePlaced(game, event) {
    game.board[event.square] = INDEPENDENT;
    game.handSizes[event.seat] -= 1;
    game.lastTile = event.square;
  },
  ChainGrew: (game, event) => grow(game, event),
  ChainFounded: (game, event) => grow(game, event),
  MergerEnded: (game, event) => grow(game, event),
  FounderRewarded(game, event) {
    moveShares(game, event.seat, event.chain, event.shares);
    pay(game, event.seat, event.cash);
  },
  ChainSurvives: (game, event) => Object.assign(game, { survivor: event.chain }),
  BonusPaid: (game, event) => pay(game, event.seat, event.amount),
  StockDisposed(game, event) {
    moveShares(game, event.seat, event.chain, -event.sold - event.traded);
    moveShares(game, event.seat, game.survivor, event.received);
    pay(game, event.seat, event.cash);
  },
  PairTraded(game, event) {
    moveShares(game, event.seat, event.give, -PAIR);
    moveShares(game, event.seat, event.take, 1);
  },
  SharesBought(game, event) {
    event.shares.forEach((count, chain) => moveShares(game, event.seat, chain, count));
    pay(game, event.seat, -event.cost);
  },
  GameEnded: (game, event) => Object.assign(game, { ended: event.reason }),
  AssetsShown(game, event) {
    game.cash[event.seat] = event.cash;
    game.shares[event.seat] = [...event.shares];
  },
  SharesSold(game, event) {
    moveShares(game, event.seat, event.chain, -event.shares);
    pay(game, event.seat, event.cash);
  },
};
