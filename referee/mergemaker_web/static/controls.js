// Buttons and keys: steps, turns, marks, playing and its speed.

import { el, setAttribute, setText, svg } from "./dom.js";

export const SPEEDS = [0.5, 1, 2, 3, 5, 10];
/** How long a step is shown at the speed 1. */
export const STEP_MS = 1200;

const ICONS = {
  first: "M4 4h3v16H4zM20 4v16L8 12z",
  back: "M17 4v16L6 12z",
  play: "M7 4v16l12-8z",
  pause: "M6 4h4v16H6zM14 4h4v16h-4z",
  on: "M7 4v16l11-8z",
  last: "M17 4h3v16h-3zM4 4v16l12-8z",
};
/** The keys, and what they do: shown on request. */
export const KEYS = [
  ["← →", "one decision back, on"],
  ["Page Up, Page Down", "one turn back, on"],
  ["[ ]", "to the mark before, the next mark"],
  ["Home, End", "to the set-up, to the end"],
  ["Space", "play, pause"],
  ["+ −", "faster, slower"],
  ["0 … 5", "what that seat knew; again: everything"],
  ["A, P", "everything; what everybody knew"],
  ["T", "text mode, picture"],
  ["?", "these keys"],
];

const icon = (name) => svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

export class Controls {
  /** `act` takes the name of an action: first, back, play, on, last, and `speed` with a number. */
  constructor(act) {
    const button = (name, label) => el("button", { type: "button", title: label, "aria-label": label, onclick: () => act(name) }, icon(name));
    this.play = button("play", "Play");
    this.speed = el("select", { "aria-label": "Speed", onchange: () => act("speed", Number(this.speed.value)) }, SPEEDS.map((speed) => el("option", { value: speed }, `${speed} ×`)));
    this.place = el("output", { class: "place" });
    this.element = el("div", { class: "controls", role: "group", "aria-label": "Replay" },
      button("first", "To the set-up"), button("back", "Back"), this.play, button("on", "On"), button("last", "To the end"), this.speed, this.place);
  }

  show({ isPlaying, speed, place }) {
    const label = isPlaying ? "Pause" : "Play";
    setAttribute(this.play.querySelector("path"), "d", ICONS[isPlaying ? "pause" : "play"]);
    setAttribute(this.play, "aria-label", label);
    setAttribute(this.play, "title", label);
    this.speed.value = String(speed);
    setText(this.place, place);
  }
}

/** By key: the action, and its argument. */
const ACTION_OF_KEY = {
  ArrowLeft: ["back"], ArrowRight: ["on"], Home: ["first"], End: ["last"], " ": ["play"], PageUp: ["turn", -1], PageDown: ["turn", 1],
  "[": ["mark", -1], "]": ["mark", 1], "+": ["faster", 1], "=": ["faster", 1], "-": ["faster", -1], a: ["view", "all"], p: ["view", "public"],
  t: ["text"], "?": ["help"],
};

/** The action of a key, or null: keys that a focused control uses itself are its own. */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const name = event.target.tagName;
  if (name === "SELECT" || name === "TEXTAREA" || (name === "INPUT" && event.target.type !== "range")) return null;
  if (event.key === " " && ["BUTTON", "A", "SUMMARY"].includes(name)) return null;
  if (/^[0-5]$/.test(event.key)) return ["seat", Number(event.key)];
  return ACTION_OF_KEY[event.key.length === 1 ? event.key.toLowerCase() : event.key] ?? null;
}
