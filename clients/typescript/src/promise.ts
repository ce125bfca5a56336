/** A seat's part in the seed of a joint deal (`engine/RECORDS.md`, "The promise"). */

import { createHash } from "node:crypto";

/** Bytes of a seat's part of the seed. */
export const PART_BYTES = 32;
/** Bytes of a commitment. */
export const COMMITMENT_BYTES = 32;

/** What a seat promises before anything is revealed. */
export function seatCommitment(commitment: Uint8Array, seat: number, part: Uint8Array): Uint8Array {
  const hash = createHash("sha256").update("mergemaker/seat-commitment/1\0");
  return hash.update(commitment).update(Uint8Array.of(seat)).update(part).digest();
}
