// The rules: set-up, turns, and what an answer does. It repeats the engine's modules, and every record's digests check it.

import { BUY_MAX, answerFrom, canExchange, canOffer, pairTrades, powersFor } from "./answers.js";
import {
  FIRST_CHAIN, INDEPENDENT, NUMBERS, chainsBeside, independentBeside, numberOf, spread,
} from "./squares.js";
import {
  activeChains, chainPrice, decisionOf, emptyState, holdingsOf, isDead, largestOf, pileSize, placeable,
} from "./state.js";
import { HAND_SIZE, POWERS, bonusPlaces, marketPlays, shareOut, turnSteps } from "./tables.js";

const TILES_TAKEN = 5;
const TILES_PLACED_MAX = 4;
const PAIR_TRADES_MAX = 3;

/** A new game, and what happened before its first question (SET-3, SET-5). */
export function newGame(rules, seats, deal) {
  const state = emptyState(rules, seats, deal);
  const log = [];
  const starts = deal.tiles(0, seats);
  state.drawn = seats;
  starts.forEach((square, seat) => {
    state.board[square] = INDEPENDENT;
    log.push({ kind: "StartTilePlaced", seat, square });
  });
  for (let seat = 0; seat < seats; seat++) draw(state, seat, HAND_SIZE, log);
  const rank = (square) => (rules.start_order === "letter-first" ? square : (square % NUMBERS) * NUMBERS + Math.floor(square / NUMBERS));
  const first = starts.indexOf(starts.reduce((best, square) => (rank(square) < rank(best) ? square : best)));
  beginTurn(state, first, log);
  advance(state, log);
  return { state, events: log };
}

/** Takes an answer to the open question, by its text. Returns what happened, up to the next question or the end. */
export function applyAnswer(state, text) {
  const action = answerFrom(state, text);
  const step = decisionOf(state);
  const log = [];
  TAKE[step.kind](state, step, action, log);
  advance(state, log);
  return { action, events: log };
}

function beginTurn(state, seat, log) {
  state.seat = seat;
  state.turn += 1;
  state.declared = state.powerUsed = state.moved = false;
  state.agenda = turnSteps(state.rules, seat);
  log.push({ kind: "TurnBegan", seat, turn: state.turn });
}

/** Ends the turn, and the game where the end was declared or a whole round changed nothing (END-2, END-4). */
function passTurn(state, log) {
  state.idle = state.moved ? 0 : state.idle + 1;
  if (state.declared) finish(state, "declared", log);
  else if (state.idle >= state.seats) finish(state, "stuck", log);
  else beginTurn(state, (state.seat + 1) % state.seats, log);
}

/** Carries out what needs no answer, until a question is open or the game is over. */
function advance(state, log) {
  while (state.agenda.length) {
    const step = decisionOf(state);
    const run = AUTOMATIC[step.kind];
    if (run) run(state, step, log);
    else if (ARISES[step.kind]?.(state, step) ?? true) return;
    else {
      state.agenda.pop();
      if (step.kind === "ChooseTile" && step.number === 1) announceSkip(state, log);
    }
  }
}

/** By kind of question: whether it arises at all; all others do. */
const ARISES = {
  ChooseTile: (state, step) => placeable(state, step.seat).length > 0,
  ChooseExchange: (state, step) => canExchange(state, step.seat),
  ChoosePower: (state, step) => powersFor(state, step).length > 0,
  ChoosePairTrade: (state, step) => pairTrades(state, step.seat).length > 0,
  ChooseOffer: (state, step) => canOffer(state, step.seat),
};

/** By kind of step: what the rules do by themselves. */
const AUTOMATIC = {
  RedrawHand(state, _, log) {
    state.agenda.pop();
    const hand = state.hands[state.seat];
    if (!hand.length || !pileSize(state) || placeable(state, state.seat).length) return;
    log.push({ kind: "HandShown", seat: state.seat, squares: [...hand] });
    setAside(state, [...hand], log);
  },
  DrawTiles(state, _, log) {
    state.agenda.pop();
    draw(state, state.seat, HAND_SIZE - state.hands[state.seat].length, log);
  },
  ExchangeDead(state, _, log) {
    state.agenda.pop();
    exchangeDead(state, log);
  },
  PassTurn: (state, _, log) => passTurn(state, log),
  SettleNext(state, step, log) {
    if (!step.waiting.length) return endMerger(state, step, log);
    const largest = largestOf(state, step.waiting);
    if (largest.length === 1) return settle(state, step, largest[0], log);
    return state.agenda.push({ kind: "ChooseAcquired", seat: state.seat, survivor: step.survivor });
  },
};

