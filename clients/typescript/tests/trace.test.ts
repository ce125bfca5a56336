import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { create } from "@bufbuild/protobuf";

import { BadSetting } from "../src/errors.js";
import { REMOVED, Trace, withoutTokens } from "../src/trace.js";
import { PlayRequestSchema, PlayResponseSchema } from "../src/wire/referee_pb.js";

const NOON_MS = Date.UTC(2026, 10, 18, 12, 0, 0, 250) + 0.5;

function unexpected(text: string): void {
  throw new Error(text);
}

function traced(secret: string, write: (trace: Trace) => void): string {
  const folder = mkdtempSync(join(tmpdir(), "mergemaker-trace-"));
  try {
    const path = join(folder, "t.jsonl");
    for (const part of [write, () => undefined]) {
      const trace = new Trace(path, secret, unexpected, () => NOON_MS);
      part(trace);
      trace.close();
      trace.stream("after the end nothing is written");
    }
    return readFileSync(path, "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("every message is a line with time and direction", () => {
  const text = traced("secret", (trace) => {
    const answer = { decision: 3n, choice: { case: "index", value: 0n }, note: "größer" } as const;
    trace.sent(create(PlayRequestSchema, { match: "m", kind: { case: "answer", value: answer } }));
    trace.received(create(PlayResponseSchema, { match: "m", answerAccepted: { decision: 3n } }));
    trace.stream("ended OK");
  });
  const at = "2026-11-18T12:00:00.250500Z";
  const answer = { decision: "3", index: "0", note: "größer" };
  assert.deepEqual(
    text
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
    [
      { at, direction: "sent", message: { match: "m", answer } },
      { at, direction: "received", message: { match: "m", answer_accepted: { decision: "3" } } },
      { at, direction: "stream", what: "ended OK" },
    ],
  );
});

test("no token is written, wherever it is", () => {
  for (const secret of ["mms_secret", 'with"quote\\']) {
    const text = traced(secret, (trace) => {
      const hello = { botName: `I have ${secret}`, resume: { resumeToken: "mmr_one" } };
      trace.sent(create(PlayRequestSchema, { kind: { case: "hello", value: hello } }));
      trace.received(create(PlayResponseSchema, { welcome: { resumeToken: "mmr_two" } }));
      trace.stream(`ended ${secret}`);
    });
    assert(!/mmr_one|mmr_two/.test(text));
    assert(!text.includes(JSON.stringify(secret).slice(1, -1)));
    assert.equal(text.split(REMOVED).length - 1, 4);
  }
});

test("a value that only a newer client knows is written as its number", () => {
  const decision = { effects: [{ square: 3, kind: 1_001 }] };
  const text = traced("", (trace) => {
    trace.received(create(PlayResponseSchema, { decision }));
  });
  assert.match(text, /"kind":1001/);
});

test("a false deal is a line of its own", () => {
  const text = traced("", (trace) => {
    trace.falseDeal("m", "seed-differs", "not the one");
  });
  const { at, ...line } = JSON.parse(text) as Record<string, string>;
  assert(at);
  assert.deepEqual(line, { direction: "problem", match: "m", reason: "seed-differs", text: "not the one" });
});

test("tokens are found however deep", () => {
  const content = { a: [{ seatToken: "x", b: { token: "y" } }], token: "", tokens: "kept" };
  const left = { a: [{ seatToken: REMOVED, b: { token: REMOVED } }], token: "", tokens: "kept" };
  assert.deepEqual(withoutTokens(content), left);
});

test("a file that cannot be opened is a wrong setting", () => {
  assert.throws(() => new Trace(join(tmpdir(), "no", "such", "t.jsonl"), "", unexpected), BadSetting);
});

const full = "/dev/full";
test("a disk that is full is said once and stops nothing", { skip: !existsSync(full) && "needs /dev/full" }, () => {
  const said: string[] = [];
  const trace = new Trace(full, "", (text) => said.push(text));
  trace.stream("x");
  trace.stream("x");
  assert.equal(said.length, 1);
  assert.match(said[0] ?? "", /the trace ends here/);
});
