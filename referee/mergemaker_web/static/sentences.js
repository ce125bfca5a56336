// What happened, was asked and went wrong, as sentences for people.

import { money, offerText, squaresText } from "./score.js";
import { squareName } from "./squares.js";
import { sharesText } from "./wording.js";

const POWER_WORDS = {
  "take-five": "Take five: draws five tiles", "place-four": "Place four: places up to four tiles",
  "three-free": "Three free: takes up to three shares for nothing", "buy-five": "Buy five: buys up to five shares",
  "trade-two": "Trade two: swaps two shares for one, up to three times",
};
const count = (number, one) => `${number} ${number === 1 ? one : `${one}s`}`;

/** An event as a sentence; `who` names a seat, `names` the chains. */
export function sentence(event, who, names) {
  return SENTENCES[event.kind](event, who, names);
}

const SENTENCES = {
  StartTilePlaced: (event, who) => `${who(event.seat)} starts with ${squareName(event.square)}.`,
  TilesDrawn: (event, who) => `${who(event.seat)} draws ${count(event.count, "tile")}.`,
  TilesReceived: (event, who) => `${who(event.seat)} gets ${squaresText(event.squares)}.`,
  TurnBegan: (event, who) => `Turn ${event.turn} begins: ${who(event.seat)}.`,
  HandShown: (event, who) => `${who(event.seat)} shows a hand of which nothing can be placed: ${squaresText(event.squares)}.`,
  TilesSetAside: (event, who) => `${who(event.seat)} sets ${squaresText(event.squares)} aside, out of the game.`,
  TradeOffered: (event, who, names) => `${who(event.seat)} offers ${who(event.partner)} ${offerText(event, names)}.`,
  TradeAnswered: (event, who) => `${who(event.seat)} ${event.accepted ? "accepts" : "declines"}.`,
  PowerUsed: (event, who) => `${who(event.seat)} uses a power. ${POWER_WORDS[event.power]}.`,
  PlacingSkipped: (event, who) => `${who(event.seat)} places nothing.`,
  EndDeclared: (event, who) => `${who(event.seat)} declares the end.`,
  TilePlaced: (event, who) => `${who(event.seat)} places ${squareName(event.square)}.`,
  ChainGrew: (event, _, names) => `${names[event.chain]} grows to ${event.size}.`,
  ChainFounded: (event, who, names) => `${who(event.seat)} founds ${names[event.chain]} with ${count(event.size, "tile")}.`,
  FounderRewarded(event, who, names) {
    if (event.cash) return `${who(event.seat)} gets ${money(event.cash)}, because no share of ${names[event.chain]} is left.`;
    return event.shares ? `${who(event.seat)} gets a free share of ${names[event.chain]}.` : `No share of ${names[event.chain]} is left.`;
  },
  MergerBegan: (event, _, names) => `A merger of ${event.chains.map((chain) => names[chain]).join(", ")} begins.`,
  ChainSurvives: (event, _, names) => `${names[event.chain]} survives.`,
  HoldingsShown(event, who, names) {
    const holders = event.holdings.map((held, seat) => (held ? `${who(seat)} ${held}` : "")).filter(Boolean).join(", ");
    return `${names[event.chain]} is settled. Shares: ${holders || "nobody has any"}.`;
  },
  MarketDrew(event, _, names) {
    const by = event.square === null ? "no tile is left to draw" : `it drew ${squareName(event.square)}`;
    return `The market counts as holder of ${event.shares} ${names[event.chain]}: ${by}.`;
  },
  BonusPaid: (event, who, names) => `${names[event.chain]} pays ${who(event.seat)} a bonus of ${money(event.amount)}.`,
  StockDisposed(event, who, names) {
    const parts = [
      event.kept ? `keeps ${event.kept}` : "",
      event.sold ? `sells ${event.sold} for ${money(event.cash)}` : "",
      event.traded ? `trades ${event.traded} for ${event.received} of the survivor` : "",
    ];
    return `${who(event.seat)} ${parts.filter(Boolean).join(", ")} (${names[event.chain]}).`;
  },
  MergerEnded: (event, _, names) => `The merger is over. ${names[event.chain]} has ${count(event.size, "tile")}.`,
  PairTraded: (event, who, names) => `${who(event.seat)} swaps 2 ${names[event.give]} for 1 ${names[event.take]}.`,
  SharesBought(event, who, names) {
    const bought = sharesText(event.shares, names, ", ");
    return bought ? `${who(event.seat)} buys ${bought} for ${event.cost ? money(event.cost) : "nothing"}.` : `${who(event.seat)} buys nothing.`;
  },
  GameEnded: (event) => (event.reason === "stuck" ? "The game is over: nobody can do anything any more." : "The game is over, as declared."),
  AssetsShown: (event, who, names) => `${who(event.seat)} has ${money(event.cash)} and ${sharesText(event.shares, names, ", ") || "no shares"}.`,
  SharesSold: (event, who, names) => `${who(event.seat)} sells ${count(event.shares, "share")} of ${names[event.chain]} for ${money(event.cash)}.`,
  ResultReached(event, who) {
    const seats = [...event.places.keys()].sort((one, other) => event.places[one] - event.places[other]);
    return `Result: ${seats.map((seat) => `${event.places[seat]}. ${who(seat)} ${money(event.cash[seat])}`).join(", ")}.`;
  },
};


/** A decision as a question: what a seat is asked. */
export function questionWords(decision, who, names) {
  switch (decision.kind) {
    case "ChooseTile": return decision.most > 1 ? `Place tile ${decision.number} of up to ${decision.most}` : "Place a tile";
    case "ChooseFounded": return `Name the chain that ${squareName(decision.square)} founds`;
    case "ChooseSurvivor": return `Which chain survives, of ${decision.chains.map((chain) => names[chain]).join(", ")}?`;
    case "ChooseAcquired": return "Which chain is settled next?";
    case "ChooseDisposal": return `Keep, sell or trade ${names[decision.acquired]}, acquired by ${names[decision.survivor]}`;
    case "ChoosePurchase": return { usual: "Buy up to three shares", "buy-five": "Buy up to five shares", "three-free": "Take up to three shares for nothing" }[decision.terms];
    case "ChooseExchange": return "Exchange the dead tiles?";
    case "ChoosePower": return "Use a power?";
    case "ChoosePairTrade": return `Swap two shares for one (${decision.number} of up to 3)`;
    case "ChooseOffer": return `Offer a trade? (${decision.left} left)`;
    case "ChooseReply": return `Accept ${offerText(decision, names)} from ${who(decision.proposer)}?`;
    default: return decision.kind;
  }
}
