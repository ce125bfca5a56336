// What bots draw: a note may be a JSON object with marks, which the viewer draws on the board (README.md, "Bots that draw").

import { oneLine } from "./dom.js";
import { LETTERS, NUMBERS } from "./squares.js";

const MARKS_MAX = 60;
const TEXT_CHARACTERS_MAX = 12;
const TONES = new Set(["good", "bad", "plain"]);

function read(note) {
  if (typeof note !== "string" || !note.startsWith("{")) return null;
  try {
    const found = JSON.parse(note);
    return Array.isArray(found.marks) ? found : null;
  } catch {
    return null; // any other text is a note like all others
  }
}

/** The square of a name such as `5C`; null for any other text. */
export function squareFrom(name) {
  const found = /^(\d{1,2})([A-I])$/.exec(name);
  const number = found ? Number(found[1]) : 0;
  return number >= 1 && number <= NUMBERS ? LETTERS.indexOf(found[2]) * NUMBERS + number - 1 : null;
}

function markFrom(plain) {
  if (typeof plain !== "object" || plain === null) return null;
  const tone = TONES.has(plain.tone) ? plain.tone : "plain";
  const square = squareFrom(plain.at ?? plain.from);
  if (square === null) return null;
  if (plain.from !== undefined) {
    const to = squareFrom(plain.to);
    return to === null || to === square ? null : { kind: "arrow", square, to, tone };
  }
  const label = typeof plain.text === "number" ? String(plain.text) : plain.text;
  if (label === undefined) return { kind: "square", square, tone };
  if (typeof label !== "string") return null;
  return { kind: "label", square, tone, text: [...oneLine(label)].slice(0, TEXT_CHARACTERS_MAX).join("") };
}

/** The marks of a note, without those that cannot be drawn. */
export const marksOf = (note) => (read(note)?.marks ?? []).slice(0, MARKS_MAX).map(markFrom).filter(Boolean);

/** The text of a note: all of it, or the member `text` of one that draws. */
export function textOfNote(note) {
  const found = read(note);
  return found ? String(found.text ?? "") : note;
}
