// The timeline: a slider over all positions, with marks for foundings, mergers, faults and the end.

import { el, setAttribute, svg } from "./dom.js";
import { slips } from "./review.js";
import { QUIET, incidentText } from "./score.js";
import { incidentsFor, told } from "./views.js";

const HEIGHT = 22;
const SHAPES = {
  founded: "M0 -6L6 5H-6z",
  merged: "M0 -6L6 0L0 6L-6 0z",
  fault: "M-5 -3L-3 -5L0 -2L3 -5L5 -3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0z",
  end: "M-4 -7H6V1H-2V7H-4z",
  slip: "M0 6L6 -5H-6z",
};

/** The marks of a story: what happened at which position, in words, as far as a knower learns of it. */
export function milestones(story, knower) {
  const found = [];
  story.steps.forEach((played) => {
    const step = told(played, knower);
    const add = (kind, text, chain = null) => found.push({ position: step.n, kind, text, chain });
    for (const incident of step.incidents) if (!QUIET.has(incident.what)) add("fault", incidentText(incident));
    if (isFault(step)) add("fault", `seat ${step.seat}: ${step.by}`);
    for (const event of step.events) {
      if (event.kind === "ChainFounded") add("founded", `${story.names[event.chain]} is founded`, event.chain);
      if (event.kind === "ChainSurvives") add("merged", `a merger into ${story.names[event.chain]}`, event.chain);
      if (event.kind === "GameEnded") add("end", `the end: ${event.reason}`);
    }
  });
  for (const incident of incidentsFor(story.lastIncidents, knower)) {
    if (!QUIET.has(incident.what)) found.push({ position: story.steps.length, kind: "fault", text: incidentText(incident), chain: null });
  }
  return found;
}

/** A default for a question that the bot was asked; after autopilot begins, one mark is enough. */
const isFault = (step) => step.by !== null && !["bot", "automatic", "default: autopilot", "default: resigned", "default: never joined"].includes(step.by);

export class Timeline {
  constructor(story, onMove) {
    this.slider = el("input", { type: "range", min: 0, max: story.steps.length, step: 1, value: 0, "aria-label": "Decision", oninput: () => onMove(Number(this.slider.value)) });
    this.jump = el("select", { "aria-label": "Jump to", onchange: () => this.jump.value && onMove(Number(this.jump.value)) });
    this.marks = svg("svg", { class: "milestones", "aria-hidden": "true" });
    this.element = el("div", { class: "timeline" }, this.marks, this.slider);
    this.onMove = onMove;
  }

  /** Draws the marks of what a knower knows. */
  draw(story, knower) {
    const { length } = story.steps;
    setAttribute(this.slider, "max", length);
    const found = [...milestones(story, knower), ...slips(story, knower)].sort((one, other) => one.position - other.position);
    this.marks.replaceChildren(...found.map((mark) => {
      const tone = mark.chain === null ? "" : ` c${mark.chain}`;
      const shape = svg("path", { class: `${mark.kind}${tone}`, d: SHAPES[mark.kind], onclick: () => this.onMove(mark.position) }, svg("title", {}, `${mark.position}: ${mark.text}`));
      return svg("svg", { x: `${length ? (100 * mark.position) / length : 0}%`, y: HEIGHT / 2, overflow: "visible" }, shape);
    }));
    const options = found.map((mark) => el("option", { value: mark.position }, `${mark.position}: ${mark.text}`));
    this.jump.replaceChildren(el("option", { value: "" }, "Jump to …"), ...options);
    this.positions = [...new Set(found.map((mark) => mark.position))];
  }

  show(position, words) {
    this.slider.value = position;
    setAttribute(this.slider, "aria-valuetext", words);
    this.jump.value = "";
  }

  /** The next mark after a position, or the one before it. */
  next(position, step) {
    if (step > 0) return this.positions.find((at) => at > position) ?? null;
    return this.positions.findLast((at) => at < position) ?? null;
  }
}
