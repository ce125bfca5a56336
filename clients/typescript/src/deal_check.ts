/** Whether a deal was the one that the referee promised before the first tile, as far as one seat can tell. */

import { squareName } from "./board.js";
import { FalseDeal } from "./errors.js";
import {
  COMMITMENT_BYTES,
  PART_BYTES,
  commitmentOf,
  dealOrder,
  jointSeed,
  marketIndex,
  seatCommitment,
} from "./promise.js";
import type { Event } from "./wire/events_pb.js";
import { DealMode } from "./wire/match_pb.js";
import type { DealProof, MatchOffered } from "./wire/referee_pb.js";

/**
 * How far the check went: `proven`, or `in part` if this process did not see all; `not promised` if the tiles agree with
 * the seed and nothing was promised; `not released` if the referee reveals no seed; `false` if something does not agree.
 */
export type DealFinding = "proven" | "in part" | "not promised" | "not released" | "false";

/** The promises for a match's deal, by the referee and, in joint mode, by all seats. */
export interface Promised {
  readonly match: string;
  /** The first offer: later ones change no promise. */
  readonly offered: MatchOffered;
  /** In joint mode: this seat's part of the seed. */
  part?: Uint8Array;
  /** In joint mode: the promises of all seats; undefined if this process did not get it. */
  seats?: Uint8Array[];
  /** Whether this seat revealed its part. */
  isRevealed?: boolean;
  /** Whether the referee refused this seat's promise or its part. */
  isRefused?: boolean;
  /** Whether the referee showed another promise later. */
  isChanged?: boolean;
}

/** Takes a later offer of the same match, as after a break. */
export function shownAgain(promised: Promised, offered: MatchOffered): void {
  const { commitment, promiseMatch, dealMode } = promised.offered;
  const isSame =
    same(commitment, offered.commitment) && promiseMatch === offered.promiseMatch && dealMode === offered.dealMode;
  promised.isChanged ||= !isSame;
}

/** Takes the promises of all seats. */
export function committed(promised: Promised, seats: Uint8Array[]): void {
  const before = promised.seats;
  const isSame = before?.length === seats.length && before.every((seat, at) => same(seat, seats[at]));
  promised.isChanged ||= before !== undefined && !isSame;
  promised.seats ??= seats;
}

function same(one: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.compare(one, other) === 0;
}

/** What a seat saw of the tiles, in order. */
export class Witness {
  readonly events: Event[] = [];
  /** Whether this library knew every event. */
  isWhole = true;
  #last = 0n;

  /** Takes events in order; one that is missing is a `FalseDeal`. */
  saw(events: readonly Event[]): void {
    for (const event of events) {
      const due = this.#last + 1n;
      if (event.number !== due) {
        const text = `event ${due} never came: the one after ${this.#last} was ${event.number}`;
        throw new FalseDeal("events-missing", text);
      }
      this.#last = due;
      this.isWhole &&= event.kind.case !== undefined;
      this.events.push(event);
    }
  }
}

/**
 * How far the deal was the one promised; what does not agree is a `FalseDeal`.
 *
 * Without a proof there is nothing to check yet; without a witness no tile was dealt.
 */
export function checkDeal(promised: Promised, proof: DealProof | undefined, witness: Witness | undefined): DealFinding {
  const { dealMode, commitment } = promised.offered;
  const isPromised = dealMode === DealMode.SERVER || dealMode === DealMode.JOINT;
  if (isPromised && commitment.length !== COMMITMENT_BYTES) {
    const text = `a commitment of ${COMMITMENT_BYTES} bytes was to come first, not one of ${commitment.length}`;
    throw new FalseDeal("no-promise", text);
  }
  if (promised.isChanged === true) {
    throw new FalseDeal("promise-changed", "the referee showed one promise first, and another one later");
  }
  if (proof === undefined) {
    return "not released";
  }
  has("the seed", proof.seed);
  const isAll = !isPromised || checkPromise(promised, proof, witness !== undefined);
  if (witness?.isWhole !== true) {
    return "in part";
  }
  const pile = new Pile(proof.seed);
  for (const event of witness.events) {
    pile.check(event);
  }
  if (!isAll) {
    return "in part";
  }
  return isPromised ? "proven" : "not promised";
}

