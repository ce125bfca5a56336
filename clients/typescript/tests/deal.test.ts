import assert from "node:assert/strict";
import { test } from "node:test";

import { clone } from "@bufbuild/protobuf";

import { Witness, checkDeal, committed, shownAgain, type Promised } from "../src/deal_check.js";
import { FalseDeal } from "../src/errors.js";
import { commitmentOf, dealOrder, jointSeed, marketIndex, seatCommitment } from "../src/promise.js";
import type { Event } from "../src/wire/events_pb.js";
import { DealMode } from "../src/wire/match_pb.js";
import { MatchOfferedSchema, type DealProof } from "../src/wire/referee_pb.js";
import { dialogues, linesOf, message, response, skip } from "./vectors.js";

const bytes = (fill: number, length = 32) => new Uint8Array(length).fill(fill);

interface Played {
  readonly promised: Promised;
  readonly proof: DealProof;
  readonly events: Event[];
}

/** A whole match of a dialogue, with all that its seat saw; nothing is promised. */
function played(name: string): Played {
  const [first, ...others] = linesOf(`dialogues/${name}.jsonl`);
  assert(first);
  const responses = others.map(response);
  const proof = responses.at(-1)?.matchEnded?.proof;
  assert(proof);
  const offered = message(MatchOfferedSchema, first, "offered");
  return { promised: { match: name, offered }, proof, events: responses.flatMap(({ events }) => events) };
}

/** The same match with a promise in server mode. */
function inServerMode(): Played {
  const made = played("classic-2");
  const { promised, proof } = made;
  [proof.serverSeed, proof.nonce] = [proof.seed, bytes(7)];
  promised.offered.dealMode = DealMode.SERVER;
  promised.offered.commitment = commitmentOf("classic-2", proof.nonce, proof.serverSeed);
  return made;
}

/** A match in joint mode whose tiles nobody saw. */
function inJointMode(): Played {
  const { promised, proof } = inServerMode();
  const { offered } = promised;
  offered.dealMode = DealMode.JOINT;
  proof.parts = Array.from({ length: offered.seats }, (_, seat) => bytes(seat + 1));
  proof.seed = jointSeed(proof.serverSeed, proof.parts);
  promised.part = bytes(offered.seat + 1);
  promised.isRevealed = true;
  committed(
    promised,
    proof.parts.map((part, seat) => seatCommitment(offered.commitment, seat, part)),
  );
  return { promised, proof, events: [] };
}

function finding({ promised, proof, events }: Played) {
  const witness = new Witness();
  witness.saw(events);
  return checkDeal(promised, proof, witness);
}

test("the commitment is the one that RECORDS.md goes through", () => {
  const nonce = Buffer.from("c9abe8fcf8dbb670c765274e23b393695bdbca2651ca90231aba2f0fa998f7a5", "hex");
  const seed = Buffer.from("06afa8f30ccb4fe2a2d9b38181dcbd9008536dce7c9a2cf74990adce752c2ebe", "hex");
  const made = Buffer.from(commitmentOf("classic-2-market", nonce, seed)).toString("hex");
  assert.equal(made, "6a2146262786c5d0eb4271adcf4117142cf3cdc1c388c6ac0d8311c4670a6e4b");
});

test("a deal has every tile once, and the market draws from what is left", () => {
  const order = dealOrder(bytes(3));
  assert.deepEqual(
    order.toSorted((one, other) => one - other),
    Array.from({ length: 108 }, (_, square) => square),
  );
  assert.equal(marketIndex(bytes(3), 0, 1), 0);
});

for (const name of dialogues()) {
  test(`the tiles of ${name} are those of its seed`, () => {
    assert.equal(finding(played(name)), "not promised");
  });
}

test("a promise that was kept is proven", { skip }, () => {
  assert.equal(finding(inServerMode()), "proven");
  assert.equal(finding(inJointMode()), "proven");
  const { promised, proof } = inServerMode();
  assert.equal(checkDeal(promised, undefined, new Witness()), "not released");
  assert.equal(checkDeal(promised, proof, undefined), "in part");
});

test("what this process did not see is not held against the referee", { skip }, () => {
  const { promised, proof } = inJointMode();
  assert.equal(checkDeal({ match: promised.match, offered: promised.offered }, proof, new Witness()), "in part");
  proof.parts = [];
  assert.equal(checkDeal(promised, proof, undefined), "in part", "it was over before the parts were revealed");
});

const FALSE: [string, string, () => Played, (made: Played) => void][] = [
  ["no commitment", "no-promise", inServerMode, ({ promised }) => (promised.offered.commitment = bytes(0, 0))],
  [
    "another commitment later",
    "promise-changed",
    inServerMode,
    ({ promised }) => {
      const later = clone(MatchOfferedSchema, promised.offered);
      later.commitment = bytes(9);
      shownAgain(promised, later);
    },
  ],
  [
    "other promises of seats later",
    "promise-changed",
    inJointMode,
    ({ promised }) => {
      committed(promised, [bytes(9)]);
    },
  ],
  ["another nonce", "promise-broken", inServerMode, ({ proof }) => (proof.nonce = bytes(9))],
  ["another seed", "seed-differs", inServerMode, ({ proof }) => (proof.seed = bytes(9))],
  ["a short seed", "unreadable-proof", inServerMode, ({ proof }) => (proof.seed = bytes(9, 31))],
  ["another seed in plain mode", "tiles-differ", () => played("classic-2"), ({ proof }) => (proof.seed = bytes(9))],
  ["an event that is missing", "events-missing", inServerMode, ({ events }) => events.splice(3, 1)],
  ["a seed that does not follow", "seed-differs", inJointMode, ({ proof }) => (proof.seed = bytes(9))],
  ["too few parts", "unreadable-proof", inJointMode, ({ proof }) => proof.parts.pop()],
  ["too few promises", "unreadable-proof", inJointMode, ({ promised }) => promised.seats?.pop()],
  ["another's part replaced", "part-differs", inJointMode, ({ promised }) => (promised.seats ?? []).fill(bytes(9), 1)],
  ["the own promise replaced", "own-promise-differs", inJointMode, ({ promised }) => (promised.part = bytes(9))],
  [
    "the own part left out",
    "own-part-differs",
    inJointMode,
    ({ promised, proof }) => {
      proof.parts[promised.offered.seat] = bytes(0, 0);
      proof.seed = jointSeed(proof.serverSeed, proof.parts);
    },
  ],
];
for (const [what, reason, make, spoil] of FALSE) {
  test(`a false deal is noticed: ${what}`, { skip }, () => {
    const made = make();
    spoil(made);
    assert.throws(
      () => finding(made),
      (error) => error instanceof FalseDeal && error.reason === reason,
    );
  });
}
