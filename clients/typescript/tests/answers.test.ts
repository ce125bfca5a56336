import assert from "node:assert/strict";
import { test } from "node:test";

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import { buy, noOffer, offerTrade, place, sameAction } from "../src/actions.js";
import { answersOf } from "../src/answers.js";
import { BotError, Unreadable } from "../src/errors.js";
import { ActionSchema } from "../src/wire/actions_pb.js";
import { LegalAnswersSchema } from "../src/wire/answers_pb.js";

type Init = MessageInitShape<typeof LegalAnswersSchema>;
const NONE = [0, 0, 0, 0, 0, 0, 0];

function answers(init: Init) {
  return answersOf(create(LegalAnswersSchema, init));
}

function refused(init: Init): void {
  assert.throws(() => answers(init), Unreadable);
}

/** Bounds of offers as the largest match has them. */
const OFFER = {
  partners: [1, 2, 3, 4, 5],
  held: [25, 25, 25, 25, 25, 25, 25],
  cashSteps: 1_000,
  askedSharesMax: 25,
  askedCashStepsMax: 1_000,
  cashStep: 100,
};

test("an offer is computed at its index, and found again, past 2^53", () => {
  const bounds = { ...OFFER, cashSteps: 2_000 };
  const made = answers({ count: offers(bounds), kind: { case: "offer", value: bounds } });
  assert(made.count > 1n << 53n);
  for (const index of [0n, 1n, (1n << 53n) + 1n, made.count - 1n]) {
    assert.equal(made.indexOf(made.at(index)), index);
  }
  assert(sameAction(made.at(0), noOffer()));
  assert(sameAction(made.at(-1n), made.at(made.count - 1n)));
});

/** How many offers there are: all ways to choose, without those in which a side is empty. */
function offers({ partners, held, cashSteps, askedSharesMax, askedCashStepsMax }: typeof OFFER): bigint {
  const product = (sizes: number[]) => sizes.reduce((all, size) => all * BigInt(1 + size), 1n);
  const given = [...held, cashSteps];
  const asked = [...held.map(() => askedSharesMax), askedCashStepsMax];
  const ways = product(given.map((most, place) => most + (asked[place] ?? 0))) - product(given) - product(asked) + 1n;
  return 1n + BigInt(partners.length) * ways;
}

test("an offer that is not legal has no index", () => {
  const bounds = { ...OFFER, held: [1, 0, 0, 0, 0, 0, 0], cashSteps: 2, partners: [1, 3] };
  const made = answers({ count: offers(bounds), kind: { case: "offer", value: bounds } });
  const one = [1, 0, 0, 0, 0, 0, 0];
  assert(made.includes(offerTrade(3, { shares: one }, { cash: 100 })));
  assert(!made.includes(offerTrade(2, { shares: one }, { cash: 100 })), "no partner");
  assert(!made.includes(offerTrade(3, { shares: [2, 0, 0, 0, 0, 0, 0] }, { cash: 100 })), "more than there is");
  assert(!made.includes(offerTrade(3, { shares: one }, { cash: 150 })), "no whole step");
  assert(!made.includes(offerTrade(3, { shares: one }, {})), "an empty side");
  assert(!made.includes(offerTrade(3, { shares: one }, { shares: one, cash: 100 })), "a chain on both sides");
  assert(!made.includes(place(3)));
});

test("an empty list of shares is seven times 0", () => {
  const empty = create(ActionSchema, { kind: { case: "buy", value: {} } });
  assert(sameAction(empty, buy(NONE)));
  assert(!sameAction(empty, buy(NONE, true)));
  const nothing = create(ActionSchema, { kind: { case: "offerTrade", value: { partner: 2 } } });
  assert(sameAction(nothing, offerTrade(2, {}, {})));
});

test("an action of an unknown kind is like no other", () => {
  const unknown = create(ActionSchema, {});
  const listed = answers({ count: 2n, kind: { case: "listed", value: { actions: [place(3), unknown] } } });
  assert.equal(listed.indexOf(unknown), undefined);
  assert.equal(listed.at(1).kind.case, undefined);
});

test("an index that there is not is an error of the bot", () => {
  const listed = answers({ count: 1n, kind: { case: "listed", value: { actions: [place(3)] } } });
  for (const index of [1, -2, 0.5, NaN, 1n << 60n]) {
    assert.throws(() => listed.at(index), BotError);
  }
});

test("bounds that contradict themselves or the game are unreadable", () => {
  const seven = [1, 1, 1, 1, 1, 1, 1];
  refused({ count: 1n });
  refused({ count: 2n, kind: { case: "listed", value: { actions: [place(3)] } } });
  refused({ count: 0n, kind: { case: "listed", value: {} } });
  refused({ count: 1n, kind: { case: "purchase", value: { prices: seven, market: [] } } });
  refused({ count: 1n, kind: { case: "purchase", value: { prices: [], market: seven } } });
  refused({ count: 1n, kind: { case: "purchase", value: { countMax: 4_000_000, prices: seven, market: seven } } });
  refused({ count: 1n, kind: { case: "disposal", value: { held: 4_000_000_000 } } });
});
