/** Notes that draw: squares, arrows, labels and numbers, which the viewer shows on the board after the match. */

import { SQUARES, squareName } from "./board.js";
import { NOTE_BYTES_MAX } from "./bot.js";
import { BotError } from "./errors.js";

/** How many marks a note may have. */
export const MARKS_MAX = 60;
/** How long a label may be, in characters of Unicode. */
export const LABEL_CHARACTERS_MAX = 12;

/** What a mark means, shown by its color and form. */
export type Tone = "plain" | "good" | "bad";

const TONES: readonly string[] = ["plain", "good", "bad"];

/**
 * Builds a note that draws. Squares are numbers, as in actions: `new Drawing("block").square(28).note()`.
 *
 * Every language's library makes the same note of the same marks, byte for byte.
 */
export class Drawing {
  readonly #head: string;
  readonly #marks: string[] = [];

  /** Begins a note with a text, which may be empty. */
  constructor(text = "") {
    this.#head = text === "" ? "" : `"text":${quoted(text)},`;
  }

  /** A frame around a square. */
  square(square: number, tone: Tone = "plain"): this {
    return this.#add(at(square), tone);
  }

  /** An arrow from one square to another. */
  arrow(from: number, to: number, tone: Tone = "plain"): this {
    const [first, last] = [nameOf(from), nameOf(to)];
    if (first === last) {
      throw new BotError("arrow-to-itself", `an arrow leads to another square, not from ${first} to ${last}`);
    }
    return this.#add(`"from":"${first}","to":"${last}"`, tone);
  }

  /** A short text on a square. */
  label(square: number, text: string, tone: Tone = "plain"): this {
    const json = quoted(text);
    const count = Array.from(text).length;
    if (count < 1 || count > LABEL_CHARACTERS_MAX) {
      throw new BotError("bad-label", `a label has 1 to ${LABEL_CHARACTERS_MAX} characters, not ${count}`);
    }
    return this.#add(`${at(square)},"text":${json}`, tone);
  }

  /** A whole number on a square. */
  number(square: number, number: number, tone: Tone = "plain"): this {
    if (!Number.isSafeInteger(number) || String(number).length > LABEL_CHARACTERS_MAX) {
      const text = `a number is a whole one of at most ${LABEL_CHARACTERS_MAX} characters, not ${number}`;
      throw new BotError("bad-label", text);
    }
    return this.#add(`${at(square)},"text":${number}`, tone);
  }

  /** The note, for `{ answer, note }`. */
  note(): string {
    const note = `{${this.#head}"marks":[${this.#marks.join(",")}]}`;
    const size = Buffer.byteLength(note);
    if (size > NOTE_BYTES_MAX) {
      const made = `${this.#marks.length} marks with this text make ${size}`;
      const text = `a note is at most ${NOTE_BYTES_MAX} bytes of UTF-8, and ${made}: leave some out`;
      throw new BotError("note-too-long", text);
    }
    return note;
  }

  #add(mark: string, tone: Tone): this {
    if (!TONES.includes(tone)) {
      throw new BotError("no-such-tone", `a tone is one of ${TONES.join(", ")}, not ${tone as string}`);
    }
    if (this.#marks.length === MARKS_MAX) {
      throw new BotError("too-many-marks", `a note has at most ${MARKS_MAX} marks: leave some out`);
    }
    this.#marks.push(tone === "plain" ? `{${mark}}` : `{${mark},"tone":"${tone}"}`);
    return this;
  }
}

const at = (square: number): string => `"at":"${nameOf(square)}"`;

function nameOf(square: number): string {
  if (!Number.isInteger(square) || square < 0 || square >= SQUARES) {
    const text = `a square is a number from 0 to ${SQUARES - 1}, as in actions, not ${square}`;
    throw new BotError("no-such-square", text);
  }
  return squareName(square);
}

/** A text as JSON, in the one way that all libraries write it: only what must be is escaped. */
function quoted(text: unknown): string {
  if (typeof text !== "string") {
    throw new BotError("bad-note", `what a note says is text, not ${typeof text}`);
  }
  if (/\p{Surrogate}/u.test(text)) {
    throw new BotError("bad-note", "a note is Unicode, without half of a surrogate pair");
  }
  return `"${Array.from(text, escaped).join("")}"`;
}

function escaped(character: string): string {
  if (character === '"' || character === "\\") {
    return `\\${character}`;
  }
  return character >= " " ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
