/**
 * The client's side of a stream, without I/O: what came goes in, and what is to be done comes out.
 *
 * A `Conversation` outlives its streams. It knows the session, and of each match how far it was seen, what is asked, and what
 * was answered. Its driver opens a stream and sends `hello()`, hands on every response (`received`), every answer of the
 * bot (`answered`) and every break (`broke`), and does what it is told, in order.
 */

import { create } from "@bufbuild/protobuf";

import { committed, shownAgain, type Promised } from "./deal_check.js";
import { LIBRARY } from "./library.js";
import type { Output, Sequel } from "./outputs.js";
import type { Problem } from "./errors.js";
import { askedBy, defaultText, evidenceText, problemText } from "./evidence.js";
import { COMMITMENT_BYTES, seatCommitment } from "./promise.js";
import { ALIVE, DISPLACED, TAKEN_OVER, advice, isFinal, refused, takenOver } from "./statuses.js";
import type { Action } from "./wire/actions_pb.js";
import type { Event } from "./wire/events_pb.js";
import { DealMode, Ending } from "./wire/match_pb.js";
import {
  EventMode,
  MatchEndedSchema,
  PlayRequestSchema,
  type AnswerRefused,
  type Decision,
  type DefaultTaken,
  type Goodbye,
  type MatchEnded,
  type MatchOffered,
  type MatchStarted,
  type PlayRequest,
  type PlayResponse,
  type RequestRefused,
  type Welcome,
} from "./wire/referee_pb.js";

/** The version of the protocol that this library speaks. */
export const PROTOCOL = 1;

/** What this library does beyond what every client does. */
const CAPABILITIES = ["joint-deal"];
const UNKNOWN_REQUIREMENT = "unknown-requirement";
const NAME_CHARACTERS_MAX = 64;

/** What a match requires that is unknown here, such as a knob of its rules. */
function unknownRequirement({ requires, rules }: MatchOffered): string | undefined {
  const knobs = (rules?.newerKnobs ?? []).map((name) => `knob:${name}`);
  const unknown = [...requires, ...knobs].find((name) => !CAPABILITIES.includes(name));
  return unknown?.slice(0, NAME_CHARACTERS_MAX);
}

/** Requests by which a seat takes part in the deal. */
const OF_THE_DEAL: ReadonlySet<string> = new Set(["seat_ready", "seat_reveal"]);

/** What a bot wants of the referee. */
export interface Wishes {
  /** Empty: the name that goes with the token. */
  readonly name: string;
  /** The bot's own version, for records. */
  readonly version: string;
  /** How the bot gets events: with its next decision, or as they happen. */
  readonly events: "held" | "immediate";
  /** How many matches it plays; undefined: as many as there are for it. */
  readonly matches?: number | undefined;
  readonly matchesAtOnce: number;
  /** Whether it takes the place of another live process with the same token. */
  readonly evict: boolean;
}

/** What is answered: an action, or an index into the legal answers. */
export type Choice = Action | bigint;

/** What is known of one match. */
interface MatchTalk {
  readonly id: string;
  /** What was promised of the deal, with the offer as it came first. */
  readonly promised: Promised;
  begun: boolean;
  lastEvent: bigint;
  /** What was asked last; it stays after its answer, which may have to be sent again. */
  decision?: Decision;
  /** What was answered to it. */
  answer?: PlayRequest | undefined;
  /** Whether an answer of the bot still counts. */
  isOpen: boolean;
  /** Whether the default was answered, because the bot's own answer was refused. */
  fellBack: boolean;
  /** Decisions whose taken default was reported. */
  readonly toldDefaults: Set<bigint>;
}

type Kind = PlayRequest["kind"];
type RequestInit = { [K in Kind as K["case"] & string]: object };

function request(match: string, kind: keyof RequestInit, value: object): PlayRequest {
  return create(PlayRequestSchema, { match, kind: { case: kind, value } as Kind });
}

/** One bot's talk with one referee, over as many streams as it takes. */
export class Conversation {
  readonly #wishes: Wishes;
  readonly #freshPart: () => Uint8Array;
  readonly #matches = new Map<string, MatchTalk>();
  /** Matches that were played to their end. */
  readonly #over = new Set<string>();
  #resumeToken = "";
  #isWelcome = false;
  /** How many matches at once the referee allows. */
  #limit = 1;
  #played = 0;
  /** Seats that were asked for and neither given nor refused. */
  #waiting = 0;
  /** Why no other seat is given. */
  #refusal: Problem | undefined;
  /** Matches that require what is unknown here. */
  readonly #declined = new Set<string>();
  /** What the last of them requires. */
  #unknown: Problem | undefined;
  #goodbye: Goodbye | undefined;
  #isClosed = false;
  #closing: Problem | undefined;

