/** What can go wrong, as errors with a stable `reason` for programs and a text that says what to do. */

/** The base of all errors of this library. */
export class MergemakerError extends Error {
  /** For programs: small letters and hyphens; it does not change between versions. */
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.reason = reason;
  }
}

/** A setting is missing, or is not what it should be. */
export class BadSetting extends MergemakerError {}

/** The referee could not be reached for too long. */
export class Unreachable extends MergemakerError {}

/** The referee refused, and would refuse again. */
export class RefusedByReferee extends MergemakerError {}

/** Another process plays with this bot's token now. This process never comes back by itself. */
export class TakenOver extends MergemakerError {}

/** The library itself failed. */
export class ClientFault extends MergemakerError {}

/** A bot did what no bot may do, such as returning nothing. */
export class BotError extends MergemakerError {}

/** A bot failed, and failures stop it; what it threw is the `cause`. */
export class BotFailed extends MergemakerError {}

/** A deal is not the one that the referee promised, or the referee withholds what would show that. */
export class FalseDeal extends MergemakerError {}

/** What a decision or a match holds is not what the protocol says. */
export class Unreadable extends MergemakerError {}

const KINDS = { BadSetting, Unreachable, RefusedByReferee, TakenOver, ClientFault } as const;

/** An error in a form that can be handed from thread to thread. */
export interface Problem {
  readonly kind: keyof typeof KINDS;
  readonly reason: string;
  readonly text: string;
}

/** The error that a problem stands for. */
export function errorOf(problem: Problem): MergemakerError {
  return new KINDS[problem.kind](problem.reason, problem.text);
}

/** An error as a problem; what is none of ours is a fault of the library. */
export function problemOf(error: unknown): Problem {
  for (const [kind, type] of Object.entries(KINDS)) {
    if (error instanceof type) {
      return { kind: kind as keyof typeof KINDS, reason: error.reason, text: error.message };
    }
  }
  return { kind: "ClientFault", reason: "client-fault", text: `the client itself failed: ${textOf(error)}` };
}

/** What was thrown, as text. */
export function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
