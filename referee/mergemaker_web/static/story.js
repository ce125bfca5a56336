// A record, played to the states between its decisions. Position 0 is before the first decision, n after decision n.

import { offerBounds, legalAnswers } from "./answers.js";
import { dealFromDrawn, dealFromSeed } from "./deal.js";
import { applyAnswer, newGame } from "./play.js";
import { hashText, sha256 } from "./sha256.js";
import { copyOf, decisionOf, stateDocument } from "./state.js";
import { chainNames, checkRules } from "./tables.js";
import { actionText, questionText } from "./wording.js";

const FORMAT = 1;
const DIGEST_BYTES = 16;
const NO_SEED = "The match has not ended, so its deal is still secret: the tiles of the hands are not known.";

/**
 * The story of a record's lines.
 *
 * `known` is what is known of the deal of an unfinished match: `{ drawn, market }`, lists of squares. If the lines cannot be
 * played to their end, `trouble` says why, and the story has what was played. Without a deal its steps have no states.
 */
export function tell(lines, known = null) {
  const header = lines[0];
  if (header?.kind !== "header" || header.format !== FORMAT) throw new Error("this is not a record that this page can read");
  checkRules(header.rules, header.rules_version, header.seats);
  const end = lines.at(-1).kind === "end" ? lines.at(-1) : null;
  const story = {
    header, end, seats: header.seats, names: chainNames(header.rules), bots: header.run.bots,
    start: null, steps: stepsOf(lines), lastIncidents: [], trouble: "", checked: 0, isDealt: lines.some((line) => line.kind === "deal"),
  };
  story.lastIncidents = story.steps.pop().incidents;
  if (!story.isDealt) story.trouble = "The match ended before its tiles were dealt, so there is no game to show.";
  else if (!end && !known) story.trouble = NO_SEED;
  else play(story, lines, end ? dealFromSeed(end.seed) : dealFromDrawn(known.drawn, known.market));
  return story;
}

/** The decisions, each with the incidents before it; the last entry has no decision, only the incidents after all of them. */
function stepsOf(lines) {
  const steps = [];
  let incidents = [];
  for (const line of lines) {
    if (line.kind === "incident") incidents.push(incidentOf(line));
    if (line.kind !== "decision") continue;
    const { n, seat, asked, answer, by, digest, run = {} } = line;
    steps.push({ n, seat, asked, answer, by, digest, run, note: run.note ?? null, incidents, events: [], state: null, turn: 0, turnSeat: seat });
    incidents = [];
  }
  return [...steps, { incidents }];
}

const incidentOf = ({ what, seat, why, run = {} }) => ({
  what: what ?? run.what ?? "", seat: seat ?? run.seat ?? null, why: why ?? run.why ?? "", run,
});

function play(story, lines, deal) {
  const { header } = story;
  try {
    story.start = newGame(header.rules, header.seats, deal);
    check(story, story.start.state, lines.find((line) => line.kind === "deal").digest);
    let state = story.start.state;
    for (const step of story.steps) {
      state = playStep(story, step, state);
    }
  } catch (error) {
    story.trouble = `What follows cannot be shown: ${error.message}`;
    story.steps = story.steps.filter((step) => step.state);
  }
}

function playStep(story, step, before) {
  const decision = decisionOf(before);
  if (!decision || decision.seat !== step.seat || questionText(decision, story.names) !== step.asked) {
    throw new Error(`decision ${step.n} is not the one that the rules ask`);
  }
  const state = copyOf(before);
  const { events } = applyAnswer(state, step.answer);
  check(story, state, step.digest);
  Object.assign(step, { state, events, turn: before.turn, turnSeat: before.seat });
  return state;
}

/** Compares a state with the record's digest, if the record still has it. */
function check(story, state, digest) {
  if (!digest) return;
  const text = new TextEncoder().encode(JSON.stringify(stateDocument(state)));
  if (hashText(sha256(text).slice(0, DIGEST_BYTES)) !== digest) throw new Error("this position is not the one of the record");
  story.checked += 1;
}

/** The state at a position. */
export const stateAt = (story, position) => (position ? story.steps[position - 1].state : (story.start?.state ?? null));

/** What could be answered to the question of a position above 0: the texts, and how many answers there are in all. */
export function questionAt(story, position) {
  const before = stateAt(story, position - 1);
  if (!before) return null;
  const decision = decisionOf(before);
  const answers = legalAnswers(before);
  const texts = answers.map((action) => actionText(action, story.names));
  const offers = decision.kind === "ChooseOffer" ? offerBounds(before, decision.seat) : null;
  return { decision, answers, texts, offers, count: offers ? offers.count : BigInt(texts.length) };
}
