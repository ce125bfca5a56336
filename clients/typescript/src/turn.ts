/** What a bot is shown: the match, and a turn, which is one question with all that is needed to answer it. */

import { place, buy } from "./actions.js";
import { answersOf, type Answers } from "./answers.js";
import { CHAINS, SQUARES } from "./board.js";
import { Chance, chanceSeed } from "./chance.js";
import type { DealFinding } from "./deal_check.js";
import { BotError, Unreadable, type FalseDeal } from "./errors.js";
import { nameOf } from "./evidence.js";
import { topsOfOthers } from "./holdings.js";
import type { Action } from "./wire/actions_pb.js";
import type { EffectKind, TileEffect } from "./wire/answers_pb.js";
import type { Event } from "./wire/events_pb.js";
import { Ending, SeatStatus, type ClockTerms } from "./wire/match_pb.js";
import type { Question } from "./wire/questions_pb.js";
import type { Decision, MatchEnded, MatchOffered, MatchStarted } from "./wire/referee_pb.js";
import type { Rules } from "./wire/rules_pb.js";
import type { SeatView, View } from "./wire/view_pb.js";

const NONCE_BYTES = 32;
const END_HASH_BYTES = 32;
const SEATS_MIN = 2;
const SEATS_MAX = 6;
const NANOSECONDS_IN_MS = 1_000_000n;

/** What is asked, with the kind in `case` and the question in `value`. */
export type Asked = Exclude<Question["kind"], { case: undefined }>;
/** The kinds of questions, which name a bot's handlers. */
export type Kind = Asked["case"];
/** The question of a kind. */
export type QuestionOf<K extends Kind> = Extract<Asked, { case: K }>["value"];

/** What a bot knows of its match before the first tile. */
export interface MatchInfo {
  /** The match's id. */
  readonly match: string;
  readonly rules: Rules;
  /** How many play. */
  readonly seats: number;
  /** The bot's own. */
  readonly seat: number;
  /** The names of the bots, by seat. */
  readonly bots: readonly string[];
  /** 32 bytes for this seat: where the chances of a repeatable bot come from. */
  readonly nonce: Uint8Array;
  /** How time is measured; undefined where the referee does not say. */
  readonly clock: ClockTerms | undefined;
}

/** How one seat came off. */
export interface Standing {
  readonly seat: number;
  readonly bot: string;
  readonly cash: number;
  /** 1 is best; equal money shares a place. */
  readonly place: number;
  /** `finished`, or what came in between. */
  readonly status: string;
}

/** How a match ended. */
export interface MatchResult {
  readonly match: string;
  /** `declared` or `stuck` as in the rules, or why it was given up. */
  readonly why: string;
  /** By seat; empty for a match that was given up. */
  readonly standings: readonly Standing[];
  /** Whether the deal was the one that the referee promised. */
  readonly deal: DealFinding;
  /** What does not agree, where the deal is `false`. */
  readonly problem?: FalseDeal | undefined;
  /** What to keep: `mergemaker verify --receipt` compares the match's record with it. Undefined if the referee sent none. */
  readonly receipt?: string | undefined;
  /** The referee's own words, with what proves the deal, if that is sent. */
  readonly ended: MatchEnded;
}

/** A tile that can be placed: the answer that places it, and what it would do. */
export interface TileChoice {
  readonly action: Action;
  readonly square: number;
  /** Whether it stays alone, grows a chain, founds one, or merges several. */
  readonly kind: EffectKind;
  /** The chain that grows, or all that are merged, ascending. */
  readonly chains: readonly number[];
  /** With a merger: who would survive, or could. */
  readonly survivors: readonly number[];
  /** Tiles of the chain afterwards. */
  readonly size: number;
}

