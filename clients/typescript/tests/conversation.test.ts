import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { nameSurvivor } from "../src/actions.js";
import { VERSION } from "../src/library.js";
import { isFinal } from "../src/statuses.js";
import { AtFault, DealMode, FaultCause, MomentKind } from "../src/wire/match_pb.js";
import { EventMode } from "../src/wire/referee_pb.js";
import {
  MATCH,
  PART,
  conversation,
  decision,
  offered,
  playing,
  problemOf,
  response,
  sent,
  started,
  welcome,
  words,
} from "./kit.js";

test("the first request says what the bot wants", () => {
  const { kind } = conversation({ version: "2", events: "immediate", matchesAtOnce: 3, evict: true }).hello();
  assert(kind.case === "hello");
  const { protocols, botName, botVersion, library, eventMode, matchesMax, evict, resume } = kind.value;
  assert.deepEqual([protocols, botName, botVersion, matchesMax, evict], [[1], "Ann", "2", 3, true]);
  assert.equal(library, `mergemaker-typescript ${VERSION}`);
  assert.equal(eventMode, EventMode.IMMEDIATE);
  assert.equal(resume, undefined);
});

const ROOM: [number | undefined, number, number, number][] = [
  [undefined, 1, 16, 1],
  [undefined, 3, 16, 3],
  [undefined, 3, 2, 2],
  [2, 3, 16, 2],
  [undefined, 2, 0, 1],
];
for (const [matches, matchesAtOnce, matchesMax, seats] of ROOM) {
  test(`of ${matches} matches, ${matchesAtOnce} at once of ${matchesMax}, ${seats} seats are asked for`, () => {
    const made = conversation({ matches, matchesAtOnce });
    made.hello();
    assert.deepEqual(words(made.received(welcome("t", { matchesMax }))), Array<string>(seats).fill("takeSeat"));
  });
}

test("a match goes on from its offer to its end, and another seat is asked for", () => {
  const made = conversation();
  made.hello();
  made.received(welcome());
  assert.deepEqual(words(made.received(response({ matchOffered: offered() }))), []);
  assert.deepEqual(words(made.received(response({ matchStarted: started() }))), ["begin"]);
  assert.deepEqual(words(made.received(response({ matchStarted: started() }))), [], "it begins once");
  assert.deepEqual(words(made.received(response({ decision: decision(1n) }))), ["ask"]);
  const [answer] = sent(made.answered(MATCH, 1n, 0n, "why"));
  assert(answer?.kind.case === "answer");
  assert.equal(answer.match, MATCH);
  assert.deepEqual(answer.kind.value.choice, { case: "index", value: 0n });
  assert.equal(answer.kind.value.note, "why");
  assert.deepEqual(words(made.received(response({ matchEnded: {} }))), ["end", "takeSeat"]);
});

test("a seat in a match that requires the unknown is declined, and another one asked for", () => {
  const made = conversation();
  made.hello();
  made.received(welcome());
  const offer = (match: string, requires: string[], newerKnobs: string[] = []) => {
    const matchOffered = offered();
    matchOffered.requires = requires;
    matchOffered.rules?.newerKnobs.push(...newerKnobs);
    return made.received(response({ match, matchOffered }));
  };
  const outputs = offer("a", ["joint-deal", "telepathy"]);
  assert.deepEqual(words(outputs), ["notice", "declineSeat", "takeSeat"]);
  const [declined] = sent(outputs);
  assert(declined?.kind.case === "declineSeat");
  assert.equal(declined.match, "a");
  assert.equal(declined.kind.value.reason, "unknown-requirement");
  assert.match(declined.kind.value.text, /'telepathy', which this library does not know/);
  assert.deepEqual(made.received(response({ match: "a", matchStarted: started() })), []);
  assert.deepEqual(words(offer("b", [], ["weather"])), ["notice", "declineSeat", "takeSeat"]);
  assert.deepEqual(words(offer("a", ["telepathy"])), ["notice", "declineSeat", "close"]);
});

test("a match that requires what is known is played", () => {
  const made = conversation();
  made.hello();
  made.received(welcome());
  assert.deepEqual(words(made.received(response({ matchOffered: { ...offered(), requires: ["joint-deal"] } }))), []);
  assert.deepEqual(words(made.received(response({ matchStarted: started() }))), ["begin"]);
});

