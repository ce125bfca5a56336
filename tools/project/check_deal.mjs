// Checks the deals of records (RECORDS.md, "The promise") and the order of their tiles (DEAL.md) without the engine's code.
//   node check_deal.mjs [--json] [--vectors FILE] [RECORD ...]      0: all is well, 1: something is wrong, 2: wrong use
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
const wrong = (text) => { throw new Error(text); };
const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts.map((part) => Buffer.from(part)))).digest();
const octets = (text) => (/^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : wrong(`${text} is not 64 hexadecimal digits`));
function* words(seed, label) { // a stream: blocks of sixteen numbers below 65536
  for (let k = 0; ; k++) {
    const block = sha256(seed, label, [k >>> 24, k >>> 16 & 255, k >>> 8 & 255, k & 255]);
    for (let at = 0; at < 32; at += 2) yield block.readUInt16BE(at);
  }
}
function orderOf(seed) {
  const tiles = [..."ABCDEFGHI"].flatMap((letter) => Array.from({ length: 12 }, (_, number) => `${number + 1}${letter}`));
  const stream = words(seed, "deal");
  for (let i = 107, word; i > 0; i--) {
    do word = stream.next().value; while (word >= 65536 - 65536 % (i + 1)); // else the lower numbers would be likelier
    [tiles[i], tiles[word % (i + 1)]] = [tiles[word % (i + 1)], tiles[i]];
  }
  return tiles;
}
function promisedSeed(header, { run: { seat_commitments: committed, contributions } }, end) {
  const { match, commitment } = header.run.promise ?? wrong("the header has no promise");
  if (!header.run.parent && match !== header.run.match) wrong("the promise was made for another match");
  const server = octets(end.run.server_seed);
  const made = sha256("mergemaker/commitment/1\0", [match.length], match, octets(end.run.nonce), server);
  if (!made.equals(octets(commitment))) wrong("server_seed and nonce are not what the commitment was made of");
  if (header.deal !== "joint") return header.deal === "server" ? server : wrong(`there is no deal mode ${header.deal}`);
  if (committed?.length !== header.seats || contributions?.length !== header.seats) wrong("each seat has its part of the seed");
  return sha256("mergemaker/joint-deal/1\0", server, ...contributions.map((text, seat) => {
    if (text === null) return Buffer.alloc(32);
    const own = sha256("mergemaker/seat-commitment/1\0", made, [seat], octets(text)).toString("hex");
    return own === committed[seat] ? octets(text) : wrong(`seat ${seat} revealed another part than it had committed to`);
  }));
}
function checkDeal(bytes) {
  const lines = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString().trimEnd().split("\n").map((line) => JSON.parse(line));
  const [header, deal, end] = ["header", "deal", "end"].map((kind) => lines.find((line) => line.kind === kind));
  if (!header || !deal || !end) wrong("no header, deal or end: this is no record of a match that has ended");
  const seed = header.deal === "plain" ? octets(end.seed) : promisedSeed(header, deal, end);
  if (!seed.equals(octets(end.seed))) wrong("the deal promised has another seed than the end line's");
  return { deal: header.deal, tiles: orderOf(seed) };
}
function checkVectors(bytes) {
  const bad = JSON.parse(bytes).orders.filter(({ seed, tiles }) => orderOf(octets(seed)).join() !== tiles.join());
  return bad.length ? wrong(`another order from the seed ${bad[0].seed}`) : { deal: "vectors" };
}
try {
  const args = parseArgs({ allowPositionals: true, options: { json: { type: "boolean" }, vectors: { type: "string" } } });
  const jobs = args.positionals.map((path) => [path, checkDeal]);
  if (args.values.vectors) jobs.push([args.values.vectors, checkVectors]);
  if (!jobs.length) throw new TypeError("name a record, or --vectors FILE");
  const say = (at, it) => console.log(args.values.json ? JSON.stringify(it) : [at, "ok", ...Object.values(it).flat()].join(" "));
  for (const [path, check, bytes = readFileSync(path)] of jobs) {
    try { say(path, check(bytes)); } catch (error) { console.error(`${path}: ${error.message}`); process.exitCode = 1; }
  }
} catch (error) { console.error(`check_deal.mjs: ${error.message}`); process.exitCode = 2; }