function has(what: string, bytes: Uint8Array): void {
  if (bytes.length !== PART_BYTES) {
    throw new FalseDeal("unreadable-proof", `${what} has ${PART_BYTES} bytes, not ${bytes.length}`);
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** The referee's part is the one that it promised, and the seed follows. Tells whether all of it could be checked. */
function checkPromise(promised: Promised, proof: DealProof, wasDealt: boolean): boolean {
  has("the referee's part of the seed", proof.serverSeed);
  has("the nonce", proof.nonce);
  const { promiseMatch, commitment, dealMode } = promised.offered;
  const made = commitmentOf(promiseMatch === "" ? promised.match : promiseMatch, proof.nonce, proof.serverSeed);
  if (!same(made, commitment)) {
    const text = `before the first tile the referee promised ${hex(commitment)}; what it tells now makes ${hex(made)}`;
    throw new FalseDeal("promise-broken", text);
  }
  if (dealMode === DealMode.JOINT) {
    return checkJoint(promised, proof, wasDealt);
  }
  if (!same(proof.seed, proof.serverSeed)) {
    throw new FalseDeal("seed-differs", "the deal's seed is not the one that the referee promised");
  }
  return true;
}

function checkJoint(promised: Promised, proof: DealProof, wasDealt: boolean): boolean {
  const { parts } = proof;
  const { seats } = promised.offered;
  if (!wasDealt && parts.length === 0) {
    return false; // the match was over before the parts were revealed
  }
  if (parts.length !== seats) {
    throw new FalseDeal("unreadable-proof", `there is a part for each of ${seats} seats, not ${parts.length} of them`);
  }
  parts.forEach((part, seat) => {
    if (part.length > 0) {
      has(`the part of seat ${seat}`, part);
    }
  });
  if (!same(proof.seed, jointSeed(proof.serverSeed, parts))) {
    const text = "the deal's seed does not follow from the referee's part and those of the seats";
    throw new FalseDeal("seed-differs", text);
  }
  if (promised.seats === undefined) {
    return false;
  }
  checkParts(promised, promised.seats, parts);
  return promised.isRefused !== true;
}

/** Each seat's part is the one that it promised, and this seat's is the one that it sent. */
function checkParts(promised: Promised, commitments: readonly Uint8Array[], parts: readonly Uint8Array[]): void {
  const { commitment, seat: own } = promised.offered;
  if (commitments.length !== parts.length) {
    const text = `there is a promise for each of ${parts.length} seats, not ${commitments.length} of them`;
    throw new FalseDeal("unreadable-proof", text);
  }
  parts.forEach((part, seat) => {
    if (part.length > 0 && !same(seatCommitment(commitment, seat, part), commitments[seat])) {
      throw new FalseDeal("part-differs", `the part of seat ${seat} is not the one that it promised`);
    }
  });
  if (promised.isRefused === true || promised.isRevealed !== true || promised.part === undefined) {
    return;
  }
  if (!same(seatCommitment(commitment, own, promised.part), commitments[own])) {
    throw new FalseDeal("own-promise-differs", "the referee showed another promise in this seat's name");
  }
  if (!same(promised.part, parts[own])) {
    const text = "the referee left out the part of the seed that this seat revealed";
    throw new FalseDeal("own-part-differs", text);
  }
}

/** A pile that is drawn from as announced. Everybody knows who draws how many, so every hand can be derived. */
class Pile {
  readonly #seed: Uint8Array;
  readonly #order: readonly number[];
  readonly #hands = new Map<number, number[]>();
  #drawn = 0;
  #marketDraws = 0;
  /** The tiles drawn last. */
  #last: readonly number[] = [];

  constructor(seed: Uint8Array) {
    this.#seed = seed;
    this.#order = dealOrder(seed);
  }

  /** Compares an announcement with the deal. */
  check({ kind }: Event): void {
    switch (kind.case) {
      case "startTilePlaced":
        agree(`the start tile of seat ${kind.value.seat}`, [kind.value.square], this.#taken(1));
        break;
      case "tilesDrawn":
        this.#draw(kind.value.seat, kind.value.count);
        break;
      case "tilesReceived":
        agree("what this seat drew", kind.value.squares, this.#last);
        break;
      case "tilePlaced":
        this.#leaves(kind.value.seat, [kind.value.square], "placed");
        break;
      case "tilesSetAside":
        this.#leaves(kind.value.seat, kind.value.squares, "set aside");
        break;
      case "handShown":
        agree(`the hand of seat ${kind.value.seat}`, kind.value.squares, this.#hand(kind.value.seat));
        break;
      case "marketDrew":
        this.#market(kind.value.square);
        break;
      default: // not about tiles
    }
  }

  #hand(seat: number): readonly number[] {
    return this.#hands.get(seat) ?? [];
  }

  #taken(count: number): readonly number[] {
    const taken = this.#order.slice(this.#drawn, this.#drawn + count);
    this.#drawn += taken.length;
    return taken;
  }

  #draw(seat: number, count: number): void {
    this.#last = this.#taken(count);
    if (this.#last.length !== count) {
      throw new FalseDeal("tiles-differ", `seat ${seat} drew ${count} tiles, and ${this.#last.length} were left`);
    }
    this.#hands.set(seat, [...this.#hand(seat), ...this.#last]);
  }

  #leaves(seat: number, squares: readonly number[], how: string): void {
    for (const square of squares) {
      const hand = this.#hand(seat);
      if (!hand.includes(square)) {
        const text = `seat ${seat} ${how} ${squareName(square)}; by the deal it had ${names(hand)}`;
        throw new FalseDeal("tiles-differ", text);
      }
      this.#hands.set(
        seat,
        hand.filter((held) => held !== square),
      );
    }
  }

  #market(square: number | undefined): void {
    const left = this.#order.length - this.#drawn;
    let expected: readonly number[] = [];
    if (left > 0) {
      const at = this.#drawn + marketIndex(this.#seed, this.#marketDraws, left);
      expected = this.#order.slice(at, at + 1);
      this.#marketDraws += 1;
    }
    agree("the tile drawn for the market", square === undefined ? [] : [square], expected);
  }
}

function agree(what: string, seen: readonly number[], expected: readonly number[]): void {
  if (names(seen) !== names(expected)) {
    throw new FalseDeal("tiles-differ", `${what} was ${names(seen)}; by the deal it is ${names(expected)}`);
  }
}

function names(squares: readonly number[]): string {
  const sorted = squares.toSorted((one, other) => one - other);
  return sorted.map(squareName).join(" ") || "nothing";
}