test("an answer is an action, too", () => {
  const made = playing();
  made.received(response({ decision: decision(1n) }));
  const [answer] = sent(made.answered(MATCH, 1n, nameSurvivor(4)));
  assert(answer?.kind.case === "answer" && answer.kind.value.choice.case === "action");
  assert.deepEqual(answer.kind.value.choice.value.kind.value, nameSurvivor(4).kind.value);
});

test("what comes together is handled in the order of the fields", () => {
  const made = playing();
  const outputs = made.received(
    response({
      ping: { id: 3n },
      decision: decision(1n),
      events: [{ number: 1n, kind: { case: "endDeclared", value: {} } }],
    }),
  );
  assert.deepEqual(words(outputs), ["tell", "ask", "pong"]);
});

test("a ping is answered with its number of 64 bits", () => {
  const [pong] = sent(conversation().received(response({ match: "", ping: { id: (1n << 64n) - 1n } })));
  assert(pong?.kind.case === "pong");
  assert.equal(pong.kind.value.id, (1n << 64n) - 1n);
});

test("events that were seen are not reported again", () => {
  const made = playing();
  const events = (...numbers: bigint[]) => response({ events: numbers.map((number) => ({ number })) });
  made.received(events(1n, 2n));
  const [output] = made.received(events(2n, 3n));
  assert(output?.do === "tell");
  assert.deepEqual(
    output.events.map((event) => event.number),
    [3n],
  );
  assert.deepEqual(made.received(events(1n)), []);
});

test("a decision is answered once, and one that is not open never", () => {
  const made = playing();
  made.received(response({ decision: decision(2n) }));
  assert.deepEqual(made.answered(MATCH, 1n, 0n), []);
  assert.deepEqual(made.answered("other", 2n, 0n), []);
  assert.equal(made.answered(MATCH, 2n, 0n).length, 1);
  assert.deepEqual(made.answered(MATCH, 2n, 1n), []);
  assert.deepEqual(words(made.received(response({ decision: decision(1n) }))), [], "an older one is passed over");
  made.received(response({ decision: decision(3n) }));
  assert.equal(made.answered(MATCH, 3n, 0n).length, 1, "the next one is another");
});

test("an answer after the default is dropped, and the default is reported", () => {
  const made = playing();
  made.received(response({ decision: decision(1n) }));
  const outputs = made.received(
    response({ defaultTaken: { decision: 1n, cause: FaultCause.TIMEOUT, defaultsLeft: 4 } }),
  );
  assert(outputs[0]?.do === "notice");
  assert.match(outputs[0].text, /decision 1 \(timeout\).*4 more/);
  assert.deepEqual(made.answered(MATCH, 1n, 0n), []);
});

test("after a break the session is taken up from the last event, and the same answer is sent again", () => {
  const made = playing();
  made.received(response({ events: [{ number: 4n }], decision: decision(1n) }));
  const first = sent(made.answered(MATCH, 1n, 0n));
  assert.deepEqual(made.broke("UNAVAILABLE", "reset"), { again: 0 });
  const { kind } = made.hello();
  assert(kind.case === "hello" && kind.value.resume);
  assert.equal(kind.value.resume.resumeToken, "t1");
  assert.deepEqual(
    kind.value.resume.seen.map(({ match, lastEvent }) => [match, lastEvent]),
    [[MATCH, 4n]],
  );
  assert.deepEqual(words(made.received(welcome("t2", { resumed: true }))), []);
  assert.deepEqual(sent(made.received(response({ decision: decision(1n) }))), first);
});

test("a bot that still thinks after a resume is not asked twice, and its answer is sent then", () => {
  const made = playing();
  made.received(response({ decision: decision(1n) }));
  made.broke("UNAVAILABLE", "");
  assert.deepEqual(made.answered(MATCH, 1n, 0n), [], "there is no stream");
  made.hello();
  assert.deepEqual(words(made.received(welcome("t2", { resumed: true }))), []);
  assert.deepEqual(words(made.received(response({ decision: decision(1n) }))), ["answer"]);
});