/** One question to a bot: what is asked, what may be answered, and what the seat knows. */
export class Turn<K extends Kind = Kind> {
  readonly match: MatchInfo;
  /** The decision's id: counts the questions to this seat. */
  readonly id: bigint;
  /** All that the seat may know. */
  readonly view: View;
  /** What is asked: a bot that answers all questions in one place tells them apart by `asked.case`. */
  readonly asked: Extract<Asked, { case: K }>;
  /** Every legal answer, in the documented order. Offers are computed on request: there are millions. */
  readonly answers: Answers;
  /** What the referee takes when no answer comes, and its index. */
  readonly default: Action;
  readonly defaultIndex: bigint;
  /** Events since the bot was last asked. */
  readonly events: readonly Event[];
  /** Milliseconds for this answer when it was asked, the bank included; undefined without a limit. */
  readonly timeLeftMs: number | undefined;
  /** What of it is the bank's. */
  readonly bankMs: number | undefined;
  /** Aborted when the question was settled without this answer: a bot that still thinks may stop. */
  readonly signal: AbortSignal;
  /** The tiles that can be placed, with what each would do; empty if no tile is asked for. */
  readonly tiles: readonly TileChoice[];
  /** The bot's own cash, and its shares by chain. */
  readonly cash: number;
  readonly mine: readonly number[];
  #chance: Chance | undefined;

  /** Reads a question; `waitedNs` have gone by since it came. What contradicts itself is `Unreadable`. */
  constructor(
    match: MatchInfo,
    decision: Decision,
    events: readonly Event[] = [],
    waitedNs = 0n,
    signal: AbortSignal = new AbortController().signal,
  ) {
    this.match = match;
    this.id = decision.id;
    this.view = checkedView(decision, match);
    const own = this.view.players[match.seat];
    const asked = this.view.asked?.kind;
    if (asked?.case === undefined || decision.answers === undefined) {
      throw new Unreadable("unknown-kind", "the question or its answers are of a kind that only a newer client knows");
    }
    this.asked = asked as Extract<Asked, { case: K }>;
    this.answers = answersOf(decision.answers);
    this.defaultIndex = decision.defaultIndex;
    if (decision.defaultIndex >= this.answers.count) {
      const text = `decision.default_index is below ${this.answers.count}, not ${decision.defaultIndex}`;
      throw new Unreadable("out-of-range", text);
    }
    this.default = this.answers.at(decision.defaultIndex);
    this.events = events;
    const waitedMs = Number(waitedNs / NANOSECONDS_IN_MS);
    this.timeLeftMs =
      decision.timeLeftMs === undefined ? undefined : Math.max(0, Number(decision.timeLeftMs) - waitedMs);
    this.bankMs = decision.bankMs === undefined ? undefined : Number(decision.bankMs);
    this.signal = signal;
    this.tiles = decision.effects.map(choiceOf);
    this.cash = own?.cash ?? 0;
    this.mine = own?.shares?.counts ?? [];
  }

  /** The question, such as a `ChooseDisposal` with the chain that is acquired. */
  get question(): QuestionOf<K> {
    return this.asked.value as QuestionOf<K>;
  }

  /** The bot's own seat. */
  get seat(): number {
    return this.match.seat;
  }

  /** The names of the chains, by number. */
  get names(): readonly string[] {
    return this.match.rules.chainNames;
  }

  /** Chances that repeat: they depend on nonce, last event seen and kind of decision alone. */
  get chance(): Chance {
    const name = this.asked.case.charAt(0).toUpperCase() + this.asked.case.slice(1);
    this.#chance ??= new Chance(chanceSeed(this.match.nonce, this.view.lastEvent, name));
    return this.#chance;
  }

  /** Whether this answer may declare the end (END-1, END-2). */
  get mayDeclare(): boolean {
    const isAsked = this.asked.case === "chooseTile" || this.asked.case === "choosePurchase";
    return isAsked && this.view.endAllowed && !this.view.declared;
  }

  /** The number of a chain that is given by its name or its number. */
  chain(chain: number | string): number {
    const number = typeof chain === "number" ? chain : this.names.indexOf(chain);
    if (!Number.isInteger(number) || number < 0 || number >= CHAINS) {
      const text = `a chain is one of ${this.names.join(", ")}, or 0 to ${CHAINS - 1}, not ${chain}`;
      throw new BotError("no-such-chain", text);
    }
    return number;
  }

  /** What a share of a chain costs now; 0 while it is not on the board. */
  price(chain: number | string): number {
    return this.view.prices[this.chain(chain)] ?? 0;
  }

  /**
   * How many shares of a chain the seat has more than any other one; negative if it is behind. If the rules hide what others
   * hold, this is a guess: one of them has two thirds of it.
   */
  lead(chain: number | string): number {
    const number = this.chain(chain);
    return (this.mine[number] ?? 0) - topsOfOthers(this.view, this.seat, number)[0];
  }

