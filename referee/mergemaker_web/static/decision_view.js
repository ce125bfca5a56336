// One decision: what was asked, what could have been answered, what was, and what then happened.

import { effectText } from "./effects.js";
import { el, manyLines, oneLine, setText } from "./dom.js";
import { textOfNote } from "./marks.js";
import { QUIET, incidentText, money } from "./score.js";
import { questionWords, sentence } from "./sentences.js";
import { questionAt, stateAt } from "./story.js";
import { eventsFor, incidentsFor, told } from "./views.js";

import { sharesText } from "./wording.js";

const seconds = (milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`;
const AUTOMATIC = "automatic";
const BOT = "bot";

export class DecisionView {
  constructor(story, who) {
    this.story = story;
    this.who = who;
    this.title = el("h2");
    this.where = el("p", { class: "where" });
    this.asked = el("dd");
    this.answered = el("dd", { class: "answered" });
    this.could = el("dd", { class: "could" });
    this.time = el("dd");
    this.note = el("dd", { class: "note", dir: "auto" });
    this.troubles = el("ul", { class: "troubles" });
    this.events = el("ol", { class: "events" });
    const term = (text, part) => el("div", {}, el("dt", {}, text), part);
    this.noteTerm = term("Note", this.note);
    this.timeTerm = term("Time", this.time);
    this.terms = el("dl", {}, term("Asked", this.asked), term("Answered", this.answered), this.timeTerm, this.noteTerm, term("Could answer", this.could));
    this.body = el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Decision" }, this.troubles, this.events, this.terms);
    this.element = el("section", { class: "decision panel" }, this.title, this.where, this.body);
  }

  /** Shows a position to a knower. Returns what a screen reader should say. */
  show(position, knower) {
    const { story } = this;
    const isLast = position === story.steps.length;
    const step = position ? told(story.steps[position - 1], knower) : null;
    const events = step ? step.events : eventsFor(story.start.events, knower);
    setText(this.title, step ? `${story.isLive ? "Step" : "Decision"} ${position} of ${story.steps.length}` : (story.startTitle ?? "Set-up"));
    setText(this.where, step ? `Turn ${step.turn} · ${this.who(step.seat)}` : (story.startWords ?? "Before the first decision"));
    this.showTroubles(step, isLast, knower);
    const sentences = events.map((event) => sentence(event, this.who, story.names));
    this.events.replaceChildren(...sentences.map((text) => el("li", {}, text)));
    this.terms.hidden = !step || story.isLive === true;
    if (!this.terms.hidden) this.showTerms(step, position);
    this.body.scrollTop = 0;
    return `${this.title.textContent}. ${sentences.join(" ")}`;
  }

  showTroubles(step, isLast, knower) {
    const incidents = [...(step?.incidents ?? []), ...(isLast ? incidentsFor(this.story.lastIncidents, knower) : [])];
    this.troubles.replaceChildren(...incidents.map((incident) => el("li", { class: QUIET.has(incident.what) ? "quiet" : "incident" }, incidentText(incident))));
    this.troubles.hidden = !incidents.length;
  }

  showTerms(step, position) {
    const question = step.asked === null ? null : questionAt(this.story, position);
    const hidden = `Only seat ${step.seat} knew that.`;
    setText(this.asked, question ? questionWords(question.decision, this.who, this.story.names) : hidden);
    setText(this.answered, step.answer === null ? hidden : `${oneLine(step.answer)}${byWords(step)}`);
    this.showAnswers(question, step, position);
    const time = timeWords(step.run);
    setText(this.time, time);
    this.timeTerm.hidden = !time;
    // Nobody is shown a note before the match is over.
    const note = step.note === null || !this.story.end ? "" : manyLines(textOfNote(step.note));
    setText(this.note, note);
    this.noteTerm.hidden = !note;
  }

  showAnswers(question, step, position) {
    if (!question) return setText(this.could, "Not known to this seat.");
    const { decision, texts, offers, count } = question;
    if (offers) {
      const most = [sharesText(offers.shares, this.story.names, ", "), offers.cash ? money(offers.cash) : ""].filter(Boolean).join(", ");
      return setText(this.could, `${count.toLocaleString("en-US")} answers: no offer, or any offer to seat ${offers.partners.join(", ")} that gives at most ${most}.`);
    }
    if (decision.kind === "ChooseTile") return this.showTiles(question, step, position);
    const at = texts.indexOf(step.answer);
    const before = texts.slice(0, at).join(" · ");
    const after = texts.slice(at + 1).join(" · ");
    const head = count === 1n ? "This alone: " : `${count.toLocaleString("en-US")} answers: `;
    return this.could.replaceChildren(head, before + (before ? " · " : ""), el("strong", {}, texts[at] ?? ""), (after ? " · " : "") + after);
  }

  showTiles({ answers, texts }, step, position) {
    const before = stateAt(this.story, position - 1);
    const items = answers.map((action, at) => {
      const effect = action.kind === "Place" ? `: ${effectText(before, action.square)}` : "";
      return el("li", {}, el(texts[at] === step.answer ? "strong" : "span", {}, `${texts[at]}${effect}`));
    });
    this.could.replaceChildren(el("ul", {}, items));
    return undefined;
  }
}

function byWords({ by, run }) {
  if (by === BOT) return "";
  if (by === AUTOMATIC) return " (the only answer, so nobody was asked)";
  return ` (the referee, ${oneLine(by)}${run.why ? `: ${oneLine(run.why)}` : ""})`;
}

function timeWords(run) {
  const parts = [["used", run.used_ms], ["left", run.bank_ms], ["at", run.at_ms]];
  return parts.filter(([, time]) => Number.isFinite(time)).map(([word, time]) => `${word} ${seconds(time)}`).join(" · ");
}
