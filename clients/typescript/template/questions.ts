/** The questions to one seat of a recorded match, as a bot meets them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { fromBinary, type DescMessage, type MessageShape } from "@bufbuild/protobuf";

import { Turn, matchInfo, type Kind } from "./sdk/src/index.js";
import { MatchOfferedSchema, MatchStartedSchema, PlayResponseSchema } from "./sdk/src/wire/referee_pb.js";

type Line = Readonly<Record<string, string>>;

/** The turns of one kind in `testdata/questions.jsonl`. */
export function turns<K extends Kind>(kind: K): Turn<K>[] {
  const lines = readFileSync("testdata/questions.jsonl", "ascii").trim().split("\n");
  const [first = {}, ...others] = lines.map((line) => JSON.parse(line) as Line);
  const match = matchInfo(
    "questions",
    message(MatchOfferedSchema, first, "offered"),
    message(MatchStartedSchema, first, "started"),
  );
  const found = others
    .map((line) => message(PlayResponseSchema, line, "response"))
    .flatMap(({ decision, events }) =>
      decision?.view?.asked?.kind.case === kind ? [new Turn<K>(match, decision, events)] : [],
    );
  assert.notEqual(found.length, 0, `no question is a ${kind}`);
  return found;
}

function message<Desc extends DescMessage>(schema: Desc, line: Line, field: string): MessageShape<Desc> {
  return fromBinary(schema, Buffer.from(line[field] ?? "", "base64"));
}
