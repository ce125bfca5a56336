// The viewer: it shows one story at one position to one knower, and everything on the page follows from these three.

import { BoardView } from "./board_view.js";
import { Chart } from "./chart.js";
import { Controls, KEYS, SPEEDS, STEP_MS, actionOf } from "./controls.js";
import { DecisionView } from "./decision_view.js";
import { el, oneLine, setAttribute, setText, shortName } from "./dom.js";
import { nameOf } from "./names.js";
import { incidentText } from "./score.js";
import { ReviewView, betterMarks } from "./review.js";
import { ScoreView } from "./score_view.js";
import { stateAt } from "./story.js";
import { HoldingsView, PlayersView } from "./tables_view.js";
import { Timeline } from "./timeline.js";
import { ALL, PUBLIC, knows, positionsFor, viewOf } from "./views.js";
import { marksOf } from "./marks.js";

const STEP_MS_MIN = 60;

export class Viewer {
  /** `onPlace` is called with position and knower when they are settled, for the address of the page. */
  constructor(root, story, onPlace = () => {}) {
    this.root = root;
    this.story = story;
    this.onPlace = () => {};
    this.position = 0;
    this.knower = ALL;
    this.speed = 1;
    this.timer = null;
    this.isText = false;
    const labels = Array.from({ length: story.seats }, (_, seat) => `${seat} ${nameOf(story, seat)}`);
    this.who = (seat) => `${nameOf(story, seat)} (seat ${seat})`;
    this.build(labels);
    this.listener = (event) => this.key(event);
    document.addEventListener("keydown", this.listener);
    this.resized = () => this.redraw();
    window.addEventListener("resize", this.resized);
    this.reset();
    this.onPlace = onPlace; // the address names a place already
  }

  build(labels) {
    const { story } = this;
    this.board = new BoardView();
    this.controls = new Controls((name, value) => this.act(name, value));
    this.timeline = new Timeline(story, (position) => this.go(position));
    this.decision = new DecisionView(story, this.who);
    this.players = new PlayersView(story, labels, (seat) => this.act("seat", seat));
    this.holdings = new HoldingsView(story);
    this.chart = new Chart(story, labels);
    this.score = new ScoreView(story, (position) => this.go(position));
    this.review = story.review ? new ReviewView(story, this.who, (position) => this.go(position)) : null;
    this.standing = el("p", { class: "standing" });
    this.said = el("p", { class: "sr", "aria-live": "polite" });
    const views = story.isLive ? [[PUBLIC, "What all know"]] : [[ALL, "Everything"], [PUBLIC, "What all knew"], ...labels.map((label, seat) => [String(seat), `Seat ${label}`])];
    this.views = el("select", { "aria-label": "Shown is", onchange: () => this.act("view", this.views.value) }, views.map(([value, text]) => el("option", { value }, text)));
    this.textButton = el("button", { type: "button", "aria-pressed": "false", onclick: () => this.act("text") }, "Text mode");
    this.keys = el("details", { class: "keys" }, el("summary", {}, "Keys"), el("dl", {}, KEYS.map(([keys, words]) => el("div", {}, el("dt", {}, keys), el("dd", {}, words)))));
    this.root.replaceChildren(headerOf(story), el("main", {}, columnOf(this.boardPanel(), this.review?.element ?? [], this.chart.element), columnOf(this.decision.element, this.tablesPanel()), columnOf(this.score.element)), this.said);
  }

  boardPanel() {
    const tools = el("div", { class: "tools" }, this.views, this.timeline.jump, this.textButton, this.keys);
    return el("section", { class: "table panel" }, el("h2", { class: "sr" }, "Board"), this.board.element, this.standing, this.timeline.element, this.controls.element, tools);
  }

  tablesPanel() {
    const wide = (label, table) => el("div", { class: "scrollx", tabindex: "0", role: "group", "aria-label": label }, table);
    return el("section", { class: "assets panel" }, el("h2", {}, "Players"), wide("Players", this.players.element), el("h2", {}, "Holdings"), wide("Holdings", this.holdings.element), this.holdings.legend);
  }

