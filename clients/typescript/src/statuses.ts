/** How a stream can end for good, and what the author reads. */

import type { Problem } from "./errors.js";

/** The reason of a goodbye on which no client comes back, and its status. */
export const TAKEN_OVER = "taken-over";
export const DISPLACED = "ABORTED";
/** The status of a stream that is refused because another process has a stream with the same token. */
export const ALIVE = "ALREADY_EXISTS";

const ADVICE: Readonly<Record<string, string>> = {
  UNAUTHENTICATED: "check MERGEMAKER_TOKEN: it may belong to another referee, or have been withdrawn",
  PERMISSION_DENIED: "check MERGEMAKER_TOKEN: this token may not do that",
  FAILED_PRECONDITION: "update what is older, the referee or this client",
  [ALIVE]: "another process plays with the same token: end it, or take its place with evict: true",
  INVALID_ARGUMENT: "MERGEMAKER_TRACE=FILE writes down what was sent",
  UNIMPLEMENTED: "there is a gRPC server, but no referee: check MERGEMAKER_SERVER",
  NOT_FOUND: "check MERGEMAKER_SERVER",
};

/** Whether it makes no sense to come back after this status. */
export function isFinal(code: string): boolean {
  return code in ADVICE;
}

/** What the author of a bot reads of such a status. */
export function advice(code: string, text: string): string {
  return `the referee refused (${code}): ${text || "it gave no reason"}; ${ADVICE[code] ?? ""}`;
}

/** The problem of a bot that was displaced. */
export function takenOver(): Problem {
  const text =
    "another process plays with this bot's token now, so this one stops and does not come back; " +
    "start one process for each token";
  return { kind: "TakenOver", reason: TAKEN_OVER, text };
}

/** The problem of a bot that was refused. */
export function refused(reason: string, text: string): Problem {
  return { kind: "RefusedByReferee", reason, text };
}
