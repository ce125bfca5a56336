/** What a conversation wants done, in order. All of it is data, so that it can be handed to another thread. */

import type { Promised } from "./deal_check.js";
import type { Problem } from "./errors.js";
import type { Event } from "./wire/events_pb.js";
import type { Decision, MatchEnded, MatchOffered, MatchStarted, PlayRequest } from "./wire/referee_pb.js";

/** A request for the stream. */
export interface Send {
  readonly do: "send";
  readonly request: PlayRequest;
}

/** A match starts: the bot is made, and gets it. */
export interface Begin {
  readonly do: "begin";
  readonly match: string;
  readonly offered: MatchOffered;
  readonly started: MatchStarted;
}

/** What happened since the last report. */
export interface Tell {
  readonly do: "tell";
  readonly match: string;
  readonly events: Event[];
}

/** The bot is asked. */
export interface Ask {
  readonly do: "ask";
  readonly match: string;
  readonly decision: Decision;
}

/** The bot's question was settled without it. */
export interface Settled {
  readonly do: "settled";
  readonly match: string;
  readonly decision: bigint;
}

/** The bot's answer was refused. The default is answered instead, as long as an answer counts. */
export interface Decline {
  readonly do: "decline";
  readonly match: string;
  readonly reason: string;
  readonly text: string;
}

/** A match is over. */
export interface End {
  readonly do: "end";
  readonly match: string;
  /** What was promised of its deal. */
  readonly promised: Promised;
  readonly ended: MatchEnded;
}

/** Something that the bot's author should read; `match` is empty where it is about none. */
export interface Notice {
  readonly do: "notice";
  readonly match: string;
  readonly text: string;
}

/** Everything is done; the stream is closed. */
export interface Close {
  readonly do: "close";
  readonly problem?: Problem | undefined;
}

/** Outputs for the driver of the bots. */
export type Delivery = Begin | Tell | Ask | Settled | Decline | End | Notice | Close;

export type Output = Send | Delivery;

/** What follows from the end of a stream: another one after at least this many milliseconds, or none. */
export type Sequel = { readonly again: number } | { readonly over: Problem | undefined };
