import assert from "node:assert/strict";
import { test } from "node:test";

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";

import { buy, place, sameAction } from "../src/actions.js";
import { BotError, Unreadable } from "../src/errors.js";
import { Turn, matchInfo, resultOf } from "../src/turn.js";
import { EffectKind } from "../src/wire/answers_pb.js";
import { Ending, SeatStatus } from "../src/wire/match_pb.js";
import { MatchEndedSchema, type Decision } from "../src/wire/referee_pb.js";
import { RulesSchema } from "../src/wire/rules_pb.js";
import { SeatViewSchema } from "../src/wire/view_pb.js";
import { MATCH, decision, offered, started } from "./kit.js";

const INFO = matchInfo(MATCH, offered(), started());

function changed(change: (decision: Decision) => void): Decision {
  const made = decision(1n);
  change(made);
  return made;
}

test("a turn says what a bot asks for most", () => {
  const turn = new Turn(INFO, decision(5n));
  assert.deepEqual([turn.id, turn.seat, turn.cash, turn.price("Tower"), turn.price(1)], [5n, 0, 6_000, 200, 0]);
  assert.equal(turn.mine.length, 7);
  assert(turn.asked.case === "chooseTile");
  assert.equal(turn.asked.value.most, 1);
  assert(sameAction(turn.default, place(3)));
  assert.deepEqual(
    turn.tiles.map(({ square, kind }) => [square, kind]),
    [[3, EffectKind.LONE]],
  );
  assert(sameAction(turn.buy({ Tower: 2, 6: 1 }, true), buy([2, 0, 0, 0, 0, 0, 1], true)));
  for (const chain of ["Nowhere", 7, -1, 0.5]) {
    assert.throws(() => turn.price(chain), BotError);
  }
});

test("the lead is counted where holdings are shown, and guessed where they are hidden", () => {
  const lead = (...others: (number | undefined)[]) => {
    const seven = (count: number) => [count, 0, 0, 0, 0, 0, 0];
    const made = changed(({ view }) => {
      const [own] = view?.players ?? [];
      assert(view && own?.shares);
      own.shares.counts = seven(5);
      view.market = seven(12);
      view.players.splice(1);
      for (const held of others) {
        const counts = held === undefined ? {} : { shares: { counts: seven(held) } };
        view.players.push(create(SeatViewSchema, counts));
      }
    });
    const turn = new Turn({ ...INFO, seats: 1 + others.length }, made);
    return [turn.lead(0), turn.lead("Tower")];
  };
  assert.deepEqual(lead(3, 7), [-2, -2]);
  assert.deepEqual(lead(4, 4), [1, 1]);
  assert.deepEqual(lead(0), [5, 5]);
  assert.deepEqual(lead(undefined), [-3, -3]);
  assert.deepEqual(lead(undefined, undefined), [-1, -1]);
  assert.throws(() => new Turn(INFO, decision(1n)).lead("Nowhere"), BotError);
});

test("the time that went by since the question came is taken off", () => {
  const ms = 1_000_000n;
  assert.equal(new Turn(INFO, decision(1n), [], 250n * ms).timeLeftMs, 1_750);
  assert.equal(new Turn(INFO, decision(1n), [], 9_000n * ms).timeLeftMs, 0);
  const unlimited = changed((made) => {
    delete made.timeLeftMs;
    delete made.bankMs;
  });
  assert.deepEqual([new Turn(INFO, unlimited).timeLeftMs, new Turn(INFO, unlimited).bankMs], [undefined, undefined]);
});

test("chances are the same for the same question", () => {
  const [one, other] = [new Turn(INFO, decision(1n)), new Turn(INFO, decision(1n))];
  assert.equal(one.chance.below(1n << 60n), other.chance.below(1n << 60n));
  assert.notEqual(one.chance.below(1n << 60n), new Turn(INFO, decision(1n)).chance.below(1n << 60n));
  for (const limit of [0, -1, 0.5, 2 ** 60]) {
    assert.throws(() => one.chance.below(limit), BotError);
  }
});

test("the end may be declared with a tile or a purchase, where it is allowed and not done", () => {
  const may = (endAllowed: boolean, declared: boolean) => {
    const made = changed(({ view }) => Object.assign(view ?? {}, { endAllowed, declared }));
    return new Turn(INFO, made).mayDeclare;
  };
  assert.deepEqual([may(true, false), may(true, true), may(false, false)], [true, false, false]);
});

test("a question that contradicts itself is unreadable", () => {
  const wrong: ((made: Decision) => void)[] = [
    (made) => delete made.view,
    (made) => delete made.answers,
    (made) => (made.defaultIndex = 2n),
    (made) => delete made.view?.asked,
    (made) => (made.view?.asked ? (made.view.asked.seat = 1) : 0),
    (made) => made.view?.players.pop(),
    (made) => made.view?.prices.pop(),
    (made) => made.view?.players[1]?.shares?.counts.pop(),
    (made) => delete made.view?.players[0]?.cash,
    (made) => (made.view ? (made.view.board = new Uint8Array(107)) : 0),
  ];
  for (const change of wrong) {
    assert.throws(() => new Turn(INFO, changed(change)), Unreadable, String(change));
  }
});

test("a match that contradicts itself is unreadable", () => {
  const readable = () => [offered(), started()] as const;
  const wrong: ((parts: ReturnType<typeof readable>) => void)[] = [
    ([offer]) => delete offer.rules,
    ([offer]) => offer.rules?.chainNames.pop(),
    ([offer]) => (offer.seats = 7),
    ([offer]) => (offer.seat = 2),
    ([, start]) => (start.nonce = new Uint8Array(31)),
  ];
  for (const change of wrong) {
    const parts = readable();
    change(parts);
    assert.throws(() => matchInfo(MATCH, ...parts), Unreadable, String(change));
  }
});

test("a match with newer knobs is read while they are neutral", () => {
  const newerField = [0x78, 1]; // field 15, which this library does not know
  const offer = (newerKnobs: string[]) => {
    const made = offered();
    const rules = toBinary(
      RulesSchema,
      create(RulesSchema, { chainNames: ["A", "B", "C", "D", "E", "F", "G"], newerKnobs }),
    );
    made.rules = fromBinary(RulesSchema, Uint8Array.of(...rules, ...newerField));
    return made;
  };
  assert.equal(matchInfo(MATCH, offer([]), started()).rules.chainNames.length, 7);
  const said = /the knob 'weather', which this library does not know/;
  assert.throws(() => matchInfo(MATCH, offer(["weather"]), started()), said);
});

test("a result says how it ended and how each came off", () => {
  const standings = [{ seat: 1, bot: { name: "Bob" }, cash: 9_000, place: 1, status: SeatStatus.NEVER_JOINED }];
  const ended = create(MatchEndedSchema, { ending: Ending.STUCK, standings });
  const { why, standings: found } = resultOf(MATCH, ended, "not released");
  assert.equal(why, "stuck");
  assert.deepEqual(found, [{ seat: 1, bot: "Bob", cash: 9_000, place: 1, status: "never joined" }]);
  assert.equal(
    resultOf(MATCH, create(MatchEndedSchema, { ending: Ending.VOIDED, text: "power cut" }), "proven").why,
    "power cut",
  );
});