  constructor(wishes: Wishes, freshPart: () => Uint8Array) {
    this.#wishes = wishes;
    this.#freshPart = freshPart;
  }

  /** Whether the stream's Hello was answered. */
  get isWelcome(): boolean {
    return this.#isWelcome;
  }

  /** Whether a match goes on. */
  get isPlaying(): boolean {
    return this.#matches.size > 0;
  }

  /** Whether all is done. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The first request of a new stream. */
  hello(): PlayRequest {
    this.#isWelcome = false;
    this.#goodbye = undefined;
    const wishes = this.#wishes;
    const seen = [...this.#matches.values()].map(({ id, lastEvent }) => ({ match: id, lastEvent }));
    return request("", "hello", {
      protocols: [PROTOCOL],
      botName: wishes.name,
      botVersion: wishes.version,
      library: LIBRARY,
      eventMode: wishes.events === "held" ? EventMode.HELD : EventMode.IMMEDIATE,
      matchesMax: wishes.matchesAtOnce,
      evict: wishes.evict,
      capabilities: CAPABILITIES,
      ...(this.#resumeToken ? { resume: { resumeToken: this.#resumeToken, seen } } : {}),
    });
  }

  /** Takes a response: its fields in their order, without unknown ones. */
  received(response: PlayResponse): Output[] {
    const out: Output[] = [];
    const about = response.match;
    const match = () => this.#matches.get(about);
    if (response.welcome) this.#welcomed(out, response.welcome);
    if (response.matchOffered) this.#offered(out, about, response.matchOffered);
    if (response.seatsCommitted) this.#committed(out, match(), response.seatsCommitted.commitments);
    if (response.matchStarted) this.#started(out, match(), response.matchStarted);
    if (response.answerAccepted) this.#settled(match(), response.answerAccepted.decision);
    if (response.answerRefused) this.#refused(out, about, response.answerRefused);
    if (response.defaultTaken) this.#defaultTaken(out, about, response.defaultTaken);
    if (response.events.length > 0) this.#happened(out, match(), response.events);
    if (response.decision) this.#asked(out, match(), response.decision);
    if (response.matchEnded) this.#ended(out, match(), response.matchEnded);
    if (response.requestRefused) this.#requestRefused(out, about, response.requestRefused);
    if (response.ping) out.push({ do: "send", request: request("", "pong", { id: response.ping.id }) });
    if (response.goodbye) {
      this.#goodbye = response.goodbye;
      const { reason, text, trace } = response.goodbye;
      const said = `the referee ends the stream (${reason}): ${text}${askedBy(trace)}`;
      out.push({ do: "notice", match: "", text: said });
    }
    this.#closeIfDone(out);
    return out;
  }

  /** Takes the bot's answer. It is dropped if its time is over, and kept while there is no stream. */
  answered(about: string, decision: bigint, choice: Choice, note = ""): Output[] {
    const match = this.#matches.get(about);
    if (match?.decision?.id !== decision || !match.isOpen || match.answer) {
      return [];
    }
    return this.#answer(match, decision, choice, note);
  }

  /** Takes the end of a stream: the name of its status, and what it says. */
  broke(code: string, text: string): Sequel {
    this.#isWelcome = false;
    if (this.#isClosed) {
      return { over: this.#closing };
    }
    const goodbye = this.#goodbye;
    if (code === ALIVE && this.#resumeToken !== "") {
      // The live session may be our own, whose end the referee has not noticed yet.
      return { again: 0 };
    }
    if (code === DISPLACED || goodbye?.reason === TAKEN_OVER) {
      return { over: takenOver() };
    }
    const isDone = this.#matches.size === 0 && this.#played > 0;
    const isForGood = goodbye !== undefined && !goodbye.reconnect;
    if (isDone && isForGood) {
      return { over: undefined };
    }
    if (isFinal(code)) {
      const reason = goodbye?.reason ?? code.toLowerCase().replaceAll("_", "-");
      return { over: refused(reason, advice(code, goodbye?.text ?? text)) };
    }
    if (isForGood) {
      return { over: refused(goodbye.reason, `the referee ended the stream for good: ${goodbye.text}`) };
    }
    if (isDone && code === "OK") {
      return { over: undefined };
    }
    return { again: goodbye?.reconnectAfterMs ?? 0 };
  }

  // What a response can hold, in the order of its fields.

  #welcomed(out: Output[], welcome: Welcome): void {
    const wasKnown = this.#resumeToken !== "";
    this.#isWelcome = true;
    this.#resumeToken = welcome.resumeToken;
    this.#limit = Math.max(1, welcome.limits?.matchesMax ?? 1);
    this.#waiting = 0;
    if (wasKnown && !welcome.resumed) {
      const text = "the referee does not know the session any more: the seats are claimed again";
      out.push({ do: "notice", match: "", text });
      for (const { id, promised } of this.#matches.values()) {
        out.push({ do: "send", request: request(id, "takeSeat", { seat: promised.offered.seat }) });
      }
    }
    this.#takeSeats(out);
  }

  #offered(out: Output[], about: string, offered: MatchOffered): void {
    if (this.#over.has(about)) {
      // A seat's own token brings the same match again, to show its result: there is no other.
      this.#waiting = Math.max(0, this.#waiting - 1);
      this.#refusal = refused("match-over", `the match ${about} is over, and there is no other for this token`);
      return;
    }
    let match = this.#matches.get(about);
    if (match === undefined) {
      const unknown = unknownRequirement(offered);
      if (unknown !== undefined) {
        this.#decline(out, about, unknown);
        return;
      }
      match = {
        id: about,
        promised: { match: about, offered },
        begun: false,
        lastEvent: 0n,
        isOpen: false,
        fellBack: false,
        toldDefaults: new Set(),
      };
      this.#matches.set(about, match);
      this.#waiting = Math.max(0, this.#waiting - 1);
    }
    const { promised } = match;
    shownAgain(promised, offered);
    const { seat, commitment, dealMode } = promised.offered;
    if (dealMode === DealMode.JOINT && commitment.length === COMMITMENT_BYTES && !match.begun) {
      promised.part ??= this.#freshPart();
      const value = { commitment: seatCommitment(commitment, seat, promised.part) };
      out.push({ do: "send", request: request(about, "seatReady", value) });
    }
  }

  /** Gives a seat back: its match cannot be played by this library. */
  #decline(out: Output[], about: string, unknown: string): void {
    this.#waiting = Math.max(0, this.#waiting - 1);
    const text = `the match requires '${unknown}', which this library does not know: a newer one may know it`;
    this.#unknown = refused(UNKNOWN_REQUIREMENT, `the seat was declined: ${text}`);
    out.push({ do: "notice", match: about, text: `${text}; the seat is declined` });
    out.push({ do: "send", request: request(about, "declineSeat", { reason: UNKNOWN_REQUIREMENT, text }) });
    if (!this.#declined.has(about)) {
      this.#declined.add(about);
      this.#takeSeats(out);
    }
  }

