// A deal: the order of the tiles and the market's draws, from a seed as in DEAL.md, or from what is known of them.

import { sha256 } from "./sha256.js";
import { SQUARES } from "./squares.js";

const WORD_VALUES = 65536;
const BLOCK_WORDS = 16;

/** The function `below(n)` of a stream: a whole number from 0 to n - 1, for n up to 65536. */
function stream(seed, label) {
  const head = [...seed, ...new TextEncoder().encode(label)];
  let words = [];
  let block = 0;
  const refill = () => {
    const hash = new DataView(sha256(Uint8Array.from([...head, 0, 0, block >> 8, block & 255])).buffer);
    words = Array.from({ length: BLOCK_WORDS }, (_, at) => hash.getUint16(2 * at));
    block += 1;
  };
  return (n) => {
    for (;;) {
      if (!words.length) refill();
      const word = words.shift();
      if (word < WORD_VALUES - (WORD_VALUES % n)) return word % n;
    }
  };
}

/** A seed's 32 bytes from 64 hexadecimal digits. */
export function seedBytes(text) {
  if (typeof text !== "string" || !/^[0-9a-f]{64}$/.test(text)) throw new Error("a seed is 64 hexadecimal digits");
  return Uint8Array.from(text.match(/../g), (digits) => parseInt(digits, 16));
}

/** The deal of a seed. */
export function dealFromSeed(text) {
  const seed = seedBytes(text);
  const below = stream(seed, "deal");
  const order = Array.from({ length: SQUARES }, (_, square) => square);
  for (let last = SQUARES - 1; last > 0; last--) {
    const swap = below(last + 1);
    [order[last], order[swap]] = [order[swap], order[last]];
  }
  return {
    tiles: (from, count) => order.slice(from, from + count),
    marketTile: (draw, drawn) => order[drawn + stream(seed, `market/${draw}`)(SQUARES - drawn)],
  };
}

/** What is known of the deal of an unfinished match: the tiles that were drawn, and the squares that the market's draws showed. */
export function dealFromDrawn(drawnTiles, marketTiles) {
  const known = (tile) => {
    if (!Number.isInteger(tile) || tile < 0 || tile >= SQUARES) throw new Error("the record goes on after what is known of its deal");
    return tile;
  };
  return {
    tiles: (from, count) => Array.from({ length: Math.min(count, SQUARES - from) }, (_, at) => known(drawnTiles[from + at])),
    marketTile: (draw) => known(marketTiles[draw]),
  };
}
