// What is shown to whom: everything, what everybody knew, or what one seat knew then (VIS-1 to VIS-4).
// A live page gets views of the same form from its server.

import { chainPrice, decisionOf, endAllowed, pileSize } from "./state.js";
import { bonusPlaces, shareOut } from "./tables.js";
import { CHAINS } from "./squares.js";

export const ALL = "all";
export const PUBLIC = "public";
// Incidents that decide how the play goes on: everybody learns of them.
const OF_PLAY = new Set(["autopilot", "never joined", "resigned", "plays again", "voided"]);

/** Whether a knower may see what only this seat knows. */
export const knows = (knower, seat) => knower === ALL || knower === seat;

/** A state as a knower may see it; null where it does not know. */
export function viewOf(state, knower) {
  if (state.isView) return state; // of a live match, where a position is only what everybody knows
  const isOpen = knower === ALL || state.rules.assets === "open" || state.ended !== null;
  const sees = (seat) => isOpen || knower === seat;
  const chains = [...Array(CHAINS).keys()];
  const decision = decisionOf(state);
  return {
    rules: state.rules, names: state.names, seats: state.seats, turn: state.turn, turnSeat: state.seat,
    board: state.board, sizes: state.sizes, prices: chains.map((chain) => chainPrice(state, chain)), market: state.market,
    pile: pileSize(state), aside: state.aside,
    hands: state.hands.map((hand, seat) => (knows(knower, seat) ? hand : null)),
    handSizes: state.hands.map((hand) => hand.length),
    cash: state.cash.map((cash, seat) => (sees(seat) ? cash : null)),
    shares: state.shares.map((held, seat) => (sees(seat) ? held : null)),
    powers: state.powers, declared: state.declared, endAllowed: endAllowed(state), ended: state.ended,
    asked: decision && (knows(knower, decision.seat)) ? decision : null,
  };
}

/** What a seat's cash and shares are worth at the prices of now; at the end the shares have been sold. */
export function worthOf(view, seat) {
  if (view.cash[seat] === null || view.shares[seat] === null) return null;
  if (view.ended) return view.cash[seat];
  return view.shares[seat].reduce((sum, count, chain) => sum + count * view.prices[chain], view.cash[seat]);
}

/** By chain, then seat: the bonus that the chain would pay if it were settled now; null where holdings are hidden. */
export function bonusesNow(view) {
  return view.sizes.map((size, chain) => {
    if (!size || view.ended || view.shares.some((held) => held === null)) return null;
    const held = view.shares.map((shares) => shares[chain]);
    return held.some(Boolean) ? shareOut(bonusPlaces(view.rules, view.prices[chain]), held) : held.map(() => 0);
  });
}

/** By chain, then seat: the holder's rank, 1 for most; 0 without a share. Null where holdings are hidden. */
export function ranks(view) {
  return view.sizes.map((_, chain) => {
    if (view.shares.some((held) => held === null)) return null;
    const held = view.shares.map((shares) => shares[chain]);
    return held.map((count) => (count ? 1 + held.filter((other) => other > count).length : 0));
  });
}

/** The events that a knower may see. */
export const eventsFor = (events, knower) => events.filter((event) => event.kind !== "TilesReceived" || knows(knower, event.seat));

/** For a seat: its own incidents, and those that change the play; those of others without the reason, which may reveal their tiles. */
export function incidentsFor(incidents, knower) {
  if (knower === ALL) return incidents;
  return incidents
    .filter((incident) => OF_PLAY.has(incident.what) || incident.seat === knower)
    .map((incident) => (incident.seat === knower ? incident : { ...incident, why: "" }));
}

/** A step as a knower may see it: without the question, answer, note and times of another seat. */
export function told(step, knower) {
  const own = knows(knower, step.seat);
  return {
    n: step.n, seat: step.seat, turn: step.turn, turnSeat: step.turnSeat,
    asked: own ? step.asked : null, answer: own ? step.answer : null, by: own ? step.by : null, note: own ? step.note : null,
    run: own ? step.run : {},
    events: eventsFor(step.events, knower), incidents: incidentsFor(step.incidents, knower),
  };
}

/** Whether a knower learns of a step at all. */
export function isTold(step, knower) {
  return knows(knower, step.seat) || eventsFor(step.events, knower).length > 0 || incidentsFor(step.incidents, knower).length > 0;
}

/** The positions at which a knower has something new to see. */
export const positionsFor = (story, knower) => [0, ...story.steps.filter((step) => isTold(step, knower)).map((step) => step.n)];

