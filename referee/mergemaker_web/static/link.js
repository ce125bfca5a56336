// A game in a link, as the lines of a record: the answers are given by their indices among all that are legal.

import { legalAnswers } from "./answers.js";
import { dealFromSeed } from "./deal.js";
import { bytesOf, unpack } from "./packed.js";
import { applyAnswer, newGame } from "./play.js";
import { decisionOf } from "./state.js";
import { checkRules } from "./tables.js";
import { actionText, questionText } from "./wording.js";

const SEED_BYTES = 32;
const DIGIT_BITS = 7;

/** Reads the moves: `next()` is the next number. */
function numbersOf(bytes) {
  let at = 0;
  return () => {
    let value = 0;
    for (let shift = 0; at < bytes.length && shift <= 2 * DIGIT_BITS; shift += DIGIT_BITS) {
      const digit = bytes[at];
      at += 1;
      value |= (digit & 0x7f) << shift;
      if (digit < 0x80) return value;
    }
    throw new Error("the link is cut off: copy all of it");
  };
}

/** The lines of a link's game. */
export async function linesFromLink(text) {
  const [packed, moves, ...more] = text.split(".");
  if (!moves || more.length) throw new Error("the link is cut off: copy all of it");
  const about = await unpack(packed);
  const bytes = bytesOf(moves);
  const seed = Array.from(bytes.slice(0, SEED_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
  checkRules(about.rules, about.rules_version, about.seats);
  const { state } = newGame(about.rules, about.seats, dealFromSeed(seed));
  const decisions = playMoves(state, about, numbersOf(bytes.slice(SEED_BYTES)));
  const header = {
    kind: "header", format: 1, rules: about.rules, rules_version: about.rules_version, seats: about.seats, deal: "link",
    run: { match: String(about.match), bots: about.bots.map(String) },
  };
  return [header, { kind: "deal" }, ...decisions, endOf(state, about, seed)];
}

function playMoves(state, about, next) {
  const lines = [];
  const offers = [...about.offers];
  for (let n = 1; n <= about.decisions && decisionOf(state); n++) {
    const decision = decisionOf(state);
    const answer = answerTo(state, decision, next, offers);
    const asked = questionText(decision, state.names);
    lines.push({ kind: "decision", n, seat: decision.seat, asked, answer: answer.text, by: answer.isOnly ? "automatic" : "bot", run: {} });
    applyAnswer(state, answer.text);
  }
  return lines;
}

function answerTo(state, decision, next, offers) {
  const answers = legalAnswers(state);
  if (decision.kind === "ChooseOffer") {
    return { text: next() ? String(offers.shift()) : actionText(answers[0], state.names), isOnly: false };
  }
  const isOnly = answers.length === 1;
  const answer = answers[isOnly ? 0 : next()];
  if (!answer) throw new Error("the link has an answer that the rules do not allow");
  return { text: actionText(answer, state.names), isOnly };
}

function endOf(state, about, seed) {
  const each = (value) => state.cash.map(() => value);
  const places = state.cash.map((money) => 1 + state.cash.filter((other) => other > money).length);
  const [cash, ranks] = state.ended ? [state.cash, places] : [null, null];
  return { kind: "end", why: String(about.why), cash, places: ranks, statuses: each("finished"), faults: each({}), seed, run: {} };
}