test("if the session is unknown, the seats are claimed again, or lost", () => {
  const made = playing();
  made.broke("UNAVAILABLE", "");
  made.hello();
  const outputs = made.received(welcome("t2"));
  assert.deepEqual(words(outputs), ["notice", "takeSeat"]);
  const [claim] = sent(outputs);
  assert(claim?.kind.case === "takeSeat");
  assert.deepEqual([claim.match, claim.kind.value.seat], [MATCH, 0]);
  const refusal = { request: "take_seat", problem: { reason: "taken-seat" } };
  assert.deepEqual(words(made.received(response({ requestRefused: refusal }))), ["notice", "end", "close"]);
});

test("a seat that is refused ends it well after a match, and with the reason before one", () => {
  const refusal = response({ match: "", requestRefused: { request: "take_seat", problem: { reason: "no-match" } } });
  const made = playing();
  made.received(response({ matchEnded: {} }));
  assert.deepEqual(made.received(refusal), [{ do: "close", problem: undefined }]);
  assert.equal(problemOf(made.broke("OK", "")), "none");
  const other = conversation();
  other.hello();
  other.received(welcome());
  assert.deepEqual(words(other.received(refusal)), ["close"]);
  assert.equal(problemOf(other.broke("CANCELLED", "")), "no-match");
});

test("a refused answer is followed by the default, but once and not after the last refusal", () => {
  const refuse = (refusalsLeft?: number, id = 1n) =>
    response({
      answerRefused: {
        decision: id,
        problem: { reason: "not-legal" },
        ...(refusalsLeft === undefined ? {} : { refusalsLeft }),
      },
    });
  const made = playing();
  made.received(response({ decision: decision(1n) }));
  made.answered(MATCH, 1n, 0n);
  assert.deepEqual(words(made.received(refuse())), ["notice"], "it came too late");
  assert.deepEqual(words(made.received(refuse(2, 9n))), ["notice"], "of another decision");
  const outputs = made.received(refuse(2));
  assert.deepEqual(words(outputs), ["decline", "answer"]);
  const [answer] = sent(outputs);
  assert(answer?.kind.case === "answer");
  assert.deepEqual(answer.kind.value.choice, { case: "index", value: 1n });
  assert.deepEqual(words(made.received(refuse(1))), ["decline"]);
  const other = playing();
  other.received(response({ decision: decision(1n) }));
  other.answered(MATCH, 1n, 0n);
  assert.deepEqual(words(other.received(refuse(0))), ["decline"]);
});

test("a kind that is not known is answered with the default", () => {
  for (const strange of [{ answers: { count: 7n } }, { view: { asked: { seat: 0 } } }]) {
    const outputs = playing().received(response({ decision: decision(1n, strange) }));
    assert.deepEqual(words(outputs), ["notice", "answer"]);
  }
});

test("what is said of a match that was never offered is passed over", () => {
  const made = playing();
  const about = (init: Parameters<typeof response>[0]) => made.received(response({ ...init, match: "other" }));
  assert.deepEqual(about({ decision: decision(1n), matchStarted: started(), events: [{ number: 1n }] }), []);
  assert.deepEqual(about({ answerAccepted: { decision: 1n }, seatsCommitted: {}, matchEnded: {} }), []);
});

test("in joint mode the seat promises its part and reveals it, after a break the same", () => {
  const made = conversation();
  made.hello();
  made.received(welcome());
  const hash = createHash("sha256").update("mergemaker/seat-commitment/1\0").update(new Uint8Array(32));
  const promise = hash.update(Uint8Array.of(0)).update(PART).digest();
  for (const token of ["t2", "t3"]) {
    const [ready] = sent(made.received(response({ matchOffered: offered(DealMode.JOINT) })));
    assert(ready?.kind.case === "seatReady");
    assert.deepEqual(Buffer.from(ready.kind.value.commitment), promise);
    const [reveal] = sent(made.received(response({ seatsCommitted: {} })));
    assert(reveal?.kind.case === "seatReveal");
    assert.deepEqual(reveal.kind.value.part, PART);
    made.broke("UNAVAILABLE", "");
    made.hello();
    made.received(welcome(token, { resumed: true }));
  }
});

test("a bot that was taken over does not come back", () => {
  assert.equal(problemOf(playing().broke("ABORTED", "")), "taken-over");
  const made = playing();
  made.received(response({ match: "", goodbye: { reason: "taken-over", reconnect: true } }));
  assert.equal(problemOf(made.broke("UNAVAILABLE", "")), "taken-over");
});

