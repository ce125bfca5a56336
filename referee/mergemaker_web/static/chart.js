// Money over time: a line for each seat, with its number at the line's end.

import { el, setAttribute, setText, svg } from "./dom.js";
import { money } from "./score.js";
import { stateAt } from "./story.js";
import { viewOf, worthOf } from "./views.js";

const WIDTH = { wide: 640, narrow: 350 };
const NARROW = "(max-width: 700px)";
const HEIGHT = 190;
const EDGE = { left: 46, right: 20, top: 10, bottom: 18 };
const LINES = 4;
const LABEL_PIXELS = 11;
const STEPS = [500, 1000, 2000, 5000, 10_000, 15_000, 20_000, 25_000, 50_000, 100_000];

export class Chart {
  constructor(story, labels) {
    this.story = story;
    this.labels = labels;
    this.what = el("select", { "aria-label": "What the chart shows", onchange: () => this.draw(this.knower) },
      el("option", { value: "worth" }, "Cash and shares"), el("option", { value: "cash" }, "Cash"));
    this.grid = svg("g", { class: "grid" });
    this.lines = svg("g");
    this.now = svg("line", { class: "now", y1: EDGE.top, y2: HEIGHT - EDGE.bottom });
    this.picture = svg("svg", { class: "chart", role: "img" }, this.grid, this.lines, this.now);
    this.hint = el("p", { class: "legend" });
    this.element = el("section", { class: "money panel" }, el("div", { class: "heading" }, el("h2", {}, "Money over time"), this.what), this.picture, this.hint);
  }

  /** Draws the lines of what a knower knows. */
  draw(knower) {
    this.knower = knower;
    const { story } = this;
    const value = this.what.value === "cash" ? (view, seat) => view.cash[seat] : worthOf;
    const views = Array.from({ length: story.steps.length + 1 }, (_, position) => viewOf(stateAt(story, position), knower));
    const series = this.labels.map((_, seat) => views.map((view) => value(view, seat)));
    const width = window.matchMedia(NARROW).matches ? WIDTH.narrow : WIDTH.wide;
    const most = Math.max(1, ...series.flat().filter((amount) => amount !== null));
    const unit = STEPS.find((step) => step * LINES >= most) ?? Math.ceil(most / LINES);
    const x = (position) => EDGE.left + ((width - EDGE.left - EDGE.right) * position) / Math.max(1, views.length - 1);
    const y = (amount) => HEIGHT - EDGE.bottom - ((HEIGHT - EDGE.top - EDGE.bottom) * amount) / (unit * LINES);
    this.x = x;
    setAttribute(this.picture, "viewBox", `0 0 ${width} ${HEIGHT}`);
    this.grid.replaceChildren(...Array.from({ length: LINES + 1 }, (_, line) => [
      svg("line", { x1: EDGE.left, x2: width - EDGE.right, y1: y(line * unit), y2: y(line * unit) }),
      svg("text", { x: EDGE.left - 5, y: y(line * unit) + 4 }, `$${(line * unit) / 1000}k`),
    ]).flat());
    this.lines.replaceChildren(...series.map((amounts, seat) => seatLine(amounts, seat, x, y)), ...endLabels(series, x, y));
    setText(this.hint, series.some((amounts) => amounts.includes(null)) ? "What this seat did not know is left out." : "");
    const ends = series.map((amounts, seat) => (amounts.at(-1) === null ? "" : `${this.labels[seat]} ${money(amounts.at(-1))}`));
    setAttribute(this.picture, "aria-label", `${this.what.selectedOptions[0].textContent} over time. At the end: ${ends.filter(Boolean).join(", ")}.`);
  }

  show(position) {
    setAttribute(this.now, "x1", this.x(position));
    setAttribute(this.now, "x2", this.x(position));
  }
}

function seatLine(amounts, seat, x, y) {
  let path = "";
  let isOn = false;
  amounts.forEach((amount, position) => {
    if (amount !== null) path += `${isOn ? "L" : "M"}${x(position).toFixed(1)} ${y(amount).toFixed(1)}`;
    isOn = amount !== null;
  });
  return svg("path", { class: `line s${seat}`, d: path });
}

/** The seats' numbers beside the ends of their lines, moved apart where they would overlap. */
function endLabels(series, x, y) {
  const ends = series.map((amounts, seat) => ({ seat, amount: amounts.at(-1) })).filter(({ amount }) => amount !== null);
  const at = x(series[0].length - 1) + 5;
  let above = -Infinity;
  return ends.sort((one, other) => other.amount - one.amount).map(({ seat, amount }) => {
    above = Math.max(y(amount) + 4, above + LABEL_PIXELS);
    return svg("text", { class: `end s${seat}`, x: at, y: above }, String(seat));
  });
}