const ascending = (squares) => squares.sort((one, other) => one - other);

function draw(state, seat, count, log) {
  const taken = count > 0 ? state.deal.tiles(state.drawn, Math.min(count, pileSize(state))) : [];
  if (!taken.length) return;
  state.drawn += taken.length;
  state.hands[seat] = ascending([...state.hands[seat], ...taken]);
  state.moved = true;
  log.push({ kind: "TilesDrawn", seat, count: taken.length });
  log.push({ kind: "TilesReceived", seat, squares: ascending([...taken]) });
}

function setAside(state, tiles, log) {
  const seat = state.seat;
  state.hands[seat] = state.hands[seat].filter((tile) => !tiles.includes(tile));
  state.aside.push(...tiles);
  state.moved = true;
  log.push({ kind: "TilesSetAside", seat, squares: tiles });
  draw(state, seat, tiles.length, log);
}

function exchangeDead(state, log) {
  const tiles = state.hands[state.seat].filter((tile) => isDead(state, tile));
  if (pileSize(state) && tiles.length) setAside(state, tiles, log);
}

function announceSkip(state, log) {
  const hand = state.hands[state.seat];
  if (hand.length && state.rules.unplayable_hand === "show") {
    log.push({ kind: "HandShown", seat: state.seat, squares: [...hand] });
  }
  log.push({ kind: "PlacingSkipped", seat: state.seat });
}

function declare(state, log) {
  state.declared = true;
  log.push({ kind: "EndDeclared", seat: state.seat });
}

/** By kind of question: what an answer does. */
const TAKE = {
  ChooseTile: takeTile,
  ChooseFounded: takeFounded,
  ChooseSurvivor(state, step, action, log) {
    state.agenda.pop();
    survive(state, step.square, action.chain, step.chains, log);
  },
  ChooseAcquired(state, step, action, log) {
    state.agenda.pop();
    settle(state, decisionOf(state), action.chain, log);
  },
  ChooseDisposal: takeDisposal,
  ChoosePurchase: takePurchase,
  ChooseExchange(state, _, action, log) {
    if (action.exchange) exchangeDead(state, log);
    if (!action.exchange || state.rules.dead_tiles !== "forced-then-optional") state.agenda.pop();
  },
  ChoosePower: takePower,
  ChoosePairTrade: takePairTrade,
  ChooseOffer: takeOffer,
  ChooseReply: takeReply,
};

function takeTile(state, step, action, log) {
  if (action.kind === "EndPlacing") return void state.agenda.pop();
  if (action.kind === "StopPlay") {
    if (!state.declared) declare(state, log);
    return finish(state, "declared", log);
  }
  if (action.declare) declare(state, log);
  const { square } = action;
  const seat = step.seat;
  state.hands[seat] = state.hands[seat].filter((tile) => tile !== square);
  state.moved = true;
  state.agenda.pop();
  if (step.number < step.most) state.agenda.push({ kind: "ChooseTile", seat, number: step.number + 1, most: step.most });
  log.push({ kind: "TilePlaced", seat, square });
  const chains = chainsBeside(state.board, square);
  if (chains.length === 1) return grow(state, square, chains[0], log);
  state.board[square] = INDEPENDENT;
  if (chains.length) return beginMerger(state, square, chains, log);
  if (independentBeside(state.board, square)) state.agenda.push({ kind: "ChooseFounded", seat, square });
  return undefined;
}

function grow(state, square, chain, log) {
  state.sizes[chain] += spread(state.board, square, FIRST_CHAIN + chain);
  log.push({ kind: "ChainGrew", chain, size: state.sizes[chain] });
}