test("a goodbye says whether and when to come back, and counts for its own stream alone", () => {
  const made = playing();
  made.received(
    response({ match: "", goodbye: { reason: "referee-closing", reconnect: true, reconnectAfterMs: 900 } }),
  );
  assert.deepEqual(made.broke("UNAVAILABLE", ""), { again: 900 });
  made.hello();
  assert.deepEqual(made.broke("UNAVAILABLE", ""), { again: 0 });
  made.hello();
  made.received(response({ match: "", goodbye: { reason: "not-reading", reconnect: false } }));
  assert.equal(problemOf(made.broke("RESOURCE_EXHAUSTED", "")), "not-reading");
});

test("a status that would come again ends it, and one that may not does not", () => {
  const final = ["UNAUTHENTICATED", "PERMISSION_DENIED", "FAILED_PRECONDITION", "INVALID_ARGUMENT", "UNIMPLEMENTED"];
  for (const code of [...final, "NOT_FOUND", "ALREADY_EXISTS"]) {
    assert(isFinal(code));
    assert.notEqual(problemOf(conversation().broke(code, "")), undefined, code);
  }
  for (const code of [
    "UNAVAILABLE",
    "INTERNAL",
    "UNKNOWN",
    "DEADLINE_EXCEEDED",
    "RESOURCE_EXHAUSTED",
    "OK",
    "CANCELLED",
  ]) {
    assert.deepEqual(playing().broke(code, ""), { again: 0 }, code);
  }
  assert.deepEqual(playing().broke("ALREADY_EXISTS", ""), { again: 0 }, "it may be our own session");
});

test("a stream that ends well after the last match is not opened again", () => {
  const made = playing();
  made.received(response({ matchEnded: {} }));
  assert.equal(problemOf(made.broke("OK", "")), "none");
});

const EVIDENCE = {
  atFault: AtFault.NETWORK,
  text: "the way was long",
  moments: [
    { kind: MomentKind.ASKED, atUs: 0n },
    // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-assignment -- a value that there is not yet
    { kind: 1_001 as MomentKind, atUs: 2_345_678n },
  ],
  transportLagUs: 1_500n,
  trace: "trace-9",
};

test("a fault is reported with whose it was, its moments, and what to ask the operator", () => {
  const made = playing();
  made.received(response({ decision: decision(1n) }));
  const taken = { decision: 1n, cause: FaultCause.TIMEOUT, text: "no answer", defaultsLeft: 4, evidence: EVIDENCE };
  const [notice] = made.received(response({ defaultTaken: taken }));
  assert(notice?.do === "notice");
  const whose = "the way's fault: the way was long (in ms: asked 0.0, 1001 2345.7)";
  const held = "the referee was held up meanwhile, its transport for 1.5 ms, itself for 0.0 ms";
  assert(notice.text.endsWith(`asked; ${whose}; ${held}; ask the operator about trace-9`), notice.text);
  const refusal = { decision: 1n, problem: { reason: "too-late", text: "x", rule: "TBL", trace: "trace-8" } };
  const [late] = made.received(response({ answerRefused: refusal }));
  assert(late?.do === "notice");
  assert.match(late.text, /\(too-late\): x \[TBL\]; ask the operator about trace-8$/);
});

test("defaults that were not reported before are reported at the end, with why a match was voided", () => {
  const made = playing();
  made.received(response({ defaultTaken: { decision: 1n } }));
  const defaults = [{ decision: 1n }, { decision: 2n, evidence: EVIDENCE }];
  const outputs = made.received(
    response({ matchEnded: { defaults, voided: { ...EVIDENCE, atFault: AtFault.REFEREE } } }),
  );
  assert.deepEqual(words(outputs), ["notice", "notice", "end", "takeSeat"]);
  const texts = outputs.flatMap((output) => (output.do === "notice" ? [output.text] : []));
  assert.match(texts[0] ?? "", /for decision 2 .*ask the operator about trace-9$/);
  assert.match(texts[1] ?? "", /^the match was voided; the referee's fault/);
});

test("a match that is offered once more when it is over counts as a seat that is not given", () => {
  const made = playing();
  made.received(response({ matchEnded: {} }));
  assert.deepEqual(words(made.received(response({ matchOffered: offered(), matchEnded: {} }))), ["close"]);
});
