import assert from "node:assert/strict";
import { test } from "node:test";

import { Drawing, type Tone } from "../src/drawing.js";
import { BotError } from "../src/errors.js";
import { linesOf, skip } from "./vectors.js";

interface Mark {
  readonly kind: string;
  readonly at: number;
  readonly to?: number;
  readonly text?: string;
  readonly number?: number;
  readonly tone: Tone;
}

function noteOf(text: string, marks: readonly Mark[]): string {
  const drawing = new Drawing(text);
  for (const { kind, at, to = 0, text: label = "", number = 0, tone } of marks) {
    switch (kind) {
      case "square":
        drawing.square(at, tone);
        break;
      case "arrow":
        drawing.arrow(at, to, tone);
        break;
      case "label":
        drawing.label(at, label, tone);
        break;
      default:
        assert.equal(kind, "number");
        drawing.number(at, number, tone);
    }
  }
  return drawing.note();
}

test("drawings are as written, or refused for their reason", { skip }, () => {
  const lines = linesOf("drawings.jsonl");
  assert(lines.length > 0);
  for (const line of lines) {
    const draw = (): string => noteOf(line.text as string, line.marks as Mark[]);
    if (line.reason === null) {
      assert.equal(draw(), line.note, String(line.drawing));
    } else {
      assert.throws(draw, (error) => error instanceof BotError && error.reason === line.reason, String(line.drawing));
    }
  }
});

const wrong: Readonly<Record<string, () => unknown>> = {
  "bad-note": () => new Drawing("\ud800"),
  "bad-label": () => new Drawing().number(0, 1.5),
  "no-such-square": () => new Drawing().square(0.5),
  "no-such-tone": () => new Drawing().square(0, "red" as Tone),
};

for (const [reason, draw] of Object.entries(wrong)) {
  test(`what cannot be drawn is refused: ${reason}`, () => {
    assert.throws(draw, (error) => error instanceof BotError && error.reason === reason);
  });
}
