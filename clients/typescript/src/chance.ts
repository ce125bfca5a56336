/** Chances that repeat: the same match played again brings the same ones, in every language (`clients/python/RANDOM.md`). */

import { createHash } from "node:crypto";

import { BotError } from "./errors.js";

const LABEL = "mergemaker bot chance 1";
const STREAM = "bot";
const WORDS_PER_BLOCK = 16;
const WORD_BITS = 16n;
const LIMIT_MAX = 1n << 64n;

/** The seed of a decision's chances; `kind` is the name of the message that asks, such as `ChooseTile`. */
export function chanceSeed(nonce: Uint8Array, lastEvent: bigint, kind: string): Uint8Array {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(lastEvent);
  return createHash("sha256").update(LABEL).update(nonce).update(number).update(kind).digest();
}

/** An endless stream of whole numbers, each as likely as the others. */
export class Chance {
  readonly #seed: Uint8Array;
  readonly #label: string;
  #block: Buffer = Buffer.alloc(0);
  #blocks = 0;
  /** How many words of the block are used up. */
  #used = WORDS_PER_BLOCK;

  /** The stream of a seed and a label: each label has numbers of its own. */
  constructor(seed: Uint8Array, label = STREAM) {
    this.#seed = seed;
    this.#label = label;
  }

  /** A number from 0 to `limit` - 1. A `bigint` is answered by one: limits go up to 2^64. */
  below(limit: number): number;
  below(limit: bigint): bigint;
  below(limit: number | bigint): number | bigint {
    if (typeof limit === "number" && !Number.isSafeInteger(limit)) {
      throw new BotError("bad-limit", `chances are drawn below a whole number, not below ${limit}`);
    }
    const below = BigInt(limit);
    if (below < 1n || below > LIMIT_MAX) {
      throw new BotError("bad-limit", `chances are drawn below 1 to 2^64, not below ${limit}`);
    }
    const drawn = this.#draw(below);
    return typeof limit === "bigint" ? drawn : Number(drawn);
  }

  #draw(limit: bigint): bigint {
    let words = 1;
    while (1n << (WORD_BITS * BigInt(words)) < limit) {
      words += 1;
    }
    const all = 1n << (WORD_BITS * BigInt(words));
    const usable = all - (all % limit);
    for (;;) {
      let drawn = 0n;
      for (let each = 0; each < words; each += 1) {
        drawn = (drawn << WORD_BITS) | BigInt(this.#word());
      }
      if (drawn < usable) {
        return drawn % limit; // else the lower numbers would be likelier
      }
    }
  }

  #word(): number {
    if (this.#used === WORDS_PER_BLOCK) {
      const number = Buffer.alloc(4);
      number.writeUInt32BE(this.#blocks);
      this.#block = createHash("sha256").update(this.#seed).update(this.#label).update(number).digest();
      this.#blocks += 1;
      this.#used = 0;
    }
    const word = this.#block.readUInt16BE(2 * this.#used);
    this.#used += 1;
    return word;
  }
}
