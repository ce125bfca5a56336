/** Messages for tests: a match of two, in which the first seat is asked for a tile, or for a purchase. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";

import { Conversation, type Wishes } from "../src/conversation.js";
import type { Output, Sequel } from "../src/outputs.js";
import { EffectKind } from "../src/wire/answers_pb.js";
import { DealMode } from "../src/wire/match_pb.js";
import {
  DecisionSchema,
  MatchOfferedSchema,
  MatchStartedSchema,
  PlayResponseSchema,
  type Decision,
  type PlayRequest,
  type PlayResponse,
} from "../src/wire/referee_pb.js";

export const MATCH = "m1";
export const NONCE = Uint8Array.from({ length: 32 }, (_, place) => place);
export const PART = new Uint8Array(32).fill(7);
const WISHES: Wishes = { name: "Ann", version: "", events: "held", matchesAtOnce: 1, evict: false };

type ResponseInit = MessageInitShape<typeof PlayResponseSchema>;
type DecisionInit = Exclude<MessageInitShape<typeof DecisionSchema>, Decision>;

/** A conversation, with what differs from the usual wishes. */
export function conversation(wishes: Partial<Wishes> = {}): Conversation {
  const parts = [PART]; // a second request gets another part
  return new Conversation({ ...WISHES, ...wishes }, () => parts.pop() ?? new Uint8Array(32));
}

/** A response about the match. */
export function response(init: ResponseInit): PlayResponse {
  return create(PlayResponseSchema, { match: MATCH, ...init });
}

/** A Welcome. */
export function welcome(token = "t1", { resumed = false, matchesMax = 16 } = {}): PlayResponse {
  return response({ match: "", welcome: { resumeToken: token, resumed, limits: { matchesMax } } });
}

const OFFERED = {
  seat: 0,
  seats: 2,
  rules: { chainNames: ["Tower", "Sackson", "American", "Festival", "Worldwide", "Continental", "Imperial"] },
  clock: { name: "fast" },
  dealMode: DealMode.SERVER,
  commitment: new Uint8Array(32),
};

/** A seat of the match; in joint mode on wish. */
export function offered(dealMode = DealMode.SERVER) {
  return create(MatchOfferedSchema, { ...OFFERED, dealMode });
}

/** The start of the match. */
export function started() {
  return create(MatchStartedSchema, { bots: [{ name: "Ann" }, { name: "Bob" }], nonce: NONCE });
}

const SEVEN = [0, 0, 0, 0, 0, 0, 0];

/** A decision: which of two tiles to place. */
export function decision(id: bigint, init: DecisionInit = {}): Decision {
  const made: DecisionInit = {
    id,
    defaultIndex: 1n,
    view: {
      lastEvent: 4n,
      seats: 2,
      seat: 0,
      board: new Uint8Array(108),
      sizes: SEVEN,
      prices: [200, 0, 0, 0, 0, 0, 0],
      market: [25, 25, 25, 25, 25, 25, 25],
      hand: [3, 5],
      players: [
        { cash: 6_000, shares: { counts: SEVEN } },
        { cash: 6_000, shares: { counts: SEVEN } },
      ],
      asked: { seat: 0, kind: { case: "chooseTile", value: { number: 1, most: 1 } } },
    },
    answers: {
      count: 2n,
      kind: {
        case: "listed",
        value: {
          actions: [
            { kind: { case: "place", value: { square: 5 } } },
            { kind: { case: "place", value: { square: 3 } } },
          ],
        },
      },
    },
    effects: [{ square: 3, kind: EffectKind.LONE, size: 1 }],
    timeLeftMs: 2_000n,
    bankMs: 1_500n,
  };
  return create(DecisionSchema, { ...made, ...init });
}

/** The requests among what is to be done. */
export function sent(outputs: readonly Output[]): PlayRequest[] {
  return outputs.flatMap((output) => (output.do === "send" ? [output.request] : []));
}

/** What is to be done, in words: what is sent by its kind. */
export function words(outputs: readonly Output[]): string[] {
  return outputs.map((output) => (output.do === "send" ? (output.request.kind.case ?? "") : output.do));
}

/** A conversation in the middle of a match, on its first stream. */
export function playing(wishes: Partial<Wishes> = {}): Conversation {
  const made = conversation(wishes);
  made.hello();
  made.received(welcome());
  made.received(response({ matchOffered: offered() }));
  made.received(response({ matchStarted: started() }));
  return made;
}

/** The report at the end of the last stream; undefined if another one comes. */
export function problemOf(sequel: Sequel): string | undefined {
  return "over" in sequel ? (sequel.over?.reason ?? "none") : undefined;
}
