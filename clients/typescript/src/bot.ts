/** What a bot is: handlers, one for each kind of question. One that is not written takes the referee's default. */

import { isMessage, toBinary } from "@bufbuild/protobuf";

import { BotError, type FalseDeal } from "./errors.js";
import type { Choice } from "./conversation.js";
import type { Handlers } from "./kinds/handlers.js";
import type { Kind, MatchInfo, MatchResult, Turn } from "./turn.js";
import { ActionSchema, type Action } from "./wire/actions_pb.js";
import type { Event } from "./wire/events_pb.js";

/** The most bytes of UTF-8 in a note. */
export const NOTE_BYTES_MAX = 1_024;

/** An answer with a note. Notes are recorded, and nobody sees them before the match is over. */
export interface Noted {
  readonly answer: Action | number | bigint;
  /** At most 1,024 bytes of UTF-8. */
  readonly note: string;
}

/** An action, or its index in `turn.answers`; either may have a note. */
export type Answer = Action | number | bigint | Noted;

/** Answers questions of a kind. */
export type Handler<K extends Kind> = (turn: Turn<K>) => Answer | Promise<Answer>;

/**
 * Plays one seat of one match. Every handler is optional, and may return a promise; what is not written is the default.
 *
 * Other matches and the network go on while a bot waits for something. One that computes for long on its thread holds up its own
 * other matches, but not the network, which has a thread of its own.
 */
export interface Bot extends Handlers {
  /** Answers any question in place of the handlers for its kind. */
  answer?: Handler<Kind>;
  /** Gets the match before its first tile. */
  onStart?: (match: MatchInfo) => void | Promise<void>;
  /** Learns what happened, as far as its seat may know; always before it is asked again. */
  onEvents?: (events: readonly Event[]) => void | Promise<void>;
  /** Learns how the match ended. */
  onEnd?: (result: MatchResult) => void | Promise<void>;
  /** A deal was not the one that the referee promised. */
  onFalseDeal?: (problem: FalseDeal) => void | Promise<void>;
}

/** Makes the bot for one match. */
export type BotFactory = () => Bot;

/** A bot's answer to a question, from the handler that it has for it. */
export function askBot(bot: Bot, turn: Turn): unknown {
  if (bot.answer) {
    return bot.answer(turn);
  }
  const handlers = bot as Partial<Record<Kind, Handler<Kind>>>; // each handler gets turns of its own kind
  const handler = handlers[turn.asked.case];
  return handler === undefined ? turn.defaultIndex : handler.call(bot, turn);
}

/** The bot that a factory makes. */
export function makeBot(factory: BotFactory): Bot {
  const made: unknown = factory();
  if (typeof made !== "object" || made === null) {
    throw new BotError("no-bot", `a factory of bots returns an object with handlers, not ${shown(made)}`);
  }
  return made;
}

/** What a bot returned, as it is sent. The referee decides whether an action is legal, and gives a reason. */
export function settled(turn: Turn, returned: unknown): { choice: Choice; note: string } {
  const isNoted = typeof returned === "object" && returned !== null && "note" in returned && "answer" in returned;
  const answer: unknown = isNoted ? returned.answer : returned;
  const note: unknown = isNoted ? returned.note : "";
  if (typeof note !== "string") {
    throw new BotError("bad-note", `a note is text, not ${shown(note)}`);
  }
  const size = Buffer.byteLength(note);
  if (size > NOTE_BYTES_MAX) {
    throw new BotError("note-too-long", `a note is at most ${NOTE_BYTES_MAX} bytes of UTF-8, not ${size}`);
  }
  if (answer === turn.default) {
    return { choice: turn.defaultIndex, note };
  }
  if (isMessage(answer, ActionSchema)) {
    checkNumbers(turn, answer);
    return { choice: answer, note };
  }
  if (typeof answer === "bigint" || (typeof answer === "number" && Number.isSafeInteger(answer))) {
    const index = BigInt(answer);
    if (index < 0n || index >= turn.answers.count) {
      const text = `${turn.asked.case} returned the index ${index}; there are answers 0 to ${turn.answers.count - 1n}`;
      throw new BotError("bad-index", text);
    }
    return { choice: index, note };
  }
  const forms = "an action, its index in turn.answers, or { answer, note }";
  throw new BotError("bad-answer", `${turn.asked.case} returns ${forms}, not ${shown(answer)}`);
}

/** Refuses an action with a number that no message holds: on its way it would break the stream, and again after each resume. */
function checkNumbers(turn: Turn, action: Action): void {
  try {
    toBinary(ActionSchema, action);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new BotError("bad-action", `${turn.asked.case} returned an action that cannot be sent: ${why}`);
  }
}

function shown(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value.slice(0, 80))
    : typeof value === "object" && value
      ? "an object"
      : String(value);
}
