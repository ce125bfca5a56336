// The texts of VOCABULARY.md: questions, answers and events.

import { squareName } from "./squares.js";

const CHAIN_FIELDS = new Set(["chain", "acquired", "survivor", "give", "take", "chains", "waiting"]);
const SQUARE_FIELDS = new Set(["square", "squares"]);
// Fields that a step needs for itself. A decision's text leaves them out.
const UNSPOKEN = new Set(["square", "chains", "give_shares", "give_cash", "take_shares", "take_cash"]);
const USUAL = { ChooseTile: { number: 1, most: 1 }, ChoosePurchase: { terms: "usual" } };

function valueText(name, value, names) {
  if (Array.isArray(value)) return value.map((item) => valueText(name, item, names)).join(",") || "-";
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (CHAIN_FIELDS.has(name)) return names[value];
  return SQUARE_FIELDS.has(name) ? squareName(value) : String(value);
}

function fieldsText(step, names, isSpoken) {
  const words = Object.keys(step).filter((name) => name !== "kind" && isSpoken(name));
  return [step.kind, ...words.map((name) => `${name}=${valueText(name, step[name], names)}`)].join(" ");
}

/** A decision, as in `ChooseTile seat=0 number=1 most=1`. */
export const decisionText = (decision, names) => fieldsText(decision, names, (name) => !UNSPOKEN.has(name));

/** A decision as in a record: without its seat and without fields that have their usual value. */
export function questionText(decision, names) {
  const usual = USUAL[decision.kind] ?? {};
  const isSpoken = (name) => name !== "seat" && !UNSPOKEN.has(name) && usual[name] !== decision[name];
  return fieldsText(decision, names, isSpoken);
}

/** An event, as in `TilePlaced seat=0 square=5C`. */
export const eventText = (event, names) => fieldsText(event, names, () => true);

/** Shares by chain, as in `2 Tower 1 Luxor`. */
export const sharesText = (shares, names, between = " ") =>
  shares.map((count, chain) => (count ? `${count} ${names[chain]}` : "")).filter(Boolean).join(between);

const sideText = (shares, cash, names) => [sharesText(shares, names), cash ? `$${cash}` : ""].filter(Boolean).join(" ");

/** An answer, as in `5C end` or `sell 2 trade 4`. */
export function actionText(action, names) {
  const end = action.declare ? " end" : "";
  switch (action.kind) {
    case "Place": return squareName(action.square) + end;
    case "Buy": return `buy ${sharesText(action.shares, names) || "nothing"}${end}`;
    case "Dispose": return `sell ${action.sell} trade ${action.trade}`;
    case "NameFounded": return `found ${names[action.chain]}`;
    case "NameSurvivor": return `survivor ${names[action.chain]}`;
    case "NameAcquired": return `acquire ${names[action.chain]}`;
    case "UsePower": return action.power ? `power ${action.power}` : "no power";
    case "TradePair": return `swap 2 ${names[action.give]} for 1 ${names[action.take]}`;
    case "Exchange": return action.exchange ? "exchange" : "no exchange";
    case "Reply": return action.accept ? "accept" : "decline";
    case "StopPlay": return "stop";
    case "EndPlacing": return "enough tiles";
    case "EndTrading": return "enough swaps";
    case "NoOffer": return "no offer";
    case "OfferTrade": {
      const given = sideText(action.give_shares, action.give_cash, names);
      const asked = sideText(action.take_shares, action.take_cash, names);
      return `offer seat ${action.partner}: ${given} for ${asked}`;
    }
    default: throw new Error(`no such action: ${action.kind}`);
  }
}

function parseSide(text, names) {
  const shares = names.map(() => 0);
  const words = text.split(" ");
  const cash = words.at(-1).startsWith("$") ? Number(words.pop().slice(1)) : 0;
  for (let at = 0; at < words.length; at += 2) {
    const chain = names.indexOf(words[at + 1]);
    if (chain < 0) return null;
    shares[chain] = Number(words[at]);
  }
  return { shares, cash };
}

/** The offer that a text stands for; null for any other text. */
export function parseOffer(text, names) {
  const found = /^offer seat (\d): (.+) for (.+)$/.exec(text);
  const given = found && parseSide(found[2], names);
  const asked = found && parseSide(found[3], names);
  if (!given || !asked) return null;
  return {
    kind: "OfferTrade", partner: Number(found[1]),
    give_shares: given.shares, give_cash: given.cash, take_shares: asked.shares, take_cash: asked.cash,
  };
}
