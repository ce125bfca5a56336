/**
 * All legal answers to a question in the documented order: listed by the referee, or listed here from its bounds
 * (`clients/README.md`, "Listing the legal answers"). Offers are far too many to list: each is computed at its index.
 */

import { buy, dispose, noOffer, offerTrade, sameAction } from "./actions.js";
import { CHAINS, LARGEST_PURCHASE, SHARES_PER_CHAIN } from "./board.js";
import { BotError, Unreadable } from "./errors.js";
import type { Action } from "./wire/actions_pb.js";
import type { DisposalBounds, LegalAnswers, OfferBounds, PurchaseBounds } from "./wire/answers_pb.js";

const SHORT_MAX = 3;
const PLACES = CHAINS + 1;
const SEATS_MAX = 6;
/** Bits that say which sides of an offer have something. */
const GIVEN = 1;
const ASKED = 2;

/** Answers by their indices, the first at 0. */
export interface Answers extends Iterable<Action> {
  /** How many there are; of offers nearly 2^53. */
  readonly count: bigint;
  /** The answer at an index; -1 is the last one. */
  at(index: number | bigint): Action;
  /** The index of an answer; undefined where it is not legal. */
  indexOf(action: Action): bigint | undefined;
  /** Whether an answer is legal. */
  includes(action: Action): boolean;
}

/** The answers that a message stands for; one that contradicts itself is `Unreadable`. */
export function answersOf(message: LegalAnswers): Answers {
  const answers = read(message.kind);
  if (answers.count !== message.count || answers.count < 1n) {
    const text = `answers.count is ${message.count}, but the answers are ${answers.count}`;
    throw new Unreadable("wrong-count", text);
  }
  return answers;
}

function read(kind: LegalAnswers["kind"]): Answers {
  switch (kind.case) {
    case "listed":
      return new Listed(kind.value.actions);
    case "purchase":
      return new Listed(purchases(kind.value));
    case "disposal":
      return new Listed(disposals(kind.value));
    case "offer":
      return new Offers(kind.value);
    case undefined:
      throw new Unreadable("unknown-kind", "answers are of a kind that only a newer client knows");
  }
}

abstract class AnyAnswers implements Answers {
  abstract readonly count: bigint;
  abstract indexOf(action: Action): bigint | undefined;
  protected abstract made(index: bigint): Action;

  at(index: number | bigint): Action {
    const isWhole = typeof index === "bigint" || Number.isSafeInteger(index);
    const place = isWhole ? BigInt(index) : this.count;
    if (place >= this.count || place < -this.count) {
      throw new BotError("bad-index", `there is no answer ${index}; there are answers 0 to ${this.count - 1n}`);
    }
    return this.made(place < 0n ? place + this.count : place);
  }

  includes(action: Action): boolean {
    return this.indexOf(action) !== undefined;
  }

  *[Symbol.iterator](): Iterator<Action> {
    for (let index = 0n; index < this.count; index += 1n) {
      yield this.made(index);
    }
  }
}

class Listed extends AnyAnswers {
  readonly count: bigint;
  readonly #actions: readonly Action[];

  constructor(actions: readonly Action[]) {
    super();
    this.#actions = actions;
    this.count = BigInt(actions.length);
  }

  protected made(index: bigint): Action {
    return present(this.#actions[Number(index)]);
  }

  override indexOf(action: Action): bigint | undefined {
    const place = this.#actions.findIndex((each) => sameAction(each, action));
    return place < 0 ? undefined : BigInt(place);
  }

  override [Symbol.iterator](): Iterator<Action> {
    return this.#actions[Symbol.iterator]();
  }
}

/** What exists because it was counted before. */
function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new RangeError("the index is out of range");
  }
  return value;
}

function needs(holds: boolean, what: string): void {
  if (!holds) {
    throw new Unreadable("out-of-range", what);
  }
}

function purchases(bounds: PurchaseBounds): Action[] {
  needs(bounds.prices.length === CHAINS, `purchase.prices are ${CHAINS} numbers`);
  needs(bounds.market.length === CHAINS, `purchase.market are ${CHAINS} numbers`);
  needs(bounds.countMax <= LARGEST_PURCHASE, `purchase.count_max is at most ${LARGEST_PURCHASE}`);
  const short: number[][] = [];
  const long: number[][] = [];
  for (let length = bounds.countMin; length <= bounds.countMax; length += 1) {
    collect(bounds, length, [], 0, length > SHORT_MAX ? long : short);
  }
  const made: Action[] = [];
  for (const part of [short, long]) {
    for (const declare of bounds.declare ? [false, true] : [false]) {
      made.push(...part.map((shares) => buy(shares, declare)));
    }
  }
  return made;
}

/** Lists all purchases of this many more shares that begin with these chains, in the order of their sequences. */
function collect(bounds: PurchaseBounds, more: number, begun: readonly number[], cost: number, into: number[][]): void {
  if (bounds.cash !== undefined && cost > bounds.cash) {
    return;
  }
  if (more === 0) {
    into.push(Array.from({ length: CHAINS }, (_, chain) => begun.filter((each) => each === chain).length));
    return;
  }
  for (let chain = begun.at(-1) ?? 0; chain < CHAINS; chain += 1) {
    const taken = begun.filter((each) => each === chain).length;
    if (taken < (bounds.market[chain] ?? 0)) {
      collect(bounds, more - 1, [...begun, chain], cost + (bounds.prices[chain] ?? 0), into);
    }
  }
}

