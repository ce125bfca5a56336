/** A deal from its seed (`engine/DEAL.md`), and what is promised of it (`engine/RECORDS.md`, "The promise"). */

import { createHash } from "node:crypto";

import { SQUARES } from "./board.js";
import { Chance } from "./chance.js";

/** Bytes of a seat's part of the seed. */
export const PART_BYTES = 32;
/** Bytes of a commitment. */
export const COMMITMENT_BYTES = 32;

const WITHHELD = new Uint8Array(PART_BYTES);

/** What the referee promises before the first tile. */
export function commitmentOf(match: string, nonce: Uint8Array, serverSeed: Uint8Array): Uint8Array {
  const id = Buffer.from(match, "utf8");
  const hash = createHash("sha256").update("mergemaker/commitment/1\0").update(Uint8Array.of(id.length));
  return hash.update(id).update(nonce).update(serverSeed).digest();
}

/** What a seat promises before anything is revealed. */
export function seatCommitment(commitment: Uint8Array, seat: number, part: Uint8Array): Uint8Array {
  const hash = createHash("sha256").update("mergemaker/seat-commitment/1\0");
  return hash.update(commitment).update(Uint8Array.of(seat)).update(part).digest();
}

/** The seed of a deal in joint mode; an empty part was not revealed. */
export function jointSeed(serverSeed: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash("sha256").update("mergemaker/joint-deal/1\0").update(serverSeed);
  for (const part of parts) {
    hash.update(part.length > 0 ? part : WITHHELD);
  }
  return hash.digest();
}

/** The squares of all tiles, in the order in which they come off the pile. */
export function dealOrder(seed: Uint8Array): number[] {
  const tiles = Array.from({ length: SQUARES }, (_, square) => square);
  const chance = new Chance(seed, "deal");
  for (let last = SQUARES - 1; last > 0; last -= 1) {
    const other = chance.below(last + 1);
    [tiles[last], tiles[other]] = [tiles[other] ?? 0, tiles[last] ?? 0];
  }
  return tiles;
}

/** The place in a pile of `left` tiles of the tile that a draw of the market shows; draws are numbered from 0 (TWO-1). */
export function marketIndex(seed: Uint8Array, draw: number, left: number): number {
  return new Chance(seed, `market/${draw}`).below(left);
}
