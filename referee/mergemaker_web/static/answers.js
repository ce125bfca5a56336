// Every legal answer to the open question, in the order of VOCABULARY.md.

import { CHAINS } from "./squares.js";
import {
  activeChains, chainPrice, decisionOf, endAllowed, isDead, largestOf, pileSize, placeable,
} from "./state.js";
import { POWERS, SHARES_PER_CHAIN } from "./tables.js";
import { actionText, parseOffer } from "./wording.js";

export const BUY_MAX = { usual: 3, "three-free": 3, "buy-five": 5 };
const USUAL_MAX = 3;
const POWER_PHASE = {
  "take-five": "start", "place-four": "placing", "three-free": "buying", "buy-five": "buying", "trade-two": "buying",
};
const TRADE_CASH_STEP = 100;
const TRADE_CASH_MAX = 100_000;

/** Every legal answer; empty when the game is over. Offers are too many to list: see `offerBounds`. */
export function legalAnswers(state) {
  const step = decisionOf(state);
  switch (step?.kind) {
    case undefined: return [];
    case "ChooseTile": return tileAnswers(state, step);
    case "ChooseFounded": return named("NameFounded", [...state.sizes.keys()].filter((chain) => !state.sizes[chain]));
    case "ChooseSurvivor": return named("NameSurvivor", largestOf(state, step.chains));
    case "ChooseAcquired": return named("NameAcquired", largestOf(state, state.agenda.at(-2).waiting));
    case "ChooseDisposal": return disposals(state, step);
    case "ChoosePurchase": return withDeclaration(state, purchases(state, step));
    case "ChooseExchange": return [false, true].map((exchange) => ({ kind: "Exchange", exchange }));
    case "ChoosePower": return [null, ...powersFor(state, step)].map((power) => ({ kind: "UsePower", power }));
    case "ChoosePairTrade": return [...pairTrades(state, step.seat), ...(step.number > 1 ? [{ kind: "EndTrading" }] : [])];
    case "ChooseOffer": return [{ kind: "NoOffer" }];
    case "ChooseReply": return [false, ...(canAccept(state, step) ? [true] : [])].map((accept) => ({ kind: "Reply", accept }));
    default: throw new Error(`no such question: ${step.kind}`);
  }
}

/** The answer with this text; an error if it is not legal. */
export function answerFrom(state, text) {
  const found = legalAnswers(state).find((action) => actionText(action, state.names) === text);
  if (found) return found;
  const step = decisionOf(state);
  const offer = step?.kind === "ChooseOffer" ? parseOffer(text, state.names) : null;
  if (offer && isOfferLegal(state, step.seat, offer)) return offer;
  throw new Error(`${JSON.stringify(String(text).slice(0, 80))} is not an answer to ${step?.kind ?? "a game that is over"}`);
}

const named = (kind, chains) => chains.map((chain) => ({ kind, chain }));

function tileAnswers(state, step) {
  const tiles = placeable(state, step.seat);
  const mayDeclare = endAllowed(state) && !state.declared;
  const answers = tiles.map((square) => ({ kind: "Place", square, declare: false }));
  if (mayDeclare) answers.push(...tiles.map((square) => ({ kind: "Place", square, declare: true })));
  if (state.rules.after_declaring === "finish-or-stop" && (mayDeclare || state.declared)) answers.push({ kind: "StopPlay" });
  if (step.number > 1) answers.push({ kind: "EndPlacing" });
  return answers;
}

function disposals(state, step) {
  const held = state.shares[step.seat][step.acquired];
  const pairs = Math.min(Math.floor(held / 2), state.market[step.survivor]);
  const answers = [];
  for (let sell = 0; sell <= held; sell++) {
    for (let trade = 0; trade / 2 <= pairs && sell + trade <= held; trade += 2) answers.push({ kind: "Dispose", sell, trade });
  }
  return answers;
}

/** Every purchase without a declaration: by length, then as lists of chains. */
function purchases(state, step) {
  const isFree = step.terms === "three-free";
  const goods = activeChains(state).filter((chain) => state.market[chain]);
  const found = [];
  let lists = [{ chains: [], left: isFree ? Infinity : state.cash[step.seat] }];
  for (let count = 0; lists.length && count <= BUY_MAX[step.terms]; count++) {
    if (count || !isFree) found.push(...lists.map((list) => list.chains));
    lists = lists.flatMap(({ chains, left }) => goods
      .filter((chain) => chain >= (chains.at(-1) ?? 0) && chainPrice(state, chain) <= left)
      .filter((chain) => chains.filter((bought) => bought === chain).length < state.market[chain])
      .map((chain) => ({ chains: [...chains, chain], left: left - chainPrice(state, chain) })));
  }
  return found;
}

