/** The test vectors of all clients. They lie in Mergemaker's repository: if this folder stands alone, tests of them are skipped. */

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { fromBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";

import { PlayResponseSchema, type PlayResponse } from "../src/wire/referee_pb.js";

/** The client's folder: compiled tests lie two folders below it. */
export const CLIENT = fileURLToPath(new URL("../..", import.meta.url));
const VECTORS = join(CLIENT, "..", "vectors");

/** Why tests that read vectors are skipped; false where they are not. */
export const skip = existsSync(VECTORS) ? false : "the test vectors are in Mergemaker's repository, clients/vectors";

/** One line of a file of vectors. */
export type Line = Readonly<Record<string, unknown>>;

/** The lines of a file of vectors. */
export function linesOf(name: string): Line[] {
  const text = readFileSync(join(VECTORS, name), "ascii");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Line]));
}

/** The names of all dialogues. */
export function dialogues(): string[] {
  return skip === false ? readdirSync(join(VECTORS, "dialogues")).map((name) => name.replace(".jsonl", "")) : [];
}

/** A message from a field with its bytes in base64. */
export function message<Desc extends DescMessage>(schema: Desc, line: Line, field: string): MessageShape<Desc> {
  return fromBinary(schema, Buffer.from(line[field] as string, "base64"));
}

/** The response of a line of a dialogue. */
export function response(line: Line): PlayResponse {
  return message(PlayResponseSchema, line, "response");
}
