// SHA-256 of short texts, at once: the browser's own can only be awaited, and a game needs hundreds of hashes.

const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number++) if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
const fractionOf = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
const ROUND_WORDS = PRIMES.map((prime) => fractionOf(Math.cbrt(prime)));
const FIRST_WORDS = PRIMES.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)));
const turned = (word, by) => (word >>> by) | (word << (32 - by));

function padded(bytes) {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const whole = new Uint8Array(length);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  new DataView(whole.buffer).setUint32(length - 4, bytes.length * 8);
  return new DataView(whole.buffer);
}

/** The 32 bytes of a hash. */
export function sha256(bytes) {
  const view = padded(bytes);
  const hash = Int32Array.from(FIRST_WORDS);
  const words = new Int32Array(64);
  for (let block = 0; block < view.byteLength; block += 64) {
    for (let at = 0; at < 16; at++) words[at] = view.getInt32(block + 4 * at);
    for (let at = 16; at < 64; at++) {
      const early = words[at - 15];
      const late = words[at - 2];
      const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
      const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
      words[at] = words[at - 16] + first + words[at - 7] + second;
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let at = 0; at < 64; at++) {
      const mixed = h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUND_WORDS[at] + words[at];
      const most = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + mixed) | 0, c, b, a, (mixed + most) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, at) => (hash[at] += word));
  }
  const bytesOf = new DataView(new ArrayBuffer(32));
  hash.forEach((word, at) => bytesOf.setInt32(4 * at, word));
  return new Uint8Array(bytesOf.buffer);
}

/** Bytes as a hash text: base64 with - and _, and without =. */
export const hashText = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
