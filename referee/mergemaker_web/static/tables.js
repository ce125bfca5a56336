// What rules resolve to: prices, bonuses, and the steps of a turn.

import { CHAINS } from "./squares.js";

export const SHARES_PER_CHAIN = 25;
export const START_CASH = 6000;
export const HAND_SIZE = 6;
export const SAFE_SIZE = 11;
export const GIANT_SIZE = 41;
export const POWERS = ["take-five", "place-four", "three-free", "buy-five", "trade-two"];
/** By chain: its price class, 0 cheap, 1 middle, 2 dear. */
export const TIER = [0, 0, 1, 1, 1, 2, 2];
export const TIER_NAMES = ["cheap", "middle", "dear"];

const KNOBS = new Set([
  "chains", "bonus_chart", "start_order", "founder_without_stock", "dead_tiles", "unplayable_hand", "after_declaring",
  "two_player_market", "assets", "special_powers", "trade_offers",
]);
const SEATS_MIN = 2;
const SEATS_MAX = 6;
const CHAIN_NAME = /^[A-Z][a-z]{0,15}$/;
const ROW_STARTS = [2, 3, 4, 5, 6, 11, 21, 31, 41];
// The middle bonus of the three-holder chart follows no formula (BON-2).
const SECOND_OF_THREE = {
  200: 1500, 300: 2200, 400: 3000, 500: 3700, 600: 4200, 700: 5000, 800: 5700, 900: 6200, 1000: 7000, 1100: 7700, 1200: 8200,
};

/** The names of the chains in chain order. */
export const chainNames = (rules) => rules.chains.flat();

/** Refuses rules that this program does not know. */
export function checkRules(rules, version, seats) {
  if (!Number.isInteger(seats) || seats < SEATS_MIN || seats > SEATS_MAX) throw new Error(`2 to 6 seats can play, not ${seats}`);
  if (version !== 1) throw new Error(`this page knows version 1 of the rules, not ${version}: make it again with a newer mergemaker`);
  const unknown = Object.keys(rules).filter((knob) => !KNOBS.has(knob));
  if (unknown.length) throw new Error(`this page does not know the knob ${unknown[0]}: make it again with a newer mergemaker`);
  const names = chainNames(rules);
  if (names.length !== CHAINS || !names.every((name) => CHAIN_NAME.test(name))) throw new Error("rules name seven chains");
}

/** What a share costs (BON-1); 0 for no chain. */
export function priceOf(chain, size) {
  if (size < ROW_STARTS[0]) return 0;
  return 200 + 100 * (ROW_STARTS.filter((start) => start <= size).length - 1 + TIER[chain]);
}

/** The bonus of each place at a share price, first place first (BON-2). */
export function bonusPlaces(rules, price) {
  if (!price) return [];
  return rules.bonus_chart === "two-holders" ? [10 * price, 5 * price] : [10 * price, SECOND_OF_THREE[price], 5 * price];
}

/** What each holder is paid for these holdings (BON-3 to BON-8). */
export function shareOut(places, holdings) {
  const holders = holdings.filter(Boolean).length;
  let counted = places;
  if (holders === 1) counted = [places[0] + places.at(-1)];
  else if (holders === 2) counted = places.slice(0, 2);
  const paidFor = new Map([[0, 0]]);
  let place = 0;
  for (const count of [...new Set(holdings)].filter(Boolean).sort((one, other) => other - one)) {
    const tied = holdings.filter((held) => held === count).length;
    const pool = counted.slice(place, place + tied).reduce((sum, bonus) => sum + bonus, 0);
    paidFor.set(count, Math.ceil(pool / tied / 100) * 100);
    place += tied;
  }
  return holdings.map((held) => paidFor.get(held));
}

/** Whether the market counts as a stockholder (TWO-1, TWO-6). */
export const marketPlays = (rules, seats) => rules.two_player_market && seats === 2;

/** The steps of a seat's turn as an agenda: the first step is the last item (TRN-1). */
export function turnSteps(rules, seat) {
  const steps = [];
  if (rules.unplayable_hand === "redraw") steps.push({ kind: "RedrawHand" });
  if (rules.trade_offers) steps.push({ kind: "ChooseOffer", seat, left: rules.trade_offers });
  if (rules.special_powers) for (const phase of ["start", "placing"]) steps.push({ kind: "ChoosePower", seat, phase });
  steps.push({ kind: "ChooseTile", seat, number: 1, most: 1 });
  if (rules.special_powers) steps.push({ kind: "ChoosePower", seat, phase: "buying" });
  steps.push({ kind: "ChoosePurchase", seat, terms: "usual" }, { kind: "DrawTiles" });
  if (rules.dead_tiles !== "optional") steps.push({ kind: "ExchangeDead" });
  if (rules.dead_tiles !== "forced") steps.push({ kind: "ChooseExchange", seat });
  steps.push({ kind: "PassTurn" });
  return steps.reverse();
}