function withDeclaration(state, lists) {
  const buys = (chosen, declare) => chosen.map((chains) => {
    const shares = new Array(CHAINS).fill(0);
    chains.forEach((chain) => (shares[chain] += 1));
    return { kind: "Buy", shares, declare };
  });
  if (state.declared || !endAllowed(state)) return buys(lists, false);
  const usual = lists.filter((chains) => chains.length <= USUAL_MAX);
  const large = lists.filter((chains) => chains.length > USUAL_MAX);
  return [usual, large].flatMap((part) => [...buys(part, false), ...buys(part, true)]);
}

const goodsFor = (state, cash) => activeChains(state).some((chain) => state.market[chain] && chainPrice(state, chain) <= cash);

/** Whether a power can do anything now (PWR-7). */
function doesSomething(state, seat, power) {
  switch (power) {
    case "take-five": return pileSize(state) > 0;
    case "place-four": return placeable(state, seat).length > 0;
    case "three-free": return goodsFor(state, Infinity);
    case "buy-five": return goodsFor(state, state.cash[seat]);
    default: return pairTrades(state, seat).length > 0;
  }
}

/** The powers that a question of this phase offers (PWR-1). */
export function powersFor(state, step) {
  if (state.powerUsed) return [];
  return POWERS.filter((power) => POWER_PHASE[power] === step.phase
    && !state.powers[step.seat].includes(power) && doesSomething(state, step.seat, power));
}

/** Every trade of two shares for one (PWR-4). */
export function pairTrades(state, seat) {
  const active = activeChains(state);
  const give = active.filter((chain) => state.shares[seat][chain] > 1);
  const take = active.filter((chain) => state.market[chain]);
  return give.flatMap((from) => take.filter((to) => to !== from).map((to) => ({ kind: "TradePair", give: from, take: to })));
}

/** Whether a seat can offer anything at all. */
export const canOffer = (state, seat) => state.cash[seat] >= TRADE_CASH_STEP || state.shares[seat].some(Boolean);

/** Whether there is anything to exchange (DRW-2). */
export const canExchange = (state, seat) => pileSize(state) > 0 && state.hands[seat].some((tile) => isDead(state, tile));

const canAccept = (state, step) =>
  state.cash[step.seat] >= step.take_cash && step.take_shares.every((count, chain) => state.shares[step.seat][chain] >= count);

/** What can be offered (TRD-2, TRD-3): partners, the most that can be given, and the number of answers, `NoOffer` included. */
export function offerBounds(state, seat) {
  const cash = Math.min(Math.floor(state.cash[seat] / TRADE_CASH_STEP) * TRADE_CASH_STEP, TRADE_CASH_MAX);
  const shares = [...state.shares[seat]];
  const partners = [...state.cash.keys()].filter((other) => other !== seat);
  const sides = [...shares.map((given) => [given, SHARES_PER_CHAIN]), [cash / TRADE_CASH_STEP, TRADE_CASH_MAX / TRADE_CASH_STEP]];
  // Every place is neither, given or asked. Offers without a given or without an asked part do not count.
  const ways = (part) => sides.reduce((product, side) => product * BigInt(1 + part(side)), 1n);
  const count = ways(([given, asked]) => given + asked) - ways(([given]) => given) - ways(([, asked]) => asked) + 1n;
  return { partners, shares, cash, count: 1n + BigInt(partners.length) * count };
}

function isOfferLegal(state, seat, offer) {
  const bounds = offerBounds(state, seat);
  const sides = [...offer.give_shares.map((given, chain) => [given, offer.take_shares[chain], bounds.shares[chain], SHARES_PER_CHAIN]),
    [offer.give_cash, offer.take_cash, bounds.cash, TRADE_CASH_MAX]];
  const isWhole = (count) => Number.isInteger(count) && count >= 0;
  return bounds.partners.includes(offer.partner)
    && sides.every(([given, asked, most, askedMost]) => isWhole(given) && isWhole(asked) && given <= most && asked <= askedMost)
    && sides.every(([given, asked]) => !given || !asked)
    && [offer.give_cash, offer.take_cash].every((cash) => cash % TRADE_CASH_STEP === 0)
    && sides.some(([given]) => given) && sides.some(([, asked]) => asked);
}