  /** A purchase of these shares by chain, as in `turn.buy({ Tower: 2 })`; with `declare`, the end is declared first. */
  buy(shares: Readonly<Record<string, number>>, declare = false): Action {
    const counts = Array.from({ length: CHAINS }, () => 0);
    for (const [name, count] of Object.entries(shares)) {
      counts[this.chain(/^\d+$/.test(name) ? Number(name) : name)] = count;
    }
    return buy(counts, declare);
  }
}

function choiceOf(effect: TileEffect): TileChoice {
  const { square, kind, chains, survivors, size } = effect;
  return { action: place(square), square, kind, chains, survivors, size };
}

function needs(holds: boolean, what: string): void {
  if (!holds) {
    throw new Unreadable("out-of-range", what);
  }
}

function checkedView(decision: Decision, match: MatchInfo): View {
  const view = decision.view;
  if (view === undefined) {
    throw new Unreadable("not-set", "decision.view is not set");
  }
  needs(view.board.length === SQUARES, `decision.view.board is ${SQUARES} bytes`);
  needs(view.players.length === match.seats, `decision.view.players are ${match.seats}, one for each seat`);
  for (const [name, counts] of Object.entries({ sizes: view.sizes, prices: view.prices, market: view.market })) {
    needs(counts.length === CHAINS, `decision.view.${name} are ${CHAINS} numbers`);
  }
  view.players.forEach((player, seat) => {
    const isWhole = player.shares === undefined || player.shares.counts.length === CHAINS;
    needs(isWhole, `decision.view.players[${seat}].shares are ${CHAINS} numbers`);
  });
  const own: SeatView | undefined = view.players[match.seat];
  needs(own?.cash !== undefined && own.shares !== undefined, "a seat is shown its own cash and shares");
  needs(view.asked?.seat === match.seat, `decision.view.asked.seat is ${match.seat}`);
  return view;
}

/** What a bot knows of its match before the first tile. */
export function matchInfo(match: string, offered: MatchOffered, started: MatchStarted): MatchInfo {
  const { rules, seats, seat, clock } = offered;
  if (rules?.chainNames.length !== CHAINS) {
    throw new Unreadable("wrong-length", `match_offered.rules.chain_names are ${CHAINS}`);
  }
  const [knob] = rules.newerKnobs;
  if (knob !== undefined) {
    const text = `the rules have the knob '${knob}', which this library does not know: a newer one may know it`;
    throw new Unreadable("unknown-knob", text);
  }
  needs(seats >= SEATS_MIN && seats <= SEATS_MAX, `match_offered.seats is ${SEATS_MIN} to ${SEATS_MAX}`);
  needs(seat < seats, `match_offered.seat is below ${seats}`);
  needs(started.nonce.length === NONCE_BYTES, `match_started.nonce is ${NONCE_BYTES} bytes`);
  return { match, rules, seats, seat, bots: started.bots.map(({ name }) => name), nonce: started.nonce, clock };
}

/** How a match ended, and whether its deal was the one promised. */
export function resultOf(match: string, ended: MatchEnded, deal: DealFinding, problem?: FalseDeal): MatchResult {
  const isPlayed = ended.ending === Ending.DECLARED || ended.ending === Ending.STUCK;
  const standings = ended.standings.map(({ seat, bot, cash, place: rank, status }) => {
    return { seat, bot: bot?.name ?? "", cash, place: rank, status: nameOf(SeatStatus, status) };
  });
  return {
    match,
    why: isPlayed ? nameOf(Ending, ended.ending) : ended.text || "voided",
    standings,
    deal,
    problem,
    receipt: receiptOf(match, ended),
    ended,
  };
}

/** The text of a match's receipt, if what came is one. */
function receiptOf(match: string, { receipt }: MatchEnded): string | undefined {
  if (receipt?.match !== match || receipt.line.length !== END_HASH_BYTES || receipt.game.length !== END_HASH_BYTES) {
    return undefined;
  }
  return [match, ...[receipt.line, receipt.game].map((hash) => Buffer.from(hash).toString("base64url"))].join(":");
}