  #committed(out: Output[], match: MatchTalk | undefined, seats: Uint8Array[]): void {
    if (match?.promised.part) {
      committed(match.promised, seats);
      match.promised.isRevealed = true;
      out.push({ do: "send", request: request(match.id, "seatReveal", { part: match.promised.part }) });
    }
  }

  #started(out: Output[], match: MatchTalk | undefined, started: MatchStarted): void {
    if (match && !match.begun) {
      match.begun = true;
      out.push({ do: "begin", match: match.id, offered: match.promised.offered, started });
    }
  }

  #settled(match: MatchTalk | undefined, decision: bigint): void {
    if (match?.decision?.id === decision) {
      match.isOpen = false;
    }
  }

  #refused(out: Output[], about: string, answer: AnswerRefused): void {
    const match = this.#matches.get(about);
    const { problem, evidence } = answer;
    const proof = evidence ? `; ${evidenceText(evidence)}` : askedBy(problem?.trace);
    const said = `the answer to decision ${answer.decision} was refused ${problemText(problem)}${proof}`;
    const decision = match?.decision;
    if (decision?.id !== answer.decision || answer.refusalsLeft === undefined) {
      out.push({ do: "notice", match: about, text: said });
      return;
    }
    out.push({ do: "decline", match: about, reason: problem?.reason ?? "", text: said });
    if (match && answer.refusalsLeft > 0 && match.isOpen && !match.fellBack) {
      match.fellBack = true;
      out.push(...this.#answer(match, decision.id, decision.defaultIndex, ""));
    }
  }

  #defaultTaken(out: Output[], about: string, taken: DefaultTaken): void {
    const match = this.#matches.get(about);
    this.#settled(match, taken.decision);
    match?.toldDefaults.add(taken.decision);
    out.push({ do: "notice", match: about, text: defaultText(taken) });
    out.push({ do: "settled", match: about, decision: taken.decision });
  }

  #happened(out: Output[], match: MatchTalk | undefined, events: readonly Event[]): void {
    // After a resume, events may come again.
    const fresh = match ? events.filter((event) => event.number > match.lastEvent) : [];
    const last = fresh.at(-1);
    if (match && last) {
      match.lastEvent = last.number;
      out.push({ do: "tell", match: match.id, events: fresh });
    }
  }

  #asked(out: Output[], match: MatchTalk | undefined, decision: Decision): void {
    const last = match?.decision?.id ?? 0n;
    if (!match || decision.id < last) {
      return;
    }
    if (decision.id === last) {
      // It comes again after a resume. The bot still thinks about it, or its answer may never have arrived.
      if (match.answer) {
        match.isOpen = true;
        out.push({ do: "send", request: match.answer });
      }
      return;
    }
    match.decision = decision;
    match.answer = undefined;
    match.isOpen = true;
    match.fellBack = false;
    if (decision.view?.asked?.kind.case === undefined || decision.answers?.kind.case === undefined) {
      const text = `decision ${decision.id} is of a kind that only a newer client knows: answered its default`;
      out.push({ do: "notice", match: match.id, text });
      out.push(...this.#answer(match, decision.id, decision.defaultIndex, ""));
    } else {
      out.push({ do: "ask", match: match.id, decision });
    }
  }

  #ended(out: Output[], match: MatchTalk | undefined, ended: MatchEnded): void {
    if (match) {
      this.#refusal = undefined;
      // Now it hears what was done in its name while it was away.
      for (const taken of ended.defaults.filter(({ decision }) => !match.toldDefaults.has(decision))) {
        out.push({ do: "notice", match: match.id, text: defaultText(taken) });
      }
      if (ended.voided) {
        const text = `the match was voided; ${evidenceText(ended.voided)}`;
        out.push({ do: "notice", match: match.id, text });
      }
      this.#isOver(out, match, ended);
      this.#takeSeats(out);
    }
  }

  #isOver(out: Output[], match: MatchTalk, ended: MatchEnded): void {
    this.#matches.delete(match.id);
    this.#over.add(match.id);
    this.#played += 1;
    out.push({ do: "end", match: match.id, promised: match.promised, ended });
  }

  #requestRefused(out: Output[], about: string, refusedRequest: RequestRefused): void {
    const { problem } = refusedRequest;
    const why = problemText(problem) + askedBy(problem?.trace);
    const said = `${refusedRequest.request} was refused ${why}`;
    if (refusedRequest.request !== "take_seat") {
      const match = this.#matches.get(about);
      if (match && OF_THE_DEAL.has(refusedRequest.request)) {
        match.promised.isRefused = true;
      }
      out.push({ do: "notice", match: about, text: said });
      return;
    }
    const match = this.#matches.get(about);
    if (match) {
      // The seat was claimed after the session was lost, and is lost, too.
      out.push({ do: "notice", match: about, text: said });
      this.#isOver(out, match, create(MatchEndedSchema, { ending: Ending.VOIDED, text: said }));
    } else {
      this.#waiting = Math.max(0, this.#waiting - 1);
    }
    this.#refusal = refused(problem?.reason ?? "", `the referee gives no seat ${why}`);
  }

  // What follows from it.

  #answer(match: MatchTalk, decision: bigint, choice: Choice, note: string): Output[] {
    const chosen = typeof choice === "bigint" ? { case: "index", value: choice } : { case: "action", value: choice };
    match.answer = request(match.id, "answer", { decision, choice: chosen, note });
    return this.#isWelcome ? [{ do: "send", request: match.answer }] : [];
  }

  /** Asks for as many seats as are wanted and allowed at once. */
  #takeSeats(out: Output[]): void {
    if (this.#refusal) {
      return;
    }
    const { matches, matchesAtOnce } = this.#wishes;
    const taken = this.#matches.size + this.#waiting;
    const atOnce = Math.min(matchesAtOnce, this.#limit) - taken;
    const room = Math.min(atOnce, (matches ?? Infinity) - this.#played - taken);
    for (let each = 0; each < room; each += 1) {
      this.#waiting += 1;
      out.push({ do: "send", request: request("", "takeSeat", {}) });
    }
  }

  #closeIfDone(out: Output[]): void {
    if (this.#matches.size > 0 || this.#waiting > 0 || this.#isClosed || !this.#isWelcome) {
      return;
    }
    this.#isClosed = true;
    this.#closing = this.#played > 0 ? undefined : (this.#unknown ?? this.#refusal);
    out.push({ do: "close", problem: this.#closing });
  }
}