function disposals(bounds: DisposalBounds): Action[] {
  needs(bounds.held <= SHARES_PER_CHAIN, `disposal.held is at most ${SHARES_PER_CHAIN}`);
  const made: Action[] = [];
  for (let sell = 0; sell <= bounds.held; sell += 1) {
    for (let trade = 0; sell + trade <= bounds.held && trade <= 2 * bounds.pairsMax; trade += 2) {
      made.push(dispose(sell, trade));
    }
  }
  return made;
}

class Offers extends AnyAnswers {
  readonly count: bigint;
  readonly #bounds: OfferBounds;
  /** By place: how much can be given, and how much asked. */
  readonly #most: readonly bigint[];
  readonly #asked: readonly bigint[];
  /** By place, and after the last one: the ways to choose the numbers from there on, by what is given and asked before. */
  readonly #ways: readonly (readonly [bigint, bigint, bigint, bigint])[];

  constructor(bounds: OfferBounds) {
    super();
    needs(bounds.held.length === CHAINS, `offer.held are ${CHAINS} numbers`);
    needs(bounds.partners.length < SEATS_MAX, `offer.partners are at most ${SEATS_MAX - 1}`);
    this.#bounds = bounds;
    this.#most = [...bounds.held, bounds.cashSteps].map(BigInt);
    const asked = Array.from({ length: CHAINS }, () => bounds.askedSharesMax);
    this.#asked = [...asked, bounds.askedCashStepsMax].map(BigInt);
    const ways: [bigint, bigint, bigint, bigint][] = [[0n, 0n, 0n, 1n]];
    for (let place = CHAINS; place >= 0; place -= 1) {
      const [next, most, asks] = [present(ways[0]), this.#mostAt(place), this.#askedAt(place)];
      const from = (sides: number) =>
        present(next[sides]) + most * present(next[sides | GIVEN]) + asks * present(next[sides | ASKED]);
      ways.unshift([from(0), from(GIVEN), from(ASKED), from(GIVEN | ASKED)]);
    }
    this.#ways = ways;
    this.count = 1n + BigInt(bounds.partners.length) * this.#waysAt(0, 0);
  }

  protected made(index: bigint): Action {
    if (index === 0n) {
      return noOffer();
    }
    const each = this.#waysAt(0, 0);
    const partner = present(this.#bounds.partners[Number((index - 1n) / each)]);
    const numbers = this.#numbers((index - 1n) % each);
    const given = numbers.map((number, place) => (number <= this.#mostAt(place) ? Number(number) : 0));
    const taken = numbers.map((number, place) => {
      const most = this.#mostAt(place);
      return number > most ? Number(number - most) : 0;
    });
    const step = this.#bounds.cashStep;
    const goods = (counts: readonly number[]) => ({
      shares: counts.slice(0, CHAINS),
      cash: present(counts[CHAINS]) * step,
    });
    return offerTrade(partner, goods(given), goods(taken));
  }

  #numbers(index: bigint): bigint[] {
    let [rest, sides] = [index, 0];
    return Array.from({ length: PLACES }, (_, place) => {
      const [most, stays] = [this.#mostAt(place), this.#waysAt(place + 1, sides)];
      if (rest < stays) {
        return 0n;
      }
      rest -= stays;
      const given = this.#waysAt(place + 1, sides | GIVEN);
      const isGiven = rest < most * given;
      rest -= isGiven ? 0n : most * given;
      sides |= isGiven ? GIVEN : ASKED;
      const step = this.#waysAt(place + 1, sides);
      const number = (isGiven ? 1n : most + 1n) + rest / step;
      rest %= step;
      return number;
    });
  }

  override indexOf(action: Action): bigint | undefined {
    if (action.kind.case === "noOffer") {
      return 0n;
    }
    if (action.kind.case !== "offerTrade") {
      return undefined;
    }
    const { partner, giveShares, giveCash, takeShares, takeCash } = action.kind.value;
    const [step, place] = [this.#bounds.cashStep, this.#bounds.partners.indexOf(partner)];
    if (place < 0 || giveCash % step !== 0 || takeCash % step !== 0) {
      return undefined;
    }
    let [index, sides] = [1n + BigInt(place) * this.#waysAt(0, 0), 0];
    for (let at = 0; at < PLACES; at += 1) {
      const given = BigInt(at < CHAINS ? (giveShares[at] ?? 0) : giveCash / step);
      const asked = BigInt(at < CHAINS ? (takeShares[at] ?? 0) : takeCash / step);
      const most = this.#mostAt(at);
      if (given > most || asked > this.#askedAt(at) || (given > 0n && asked > 0n)) {
        return undefined;
      }
      if (given + asked > 0n) {
        index += this.#waysAt(at + 1, sides);
        index += (given > 0n ? given - 1n : most) * this.#waysAt(at + 1, sides | GIVEN);
        index += asked > 0n ? (asked - 1n) * this.#waysAt(at + 1, sides | ASKED) : 0n;
        sides |= given > 0n ? GIVEN : ASKED;
      }
    }
    return sides === (GIVEN | ASKED) ? index : undefined;
  }

  #mostAt(place: number): bigint {
    return present(this.#most[place]);
  }

  #askedAt(place: number): bigint {
    return present(this.#asked[place]);
  }

  #waysAt(place: number, sides: number): bigint {
    return present(present(this.#ways[place])[sides]);
  }
}
