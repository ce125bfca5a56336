/** What the referee measured of a fault, and the operator's name for it, as a line for the bot's author. */

import { AtFault, FaultCause, MomentKind, type Evidence } from "./wire/match_pb.js";
import type { DefaultTaken, Problem } from "./wire/referee_pb.js";

const WHOSE: Readonly<Record<number, string>> = {
  [AtFault.BOT]: "the bot's fault",
  [AtFault.NETWORK]: "the way's fault",
  [AtFault.REFEREE]: "the referee's fault, and nothing is charged",
  [AtFault.NOBODY]: "nobody's fault",
};

/** Whose fault it was, why, and what happened when; a value that is newer than this library is shown as its number. */
export function evidenceText(evidence: Evidence): string {
  let text = `${WHOSE[evidence.atFault] ?? `fault of ${evidence.atFault}`}: ${evidence.text}`;
  if (evidence.moments.length > 0) {
    const moments = evidence.moments.map(({ kind, atUs }) => `${nameOf(MomentKind, kind)} ${milliseconds(atUs)}`);
    text += ` (in ms: ${moments.join(", ")})`;
  }
  if (evidence.transportLagUs > 0n || evidence.refereeLagUs > 0n) {
    const [transport, referee] = [milliseconds(evidence.transportLagUs), milliseconds(evidence.refereeLagUs)];
    text += `; the referee was held up meanwhile, its transport for ${transport} ms, itself for ${referee} ms`;
  }
  return text + askedBy(evidence.trace);
}

/** What was wrong with a request: its stable reason, the text, and the rule if there is one. */
export function problemText(problem: Problem | undefined): string {
  const { reason = "", text = "", rule = "" } = problem ?? {};
  return `(${reason}): ${text}${rule && ` [${rule}]`}`;
}

/** The name by which to ask the operator; nothing if there is none. */
export function askedBy(trace: string | undefined): string {
  return trace ? `; ask the operator about ${trace}` : "";
}

/** A default that was taken in the bot's name. */
export function defaultText(taken: DefaultTaken): string {
  const said =
    `a default was taken for decision ${taken.decision} (${nameOf(FaultCause, taken.cause)}): ${taken.text}; ` +
    `${taken.defaultsLeft} more, and the seat is no longer asked`;
  return taken.evidence ? `${said}; ${evidenceText(taken.evidence)}` : said;
}

/** A value of an enum in small letters; its number where only a newer client knows it. */
export function nameOf(names: Readonly<Record<number, string>>, value: number): string {
  return names[value]?.toLowerCase().replaceAll("_", " ") ?? String(value);
}

function milliseconds(microseconds: bigint): string {
  return (Number(microseconds) / 1_000).toFixed(1);
}