function takeFounded(state, step, { chain }, log) {
  state.agenda.pop();
  state.sizes[chain] = spread(state.board, step.square, FIRST_CHAIN + chain);
  const shares = state.market[chain] ? 1 : 0;
  const cash = !shares && state.rules.founder_without_stock === "cash" ? chainPrice(state, chain) : 0;
  state.market[chain] -= shares;
  state.shares[step.seat][chain] += shares;
  state.cash[step.seat] += cash;
  log.push({ kind: "ChainFounded", seat: step.seat, chain, size: state.sizes[chain] });
  log.push({ kind: "FounderRewarded", seat: step.seat, chain, shares, cash });
}

function beginMerger(state, square, chains, log) {
  log.push({ kind: "MergerBegan", seat: state.seat, chains });
  const largest = largestOf(state, chains);
  if (largest.length === 1) survive(state, square, largest[0], chains, log);
  else state.agenda.push({ kind: "ChooseSurvivor", seat: state.seat, square, chains });
}

function survive(state, square, survivor, chains, log) {
  const acquired = chains.filter((chain) => chain !== survivor);
  log.push({ kind: "ChainSurvives", chain: survivor });
  state.agenda.push({ kind: "SettleNext", square, survivor, acquired, waiting: acquired });
}

/** Shows the holdings, pays the bonuses, and asks every holder in seat order, from the seat in turn on (MRG-5, MRG-11). */
function settle(state, merger, chain, log) {
  const held = holdingsOf(state, chain);
  log.push({ kind: "HoldingsShown", chain, holdings: held });
  state.agenda.pop();
  state.agenda.push({ ...merger, waiting: merger.waiting.filter((other) => other !== chain) });
  if (!held.some(Boolean)) return;
  payBonuses(state, chain, log);
  for (let place = state.seats - 1; place >= 0; place--) {
    const seat = (state.seat + place) % state.seats;
    if (held[seat]) state.agenda.push({ kind: "ChooseDisposal", seat, acquired: chain, survivor: merger.survivor });
  }
}

/** Gives the survivor all tiles, the merging tile, and every independent tile now connected (MRG-10). */
function endMerger(state, merger, log) {
  state.agenda.pop();
  const survivor = FIRST_CHAIN + merger.survivor;
  for (const chain of merger.acquired) {
    state.sizes[chain] = 0;
    state.board = state.board.map((held) => (held === FIRST_CHAIN + chain ? survivor : held));
  }
  spread(state.board, merger.square, survivor);
  state.sizes[merger.survivor] = state.board.filter((held) => held === survivor).length;
  log.push({ kind: "MergerEnded", chain: merger.survivor, size: state.sizes[merger.survivor] });
}

/** Draws the tile that says how many shares the market holds. The pile does not change (TWO-1, TWO-4, TWO-5). */
function drawForMarket(state, chain, log) {
  let square = null;
  if (pileSize(state)) {
    square = state.deal.marketTile(state.marketDraws, state.drawn);
    state.marketDraws += 1;
  }
  const shares = square === null ? 0 : numberOf(square);
  log.push({ kind: "MarketDrew", chain, square, shares });
  return shares;
}

function payBonuses(state, chain, log) {
  const held = holdingsOf(state, chain);
  const places = bonusPlaces(state.rules, chainPrice(state, chain));
  const holders = marketPlays(state.rules, state.seats) ? [...held, drawForMarket(state, chain, log)] : held;
  shareOut(places, holders).slice(0, state.seats).forEach((amount, seat) => {
    if (!amount) return;
    state.cash[seat] += amount;
    log.push({ kind: "BonusPaid", seat, chain, amount });
  });
}

function takeDisposal(state, { seat, acquired, survivor }, { sell, trade }, log) {
  state.agenda.pop();
  const received = trade / 2;
  const cash = sell * chainPrice(state, acquired);
  state.shares[seat][acquired] -= sell + trade;
  state.shares[seat][survivor] += received;
  state.market[acquired] += sell + trade;
  state.market[survivor] -= received;
  state.cash[seat] += cash;
  const kept = state.shares[seat][acquired];
  log.push({ kind: "StockDisposed", seat, chain: acquired, kept, sold: sell, traded: trade, cash, received });
}

