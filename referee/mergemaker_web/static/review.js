// A review: what each answer is expected to have lost, as a graph, in words, as marks, and added up for each seat.

import { el, oneLine, setAttribute, setText, svg } from "./dom.js";
import { squareFrom } from "./marks.js";
import { knows } from "./views.js";

const PER_CENT = 100;
const WIDTH = { wide: 640, narrow: 350 };
const NARROW = "(max-width: 700px)";
const HEIGHT = 150;
const EDGE = { left: 40, right: 12, top: 10, bottom: 18 };
const STEPS = [0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1];
const LINES = 2;
const BAR_MAX = 8;
const WORST = 10;

const share = (part) => (PER_CENT * part).toFixed(1);
const percent = (part) => `${share(part)} %`;
const range = ([, low, high], show) => `${show(low)} to ${show(high)}`;
const whole = (part) => String(Math.round(PER_CENT * part));

/** A story with its review, which is null for a match that nobody reviewed. */
export function reviewed(story, plain) {
  story.review = plain && story.start ? { ...plain, decisions: new Map(plain.decisions.map(decisionFrom)) } : null;
  return story;
}

const decisionFrom = ([number, loss, low, high, alternative, preferred]) => [number, { number, loss, low, high, alternative: oneLine(alternative), isPreferred: Boolean(preferred) }];

/** What the review says of a decision, if the knower may know the seat's answer. */
function ratingAt(story, position, knower) {
  if (!story.review || !position || !knows(knower, story.steps[position - 1].seat)) return null;
  return story.review.decisions.get(position) ?? null;
}

/** The decisions that clearly lose, as marks of the timeline. */
export function slips(story, knower) {
  const found = [...(story.review?.decisions.values() ?? [])].filter(({ number, low }) => low > 0 && ratingAt(story, number, knower));
  return found.map(({ number, loss }) => ({ position: number, kind: "slip", text: `seat ${story.steps[number - 1].seat} loses ${percent(loss)}`, chain: null }));
}

/** The square of the better tile, as a mark of the board. */
export function betterMarks(story, position, knower) {
  const rating = ratingAt(story, position, knower);
  const square = rating?.isPreferred && rating.loss > 0 ? squareFrom(rating.alternative.split(" ")[0]) : null;
  return square === null ? [] : [{ kind: "label", square, tone: "good", text: "better" }];
}

export class ReviewView {
  /** `onMove` is called with the number of a decision that is chosen. */
  constructor(story, who, onMove) {
    this.story = story;
    this.who = who;
    this.said = el("p", { class: "said" });
    this.grid = svg("g", { class: "grid" });
    this.bars = svg("g", { onclick: (event) => event.target.dataset.number && onMove(Number(event.target.dataset.number)) });
    this.now = svg("line", { class: "now", y1: EDGE.top, y2: HEIGHT - EDGE.bottom });
    this.picture = svg("svg", { class: "chart", role: "img" }, this.grid, this.bars, this.now);
    this.worst = el("ol", { class: "score", onclick: (event) => {
      const link = event.target.closest("a");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      onMove(Number(link.hash.slice(1)));
    } });
    const table = el("div", { class: "scrollx", tabindex: "0", role: "group", "aria-label": "Accuracy" }, this.accuracy());
    const worst = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Worst decisions" }, this.worst);
    this.element = el("section", { class: "review panel" }, el("h2", {}, "Review"), this.said, this.picture, table, el("h3", {}, "Worst decisions"), worst,
      el("p", { class: "legend" }, estimateWords(story.review)));
  }

