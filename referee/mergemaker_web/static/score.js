// A game as a score: a line for each turn, in the words of `mergemaker replay --text`.

import { oneLine } from "./dom.js";
import { squareName } from "./squares.js";
import { eventsFor, incidentsFor, isTold, told } from "./views.js";
import { sharesText } from "./wording.js";

const OVER = "the game is over";
/** Incidents that are no faults of anybody. */
export const QUIET = new Set(["joined", "joining began", "forked", "plays again"]);
const AUTOMATIC_BY = new Set(["bot", "automatic"]);

export const money = (amount) => `$${amount.toLocaleString("en-US")}`;
export const squaresText = (squares) => squares.map(squareName).join(" ") || "nothing";
const sides = (parts, names) => parts
  .map(([shares, cash]) => [sharesText(shares, names, ", "), cash ? money(cash) : ""].filter(Boolean).join(", "))
  .join(" for ");

/** What is offered for what, as in `2 Tower, $500 for 1 Luxor`. */
export const offerText = (event, names) =>
  sides([[event.give_shares, event.give_cash], [event.take_shares, event.take_cash]], names);

/** Takes events, gives phrases; what belongs together is one phrase, such as all bonuses for a chain. */
export class Phrases {
  constructor(names) {
    this.names = names;
    this.made = [];
    this.joined = []; // the chains of a merger whose survivor is not known yet
    this.listed = ""; // the payments that the last phrase lists
    this.joins = false; // whether the first phrase goes on with the one before
  }

  /** The phrases since the last call, added to those of the same turn. */
  takeOnto(said) {
    if (this.joins && said.length && this.made.length) said[said.length - 1] += ` ${this.made.shift()}`;
    said.push(...this.made);
    this.made = [];
    this.listed = "";
    this.joins = false;
  }

  hear(events) {
    for (const event of events) {
      const listed = this.listed;
      this.listed = "";
      if (event.kind === "BonusPaid" || event.kind === "SharesSold") this.payment(event, listed);
      else PHRASE[event.kind]?.(this, event);
    }
  }

  add(phrase) {
    this.made.push(phrase);
  }

  /** Adds words to the phrase of the tile that caused them. */
  append(words) {
    if (this.made.length) this.made[this.made.length - 1] += ` ${words}`;
    else {
      this.joins = true;
      this.add(words);
    }
  }

  payment(event, listed) {
    const name = this.names[event.chain];
    const isBonus = event.kind === "BonusPaid";
    const payment = isBonus ? `seat ${event.seat} ${money(event.amount)}` : `seat ${event.seat} ${event.shares} (${money(event.cash)})`;
    this.listed = `${event.kind} ${event.chain}`;
    if (listed === this.listed) this.made[this.made.length - 1] += `, ${payment}`;
    else this.add(`${name} ${isBonus ? "pays" : "sold:"} ${payment}`);
  }
}

const disposed = (event) => [["keeps", event.kept], ["sells", event.sold], ["trades", event.traded]]
  .filter(([, count]) => count).map(([word, count]) => `${word} ${count}`).join(", ");