function takePurchase(state, { seat, terms }, action, log) {
  if (!(terms in BUY_MAX)) throw new Error(`no such terms of a purchase: ${terms}`);
  if (action.declare) declare(state, log);
  state.agenda.pop();
  const price = action.shares.reduce((sum, count, chain) => sum + count * chainPrice(state, chain), 0);
  const cost = terms === "three-free" ? 0 : price;
  if (action.shares.some(Boolean)) state.moved = true;
  state.cash[seat] -= cost;
  action.shares.forEach((count, chain) => {
    state.market[chain] -= count;
    state.shares[seat][chain] += count;
  });
  log.push({ kind: "SharesBought", seat, shares: action.shares, cost });
}

function takePower(state, { seat }, { power }, log) {
  state.agenda.pop();
  if (!power) return;
  state.powers[seat] = POWERS.filter((other) => other === power || state.powers[seat].includes(other));
  state.powerUsed = state.moved = true;
  log.push({ kind: "PowerUsed", seat, power });
  const instead = (step) => state.agenda.splice(-1, 1, step);
  if (power === "take-five") draw(state, seat, TILES_TAKEN, log);
  else if (power === "place-four") instead({ kind: "ChooseTile", seat, number: 1, most: TILES_PLACED_MAX });
  else if (power === "trade-two") state.agenda.push({ kind: "ChoosePairTrade", seat, number: 1 });
  else instead({ kind: "ChoosePurchase", seat, terms: power });
}

function takePairTrade(state, { seat, number }, action, log) {
  state.agenda.pop();
  if (action.kind === "EndTrading") return;
  state.market[action.give] += 2;
  state.shares[seat][action.give] -= 2;
  state.market[action.take] -= 1;
  state.shares[seat][action.take] += 1;
  if (number < PAIR_TRADES_MAX) state.agenda.push({ kind: "ChoosePairTrade", seat, number: number + 1 });
  log.push({ kind: "PairTraded", seat, give: action.give, take: action.take });
}

function takeOffer(state, { seat, left }, action, log) {
  state.agenda.pop();
  if (action.kind === "NoOffer") return;
  if (left > 1) state.agenda.push({ kind: "ChooseOffer", seat, left: left - 1 });
  const { partner, give_shares, give_cash, take_shares, take_cash } = action;
  const moved = { give_shares, give_cash, take_shares, take_cash };
  state.agenda.push({ kind: "ChooseReply", seat: partner, proposer: seat, ...moved });
  log.push({ kind: "TradeOffered", seat, partner, ...moved });
}

function takeReply(state, step, { accept }, log) {
  state.agenda.pop();
  log.push({ kind: "TradeAnswered", seat: step.seat, accepted: accept });
  if (!accept) return;
  step.give_shares.forEach((given, chain) => {
    const moved = given - step.take_shares[chain];
    state.shares[step.proposer][chain] -= moved;
    state.shares[step.seat][chain] += moved;
  });
  state.cash[step.proposer] += step.take_cash - step.give_cash;
  state.cash[step.seat] += step.give_cash - step.take_cash;
}

/** By money: 1 is best, and seats with equal money share a place (END-3). */
const placesOf = (cash) => cash.map((money) => 1 + cash.filter((other) => other > money).length);

/** Ends the game: shows everything, pays bonuses, sells all stock of active chains (END-3, END-6). */
function finish(state, reason, log) {
  state.agenda = [];
  state.ended = reason;
  log.push({ kind: "GameEnded", reason });
  state.cash.forEach((cash, seat) => log.push({ kind: "AssetsShown", seat, cash, shares: [...state.shares[seat]] }));
  for (const chain of activeChains(state)) {
    const held = holdingsOf(state, chain);
    if (!held.some(Boolean)) continue;
    payBonuses(state, chain, log);
    const price = chainPrice(state, chain);
    held.forEach((shares, seat) => {
      if (!shares) return;
      state.cash[seat] += shares * price;
      state.shares[seat][chain] = 0;
      state.market[chain] += shares;
      log.push({ kind: "SharesSold", seat, chain, shares, cash: shares * price });
    });
  }
  log.push({ kind: "ResultReached", cash: [...state.cash], places: placesOf(state.cash) });
}