  /** Takes everything back to the beginning: the set-up, all shown, not playing. */
  reset() {
    this.stop();
    this.knower = this.story.isLive ? PUBLIC : ALL;
    this.redraw();
    this.go(0);
  }

  /** A live story has more steps, or more in its last one: shows them, and goes on to the last one if that was shown. */
  grow() {
    const wasLast = this.position === this.length;
    this.redraw();
    this.go(wasLast ? this.story.steps.length : this.position);
  }

  /** Frees the keys of the page. */
  close() {
    this.stop();
    document.removeEventListener("keydown", this.listener);
    window.removeEventListener("resize", this.resized);
    this.root.replaceChildren();
  }

  /** Draws what depends on the knower alone. */
  redraw() {
    this.length = this.story.steps.length;
    this.timeline.draw(this.story, this.knower);
    this.chart.draw(this.knower);
    this.score.draw(this.knower);
    this.review?.draw(this.knower);
    this.chart.show(this.position);
    this.score.show(this.position);
  }

  /** Shows a position; any number is taken to the nearest one there is. */
  go(position) {
    this.position = Math.min(Math.max(Math.round(Number(position)) || 0, 0), this.story.steps.length);
    this.render();
    if (!this.timer) this.onPlace(this.position, this.knower);
  }

  /** Shows the position to another knower; a position that is named is shown at once, so that no place between them is told. */
  look(knower, position = this.position) {
    this.knower = knower;
    this.redraw();
    this.go(position);
  }

  act(name, value) {
    const { story } = this;
    if (!["play", "speed", "faster", "view", "seat", "text", "help"].includes(name)) this.stop();
    if (story.isLive && ["view", "seat"].includes(name)) return undefined; // what everybody knows is all there is
    switch (name) {
      case "first": return this.go(0);
      case "back": return this.step(-1);
      case "on": return this.step(1);
      case "last": return this.go(story.steps.length);
      case "turn": return this.go(this.turnFrom(value));
      case "mark": return this.go(this.timeline.next(this.position, value) ?? this.position);
      case "play": return this.timer ? this.pause() : this.play();
      case "speed": return this.setSpeed(value);
      case "faster": return this.setSpeed(SPEEDS[SPEEDS.indexOf(this.speed) + value] ?? this.speed);
      case "seat": return value < story.seats ? this.look(this.knower === value ? ALL : value) : undefined;
      case "view": return this.look([ALL, PUBLIC].includes(value) ? value : Number(value));
      case "text": return this.setText(!this.isText);
      case "help": return this.keys.toggleAttribute("open");
      default: throw new Error(`no such action: ${name}`);
    }
  }

  key(event) {
    const action = actionOf(event);
    if (!action) return;
    event.preventDefault();
    this.act(...action);
  }

  /** One position on or back, of those at which the knower has something new to see. */
  step(by) {
    const positions = positionsFor(this.story, this.knower);
    const next = by > 0 ? positions.find((at) => at > this.position) : positions.findLast((at) => at < this.position);
    this.go(next ?? this.position);
    return next !== undefined;
  }

  /** The position at which a turn begins: the next one, or the one before. */
  turnFrom(by) {
    const turnAt = (position) => (position ? this.story.steps[position - 1].turn : 0);
    let at = this.position;
    const { length } = this.story.steps;
    if (by > 0) {
      while (at < length && turnAt(at) === turnAt(this.position)) at += 1;
      return at;
    }
    at = Math.max(at - 1, 0);
    while (at > 0 && turnAt(at - 1) === turnAt(at)) at -= 1;
    return at;
  }

