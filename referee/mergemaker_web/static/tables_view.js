// Who has what: the players' table, and the matrix of holdings with majority marks, prices and the bonuses due now.

import { el, setAttribute, setText } from "./dom.js";
import { money, squaresText } from "./score.js";
import { POWERS, SAFE_SIZE, TIER, TIER_NAMES, bonusPlaces, marketPlays } from "./tables.js";
import { bonusesNow, ranks, worthOf } from "./views.js";

const HIDDEN = "?";
const RANK_MARKS = ["", "◆", "◇"];
const RANK_WORDS = ["", "majority", "minority"];
const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(1)} s`;
/** An amount in as few characters as a narrow column has: `3.7k`. */
const shortMoney = (amount) => `${amount / 1000}k`;

/** A chain's chip: letter, colour, and one to three dots for its price class. */
export function chip(names, chain) {
  return el("span", { class: `chip c${chain}` }, names[chain][0], el("span", { class: "tier", "aria-hidden": "true" }, "•".repeat(TIER[chain] + 1)));
}

/** The players: a row for each seat, whose name switches to its view. */
export class PlayersView {
  constructor(story, labels, onSeat) {
    this.hasClock = story.steps.some((step) => step.run.bank_ms !== undefined || step.run.used_ms !== undefined);
    this.hasPowers = story.header.rules.special_powers;
    this.rows = labels.map((label, seat) => {
      const button = el("button", { type: "button", class: "name", title: `Show what seat ${seat} knew`, onclick: () => onSeat(seat) }, label);
      const cell = (kind) => el("td", { class: kind });
      const parts = { button, turn: el("span", { class: "turnmark", "aria-hidden": "true" }, "▸"), note: el("span", { class: "status" }), cash: cell("number"), worth: cell("number"), tiles: cell("tiles"), clock: cell("number clock") };
      parts.row = el("tr", { class: `s${seat}` }, el("th", { scope: "row" }, parts.turn, button, parts.note), parts.cash, parts.worth, this.hasClock ? parts.clock : [], parts.tiles);
      return parts;
    });
    const title = (text, kind = null) => el("th", { scope: "col", class: kind }, text);
    const clock = this.hasClock ? title("Used / left", "clock") : [];
    const head = el("tr", {}, title("Player"), title("Cash"), title("Worth"), clock, title("Tiles"));
    this.element = el("table", { class: this.hasPowers ? "players many" : "players" }, el("caption", { class: "sr" }, "Players"), el("thead", {}, head), el("tbody", {}, this.rows.map((parts) => parts.row)));
  }

  /** Shows a view; `clocks` has for each seat the times of its last decision, `places` its place at the end or null. */
  show(view, knower, clocks, places) {
    this.rows.forEach((parts, seat) => {
      const worth = worthOf(view, seat);
      const isTurn = view.turnSeat === seat && !view.ended;
      setAttribute(parts.row, "class", `s${seat}${isTurn ? " turn" : ""}`);
      setAttribute(parts.button, "aria-pressed", knower === seat ? "true" : "false");
      const note = this.noteOf(view, seat, places, isTurn);
      setText(parts.note, note);
      setAttribute(parts.note, "title", note || null);
      setText(parts.cash, view.cash[seat] === null ? HIDDEN : money(view.cash[seat]));
      setText(parts.worth, worth === null ? HIDDEN : money(worth));
      setText(parts.tiles, view.hands[seat] ? (view.hands[seat].length ? squaresText(view.hands[seat]) : "none") : `${view.handSizes[seat]} hidden`);
      if (this.hasClock) setText(parts.clock, clockText(clocks[seat]));
    });
  }

  noteOf(view, seat, places, isTurn) {
    const used = view.powers[seat];
    const place = view.ended && places ? [`place ${places[seat]}`] : [];
    const powers = used.length === POWERS.length ? ["all powers used"] : used.length ? [`used ${used.join(", ")}`] : [];
    return [...place, ...(isTurn ? ["in turn"] : []), ...powers].join(" · ");
  }
}

function clockText(run) {
  if (!run) return "";
  return run.bank_ms === undefined ? seconds(run.used_ms) : `${seconds(run.used_ms)} / ${seconds(run.bank_ms)}`;
}

/** The holdings: a row for each chain, a column for each seat. */
export class HoldingsView {
  constructor(story) {
    const { names, seats } = story;
    this.rows = names.map((name, chain) => {
      const cell = (kind) => el("td", { class: kind });
      const parts = { size: cell("number"), price: cell("number"), market: cell("number"), bonus: cell("number wide"), seats: [] };
      for (let seat = 0; seat < seats; seat++) parts.seats.push(holdingCell());
      const head = el("th", { scope: "row" }, chip(names, chain), el("span", { class: "chainname" }, ` ${name}`));
      parts.row = el("tr", {}, head, parts.size, parts.price, parts.market, parts.seats.map((part) => part.cell), parts.bonus);
      return parts;
    });
    const seatHeads = Array.from({ length: seats }, (_, seat) => el("th", { scope: "col", class: `seathead s${seat}` }, el("span", { class: "sr" }, "Seat "), String(seat)));
    const head = el("tr", {}, ["Chain", "Size", "Price", "Left"].map((text) => el("th", { scope: "col" }, text)), seatHeads, el("th", { scope: "col", class: "wide" }, "Bonuses"));
    this.element = el("table", { class: "holdings" }, el("caption", { class: "sr" }, "Holdings: shares of each chain by seat"), el("thead", {}, head), el("tbody", {}, this.rows.map((parts) => parts.row)));
    this.legend = el("p", { class: "legend" }, "◆ majority, ◇ minority; below, the bonus due if the chain were settled now", marketPlays(story.header.rules, seats) ? ", before the market draws its share" : "", ". Dots: ", TIER_NAMES.map((name, tier) => `${"•".repeat(tier + 1)} ${name}`).join(", "), ".");
  }

  show(view) {
    const due = bonusesNow(view);
    const rank = ranks(view);
    this.rows.forEach((parts, chain) => {
      const size = view.sizes[chain];
      setAttribute(parts.row, "class", size ? null : "off");
      setText(parts.size, size ? `${size}${size >= SAFE_SIZE ? "✓" : ""}` : "–");
      setAttribute(parts.size, "title", size >= SAFE_SIZE ? "safe: no merger can take it" : null);
      setText(parts.price, size ? money(view.prices[chain]) : "–");
      setText(parts.market, String(view.market[chain]));
      setText(parts.bonus, size ? `${bonusPlaces(view.rules, view.prices[chain]).map((bonus) => bonus / 1000).join(" / ")}k` : "–");
      parts.seats.forEach((part, seat) => showHolding(part, {
        held: view.shares[seat]?.[chain] ?? null, due: due[chain]?.[seat] ?? 0, rank: rank[chain]?.[seat] ?? 0,
      }));
    });
  }
}

function holdingCell() {
  const parts = { shown: el("span"), mark: el("span", { class: "rank", "aria-hidden": "true" }), due: el("span", { class: "due", "aria-hidden": "true" }), said: el("span", { class: "sr" }) };
  parts.cell = el("td", { class: "held" }, el("span", { class: "count" }, parts.shown, parts.mark), parts.due, parts.said);
  return parts;
}

function showHolding(parts, { held, due, rank }) {
  setText(parts.shown, held === null ? HIDDEN : String(held || "·"));
  setText(parts.mark, held ? (RANK_MARKS[rank] ?? "") : "");
  setText(parts.due, due ? `+${shortMoney(due)}` : "");
  setText(parts.said, held && rank < RANK_WORDS.length ? ` ${RANK_WORDS[rank]}${due ? `, bonus now ${money(due)}` : ""}` : "");
  setAttribute(parts.cell, "title", due ? `bonus now ${money(due)}` : null);
}
