/** `MERGEMAKER_TRACE=FILE`: every message as a line of JSON, with time and direction, and without tokens. */

import { closeSync, openSync, writeSync } from "node:fs";

import { toJson, type JsonValue } from "@bufbuild/protobuf";

import { BadSetting } from "./errors.js";
import { PlayRequestSchema, PlayResponseSchema, type PlayRequest, type PlayResponse } from "./wire/referee_pb.js";

/** What replaces a token. */
export const REMOVED = "removed";

/** Writes messages to a file. A failed write is reported once, and does not stop the bot. */
export class Trace {
  readonly #secret: string;
  readonly #report: (text: string) => void;
  readonly #nowMs: () => number;
  #file: number | undefined;

  /** `secret` is the token, which is in no message, but is searched for anyway. */
  constructor(path: string, secret: string, report: (text: string) => void, nowMs = timeOfDayMs) {
    this.#secret = JSON.stringify(secret).slice(1, -1); // as it would stand in a text of JSON
    this.#report = report;
    this.#nowMs = nowMs;
    try {
      this.#file = openSync(path, "a");
    } catch (error) {
      throw new BadSetting("bad-trace", `the trace cannot be written to ${path}: ${messageOf(error)}`);
    }
  }

  /** Writes a request. */
  sent(message: PlayRequest): void {
    this.#message("sent", toJson(PlayRequestSchema, message, { useProtoFieldName: true }));
  }

  /** Writes a response. */
  received(message: PlayResponse): void {
    this.#message("received", toJson(PlayResponseSchema, message, { useProtoFieldName: true }));
  }

  /** Writes a stream's state. */
  stream(what: string): void {
    this.#write({ direction: "stream", what });
  }

  /** Writes that a deal was not the one promised. */
  falseDeal(match: string, reason: string, text: string): void {
    this.#write({ direction: "problem", match, reason, text });
  }

  /** Closes the file. */
  close(): void {
    if (this.#file !== undefined) {
      closeSync(this.#file);
      this.#file = undefined;
    }
  }

  #message(direction: string, message: JsonValue): void {
    this.#write({ direction, message: withoutTokens(message) });
  }

  #write(content: Record<string, JsonValue>): void {
    if (this.#file === undefined) {
      return;
    }
    const text = JSON.stringify({ at: timeText(this.#nowMs()), ...content });
    const line = this.#secret === "" ? text : text.replaceAll(this.#secret, REMOVED);
    try {
      // The operating system has a line when this returns, so that a bot that is killed leaves a whole trace.
      writeSync(this.#file, `${line}\n`);
    } catch (error) {
      this.close();
      this.#report(`the trace ends here, it cannot be written: ${messageOf(error)}`);
    }
  }
}

/** The same data with every field whose name ends in `token` emptied. */
export function withoutTokens(content: JsonValue): JsonValue {
  if (Array.isArray(content)) {
    return content.map(withoutTokens);
  }
  if (content === null || typeof content !== "object") {
    return content;
  }
  const pairs = Object.entries(content).map(([name, value]): [string, JsonValue] => {
    const isToken = name.toLowerCase().endsWith("token") && value !== "";
    return [name, isToken ? REMOVED : withoutTokens(value)];
  });
  return Object.fromEntries(pairs);
}

/** Milliseconds since 1970, with what is known of microseconds. */
function timeOfDayMs(): number {
  return performance.timeOrigin + performance.now();
}

function timeText(nowMs: number): string {
  const whole = Math.floor(nowMs);
  const micros = Math.floor((nowMs - whole) * 1_000);
  return new Date(whole).toISOString().replace("Z", `${String(micros).padStart(3, "0")}Z`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