  play() {
    if (this.position === this.story.steps.length) this.position = 0;
    this.later();
    this.render();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.step(1) && this.position < this.story.steps.length ? this.later() : this.pause()), Math.max(STEP_MS / this.speed, STEP_MS_MIN));
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  pause() {
    this.stop();
    this.go(this.position);
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.timer) this.later();
    this.render();
  }

  setText(isText) {
    this.isText = isText;
    this.board.setTextMode(isText);
    setAttribute(this.textButton, "aria-pressed", String(isText));
  }

  render() {
    const { story, position, knower } = this;
    const view = viewOf(stateAt(story, position), knower);
    const step = position ? story.steps[position - 1] : null;
    const placed = step?.events.find((event) => event.kind === "TilePlaced");
    const hand = knower === ALL || knower === PUBLIC ? [] : view.hands[knower];
    this.root.style.setProperty("--step", `${Math.min(300, (STEP_MS / this.speed) * 0.6)}ms`);
    this.board.show(view, placed ? placed.square : null, hand);
    const noted = step && story.end && knows(knower, step.seat) ? marksOf(step.note) : [];
    this.board.showMarks([...noted, ...betterMarks(story, position, knower)]);
    this.players.show(view, knower, clocksAt(story, position, knower), story.end?.places ?? null);
    this.holdings.show(view);
    this.chart.show(position);
    this.score.show(position);
    this.review?.show(position);
    const words = this.decision.show(position, knower);
    this.timeline.show(position, words.split(". ")[0]);
    const place = `${position} / ${story.steps.length}`;
    this.controls.show({ isPlaying: this.timer !== null, speed: this.speed, place });
    this.views.value = String(knower);
    setText(this.standing, standingText(story, view));
    if (this.timer === null) setText(this.said, words);
  }
}

const columnOf = (...panels) => el("div", { class: "column" }, panels.flat());

/** The times of each seat's last decision, as far as a knower knows them. */
function clocksAt(story, position, knower) {
  return Array.from({ length: story.seats }, (_, seat) => {
    if (!knows(knower, seat)) return null;
    return story.steps.slice(0, position).findLast((step) => step.seat === seat && step.run.used_ms !== undefined)?.run ?? null;
  });
}

function standingText(story, view) {
  const parts = [`${view.pile} tiles in the pile`];
  if (view.aside.length) parts.push(`${view.aside.length} set aside`);
  if (view.ended) parts.push(`the game is over: ${view.ended}`);
  else if (view.declared) parts.push("the end is declared");
  else if (view.endAllowed) parts.push("the end may be declared");
  return parts.join(" · ");
}

/** What was played, by whom, and how it ended. */
export function headerOf(story) {
  const { header, end } = story;
  const fork = header.run.parent ? `goes on from decision ${header.run.parent.decision} of match ${oneLine(header.run.parent.match)}` : "";
  const parts = [rulesWords(header.rules), `${story.seats} seats`, `deal: ${header.deal}`, fork, oneLine(header.run.started ?? "")];
  const result = resultText(story);
  const checked = story.checked ? `${story.checked} positions agree with the record's digests.` : "";
  return el("header", {}, el("h1", {}, "Match ", el("bdi", {}, shortName(header.run.match))), el("p", { class: "facts" }, parts.filter(Boolean).join(" · ")),
    el("p", { class: "result" }, result), story.trouble ? el("p", { class: "trouble", role: "alert" }, story.trouble) : [],
    checked ? el("p", { class: "checked" }, checked) : [], end?.why === "voided" ? el("p", { class: "trouble" }, voidedText(story)) : []);
}

function rulesWords(rules) {
  const parts = [rules.bonus_chart === "three-holders" ? "three-holder bonuses" : "two-holder bonuses", `${rules.assets} assets`];
  if (rules.special_powers) parts.push("special powers");
  if (rules.trade_offers) parts.push(`${rules.trade_offers} trade offers a turn`);
  return parts.join(", ");
}

function resultText(story) {
  const { end } = story;
  if (story.isLive) return "";
  if (!end) return "The match is running, or was broken off.";
  if (!end.cash) return "";
  const seats = [...end.places.keys()].sort((one, other) => end.places[one] - end.places[other]);
  return seats.map((seat) => {
    const status = end.statuses[seat] === "finished" ? "" : ` (${end.statuses[seat]})`;
    return `${end.places[seat]}. ${nameOf(story, seat)} $${end.cash[seat].toLocaleString("en-US")}${status}`;
  }).join(" · ");
}

function voidedText(story) {
  const voided = [...story.steps.flatMap((step) => step.incidents), ...story.lastIncidents].find((incident) => incident.what === "voided");
  return `The match was voided and counts against nobody.${voided ? ` ${incidentText(voided)}` : ""}`;
}