/** By kind of event: its phrase. Kinds that are missing are obvious, or shown with the result. */
const PHRASE = {
  StartTilePlaced: (said, event) => said.add(`seat ${event.seat} starts with ${squareName(event.square)}`),
  TilePlaced: (said, event) => said.add(squareName(event.square)),
  ChainGrew: (said, event) => said.append(`grows ${said.names[event.chain]} to ${event.size}`),
  ChainFounded: (said, event) => said.append(`founds ${said.names[event.chain]}${event.size > 2 ? ` with ${event.size}` : ""}`),
  FounderRewarded(said, event) {
    if (event.cash) said.append(`(gets ${money(event.cash)})`);
    else if (!event.shares) said.append("(no share left)");
  },
  TilesReceived: (said, event) => said.add(`seat ${event.seat} draws ${squaresText(event.squares)}`),
  MergerBegan(said, event) {
    said.joined = event.chains;
  },
  ChainSurvives(said, event) {
    const others = said.joined.filter((chain) => chain !== event.chain).map((chain) => said.names[chain]).join(", ");
    said.append(`merges ${others} into ${said.names[event.chain]}`);
  },
  MarketDrew(said, event) {
    const by = event.square === null ? "" : ` by ${squareName(event.square)}`;
    said.add(`the market holds ${event.shares} ${said.names[event.chain]}${by}`);
  },
  StockDisposed: (said, event) => said.add(`seat ${event.seat} ${disposed(event)} ${said.names[event.chain]}`),
  MergerEnded: (said, event) => said.add(`${said.names[event.chain]} has ${event.size}`),
  SharesBought(said, event) {
    if (!event.shares.some(Boolean)) return;
    said.add(`buys ${sharesText(event.shares, said.names, ", ")} (${event.cost ? money(event.cost) : "free"})`);
  },
  PlacingSkipped: (said) => said.add("places nothing"),
  HandShown: (said, event) => said.add(`shows ${squaresText(event.squares)}`),
  TilesSetAside(said, event) {
    if (event.squares.length) said.add(`sets ${squaresText(event.squares)} aside`);
  },
  EndDeclared: (said) => said.add("declares the end"),
  GameEnded: (said, event) => said.add(`${OVER}: ${event.reason}`),
  PowerUsed: (said, event) => said.add(`uses ${event.power}`),
  PairTraded: (said, event) => said.add(`swaps 2 ${said.names[event.give]} for 1 ${said.names[event.take]}`),
  TradeOffered: (said, event) => said.add(`offers seat ${event.partner} ${offerText(event, said.names)}`),
  TradeAnswered: (said, event) => said.add(`seat ${event.seat} ${event.accepted ? "accepts" : "declines"}`),
};

/** An incident in a line. */
export function incidentText({ what, seat, why }) {
  return oneLine(`${seat === null ? "" : `seat ${seat}: `}${what}${why ? ` (${why})` : ""}`);
}

/** The score's lines: the set-up, each turn, the incidents of a turn after it, and the end. Each has the position of its first decision. */
export function scoreLines(story, knower) {
  const phrases = new Phrases(story.names);
  phrases.hear(eventsFor(story.start.events, knower));
  const lines = [{ head: "set-up", text: taken(phrases).join(" · "), position: 0, last: 0, kind: "turn" }];
  let said = [];
  let turn = null;
  let incidents = [];
  const close = () => turn && lines.push(...turnLines(turn, said, incidents));
  for (const step of story.steps) {
    if (step.turn !== turn?.number) {
      close();
      [turn, said, incidents] = [{ number: step.turn, seat: step.turnSeat, position: step.n }, [], []];
    }
    turn.last = step.n;
    if (!isTold(step, knower)) continue;
    const shown = told(step, knower);
    incidents.push(...shown.incidents.map((incident) => incidentLine(step.n, incident)));
    said = say(phrases, shown, said);
  }
  close();
  const { length } = story.steps;
  for (const incident of incidentsFor(story.lastIncidents, knower)) lines.push(incidentLine(length, incident));
  return lines;
}

const incidentLine = (position, incident) =>
  ({ head: "!", text: incidentText(incident), position, last: position, kind: QUIET.has(incident.what) ? "quiet" : "incident" });

function taken(phrases) {
  const said = [];
  phrases.takeOnto(said);
  return said;
}

function say(phrases, shown, said) {
  phrases.hear(shown.events);
  phrases.takeOnto(said);
  if (shown.by && !AUTOMATIC_BY.has(shown.by)) said.push(`[seat ${shown.seat}, ${shown.by}: ${oneLine(shown.answer)}]`);
  // The seat whose turn it is need not be named on its own line.
  const whose = `seat ${shown.turnSeat} draws`;
  return said.map((phrase) => (phrase.startsWith(whose) ? phrase.slice(whose.length - "draws".length) : phrase));
}

function turnLines(turn, said, incidents) {
  const over = said.findIndex((phrase) => phrase.startsWith(OVER));
  const played = over < 0 ? said : said.slice(0, over);
  const { position, last } = turn;
  const lines = [
    { head: `${turn.number}. seat ${turn.seat}`, seat: turn.seat, text: played.join(" · ") || "nothing", position, last, kind: "turn" },
    ...incidents,
  ];
  if (over >= 0) lines.push({ head: "end", text: said.slice(over).join(" · "), position: last, last, kind: "end" });
  return lines;
}
