// The score beside the board: each turn is a link to its last decision.

import { el, setAttribute } from "./dom.js";
import { nameOf } from "./names.js";
import { scoreLines } from "./score.js";

export class ScoreView {
  /** `onMove` is called with the decision of a line that is chosen. */
  constructor(story, onMove) {
    this.story = story;
    this.list = el("ol", { class: "score", onclick: (event) => {
      const link = event.target.closest("a");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      onMove(Number(link.hash.slice(1)));
    } });
    this.box = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Score" }, this.list);
    this.element = el("section", { class: "scorepanel panel" }, el("h2", {}, "Score"), this.box);
    this.lines = [];
  }

  /** Writes the score of what a knower knows. */
  draw(knower) {
    this.lines = scoreLines(this.story, knower).map((line) => {
      const head = line.seat === undefined ? line.head : `${line.head} ${nameOf(this.story, line.seat)}`;
      const link = el("a", { href: `#${line.last}` }, el("b", {}, head), ` ${line.text}`);
      return { ...line, item: el("li", { class: line.kind }, link) };
    });
    this.list.replaceChildren(...this.lines.map((line) => line.item));
  }

  /** Marks the line of a position, and scrolls it into the box. */
  show(position) {
    for (const line of this.lines) {
      const isNow = line.kind === "turn" && line.position <= position && position <= line.last;
      setAttribute(line.item, "aria-current", isNow ? "step" : null);
      if (!isNow) continue;
      const { offsetTop, offsetHeight } = line.item;
      const isSeen = offsetTop >= this.box.scrollTop && offsetTop + offsetHeight <= this.box.scrollTop + this.box.clientHeight;
      if (!isSeen) this.box.scrollTop = offsetTop - this.box.clientHeight / 3;
    }
  }
}