  accuracy() {
    const { seats, level } = this.story.review;
    const interval = `${Math.round(PER_CENT * level)}% interval`;
    const head = ["Seat", "Accuracy", interval, "Lost", interval, "Rated", "Clear"].map((text) => el("th", { scope: "col" }, text));
    const rows = seats.map(({ seat, rated, clear, accuracy, lost }) => el("tr", { class: `s${seat}` }, el("th", { scope: "row" }, this.who(seat)),
      [`${whole(accuracy[0])} %`, range(accuracy, whole), percent(lost[0]), range(lost, share), String(rated), String(clear)].map((text) => el("td", {}, text))));
    return el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows));
  }

  /** Draws what a knower may know: a seat's own decisions, or all. */
  draw(knower) {
    this.knower = knower;
    const { story } = this;
    const shown = [...story.review.decisions.values()].filter(({ number }) => ratingAt(story, number, knower));
    const worst = shown.filter(({ loss }) => loss > 0).sort((one, other) => other.loss - one.loss || one.number - other.number).slice(0, WORST);
    const width = window.matchMedia(NARROW).matches ? WIDTH.narrow : WIDTH.wide;
    const unit = STEPS.find((step) => step * LINES >= (worst[0]?.loss ?? 0)) ?? 1;
    const { length } = story.steps;
    this.x = (position) => EDGE.left + ((width - EDGE.left - EDGE.right) * position) / Math.max(1, length);
    const y = (loss) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * loss) / (unit * LINES);
    setAttribute(this.picture, "viewBox", `0 0 ${width} ${HEIGHT}`);
    this.grid.replaceChildren(...Array.from({ length: LINES + 1 }, (_, line) => [
      svg("line", { x1: EDGE.left, x2: width - EDGE.right, y1: y(line * unit), y2: y(line * unit) }),
      svg("text", { x: EDGE.left - 5, y: y(line * unit) + 4 }, `${Number((PER_CENT * line * unit).toFixed(1))} %`),
    ]).flat());
    const wide = Math.min(BAR_MAX, Math.max(2, (width - EDGE.left - EDGE.right) / length));
    this.bars.replaceChildren(...shown.filter(({ loss }) => loss > 0).map(({ number, loss, low }) => svg("rect", {
      class: `bar s${story.steps[number - 1].seat}${low > 0 ? "" : " unsure"}`, "data-number": number,
      x: this.x(number) - wide / 2, y: y(loss), width: wide, height: y(0) - y(loss),
    }, svg("title", {}, this.words(number)))));
    setAttribute(this.picture, "aria-label", `Expected loss by decision, in per cent of all money. ${worst.length ? `The largest: ${this.words(worst[0].number)}` : "None is known to this seat."}`);
    this.worst.replaceChildren(...worst.map(({ number }) => el("li", {}, el("a", { href: `#${number}` }, this.words(number)))));
  }

  words(number) {
    const { story } = this;
    const step = number ? story.steps[number - 1] : null;
    if (!step) return "Choose a decision to see what it is expected to have lost.";
    if (!knows(this.knower, step.seat)) return "What another seat answered is not shown here.";
    const rating = ratingAt(story, number, this.knower);
    if (!rating) return `Decision ${number} is not rated: there was no choice, or it was left out.`;
    if (!rating.isPreferred) return `Decision ${number}: nothing that was tried did better than “${oneLine(step.answer)}”. “${rating.alternative}” is at most ${percent(rating.high)} better.`;
    const chance = rating.low > 0 ? "" : ", which may be chance";
    return `Decision ${number}: with “${rating.alternative}” in place of “${oneLine(step.answer)}”, ${this.who(step.seat)} could expect ${percent(rating.loss)} more of all money (${range([0, rating.low, rating.high], share)})${chance}.`;
  }

  show(position) {
    setText(this.said, this.words(position));
    setAttribute(this.now, "x1", this.x(position));
    setAttribute(this.now, "x2", this.x(position));
  }
}

/** What the figures are estimates of. */
function estimateWords({ house, others, deals, level }) {
  const [scouting, rating] = deals;
  return `These are estimates. For each decision with a choice, fresh tiles were dealt that agree with what the seat knew, and ${oneLine(house)} played on in every seat: in `
    + `${scouting} deals after the answer and at most ${others} others, then in ${rating} more after the answer and the best of the others. Lost is in per cent of all money at the end. `
    + `Accuracy is what the seat could expect, as a part of this and all that it gave away. Intervals are Student’s t at ${Math.round(PER_CENT * level)} %, over the ${rating} deals. `
    + "Stronger bots may make another answer the best one.";
}
