/** A bot's matches: passes what comes to the bot for that match, and the bot's answers back. */

import { askBot, makeBot, settled, type Bot, type BotFactory } from "./bot.js";
import type { Choice } from "./conversation.js";
import { Witness, checkDeal, type DealFinding } from "./deal_check.js";
import { BotFailed, FalseDeal, textOf } from "./errors.js";
import type { Ask, Begin, Delivery, End, Settled, Tell } from "./outputs.js";
import { questionLine, viewText } from "./reporting.js";
import { Turns } from "./turns.js";
import { Turn, matchInfo, resultOf, type MatchInfo, type MatchResult } from "./turn.js";
import type { Event } from "./wire/events_pb.js";

/** What a player needs of the world. */
export interface PlayerPorts {
  /** Sends an answer. */
  readonly answer: (match: string, decision: bigint, choice: Choice, note: string) => void;
  /** Says something to the bot's author. */
  readonly report: (text: string) => void;
  /** Ends it all, if a failing bot is to be stopped by its failure; undefined if its match is to go on. */
  readonly fail?: ((error: BotFailed | FalseDeal) => void) | undefined;
  /** Writes a false deal into the trace. */
  readonly trace?: ((match: string, problem: FalseDeal) => void) | undefined;
  /** A clock that only goes forward. */
  readonly nowNs: () => bigint;
}

/** One match of a bot. */
interface Seat {
  readonly bot: Bot;
  readonly info: MatchInfo;
  /** What it saw of the tiles. */
  readonly witness: Witness;
  /** The error found in its deal. */
  problem: FalseDeal | undefined;
  /** Events since the bot was last asked. */
  untold: Event[];
  /** Ends the thought about a question that was settled without it. */
  thinking: AbortController | undefined;
  /** The last question. */
  asked: bigint | undefined;
  /** What the bot is being told, if that takes time; its question waits for that. */
  telling: Promise<void> | undefined;
}

/** Plays every match that comes with a bot of its own. */
export class Player {
  /** How the matches ended. */
  readonly results: MatchResult[] = [];
  readonly #factory: BotFactory;
  readonly #ports: PlayerPorts;
  readonly #seats = new Map<string, Seat>();
  readonly #turns = new Turns();
  /** The first bot is made at once: a failure to make it is reported before anybody waits for it. */
  #spare: Bot | undefined;

  constructor(factory: BotFactory, ports: PlayerPorts) {
    this.#factory = factory;
    this.#ports = ports;
    this.#spare = makeBot(factory);
  }

  /** Does what came, which is everything but the end of all. `cameNs` is when it came. */
  take(delivery: Exclude<Delivery, { do: "close" }>, cameNs: bigint): void {
    switch (delivery.do) {
      case "begin":
        this.#begin(delivery);
        break;
      case "tell":
        this.#tell(delivery);
        break;
      case "ask":
        void this.#ask(delivery, cameNs);
        break;
      case "settled":
        this.#settled(delivery);
        break;
      case "end":
        this.#end(delivery);
        break;
      case "decline":
        this.#report(delivery.match, delivery.text);
        this.#ports.fail?.(new BotFailed(delivery.reason, delivery.text));
        break;
      case "notice":
        this.#report(delivery.match, delivery.text);
        break;
    }
  }

  /** Ends all thoughts. */
  stop(): void {
    for (const seat of this.#seats.values()) {
      seat.thinking?.abort();
    }
  }

  #report(match: string, text: string): void {
    this.#ports.report(match === "" ? text : `match ${match}: ${text}`);
  }

  #failed(text: string, error: unknown): void {
    this.#ports.report(`${text}\n${textOf(error)}`);
    this.#ports.fail?.(new BotFailed("bot-failed", text, { cause: error }));
  }

  #begin({ match, offered, started }: Begin): void {
    let info: MatchInfo;
    try {
      info = matchInfo(match, offered, started);
    } catch (error) {
      this.#report(match, `it cannot be read, so its defaults are answered: ${textOf(error)}`);
      return;
    }
    const seat: Seat = {
      bot: this.#made(match),
      info,
      witness: new Witness(),
      problem: undefined,
      untold: [],
      thinking: undefined,
      asked: undefined,
      telling: undefined,
    };
    this.#seats.set(match, seat);
    this.#call(seat, "onStart", () => seat.bot.onStart?.(info));
  }

  #made(match: string): Bot {
    const spare = this.#spare;
    this.#spare = undefined;
    try {
      return spare ?? makeBot(this.#factory);
    } catch (error) {
      this.#failed(`match ${match}: the bot cannot be made, so its defaults are answered`, error);
      return {};
    }
  }

  #tell({ match, events }: Tell): void {
    const seat = this.#seats.get(match);
    if (seat && seat.problem === undefined) {
      const problem = falseDeal(() => {
        seat.witness.saw(events);
      });
      if (problem) {
        seat.problem = problem;
        this.#isFalse(match, seat, problem);
      }
    }
    // What only a newer client knows is skipped: the next view has its result.
    const known = events.filter((event) => event.kind.case !== undefined);
    if (seat && known.length > 0) {
      seat.untold.push(...known);
      this.#call(seat, "onEvents", () => seat.bot.onEvents?.(known));
    }
  }

  /** Tells a bot something, after what it is still being told. */
  #call(seat: Seat, name: string, tell: () => void | Promise<void>): void {
    const failed = (error: unknown) => {
      this.#failed(`match ${seat.info.match}: the bot failed in ${name}`, error);
    };
    if (seat.telling) {
      seat.telling = seat.telling.then(tell).catch(failed);
      return;
    }
    try {
      const telling: unknown = tell();
      if (telling instanceof Promise) {
        seat.telling = (telling as Promise<void>).catch(failed);
      }
    } catch (error) {
      failed(error);
    }
  }

  async #ask({ match, decision }: Ask, cameNs: bigint): Promise<void> {
    const seat = this.#seats.get(match);
    if (seat === undefined) {
      this.#ports.answer(match, decision.id, decision.defaultIndex, "");
      return;
    }
    seat.thinking?.abort();
    const thinking = new AbortController();
    seat.thinking = thinking;
    const isSettled = () => thinking.signal.aborted;
    seat.asked = decision.id;
    while (seat.telling && !isSettled()) {
      const telling = seat.telling;
      await telling;
      if (seat.telling === telling) {
        seat.telling = undefined;
      }
    }
    await this.#turns.next();
    if (isSettled()) {
      return; // settled before the bot had time for it
    }
    const events = seat.untold;
    seat.untold = [];
    let turn: Turn;
    try {
      turn = new Turn(seat.info, decision, events, this.#ports.nowNs() - cameNs, thinking.signal);
    } catch (error) {
      this.#report(match, `decision ${decision.id} cannot be read, its default is answered: ${textOf(error)}`);
      this.#ports.answer(match, decision.id, decision.defaultIndex, "");
      return;
    }
    try {
      const returned = askBot(seat.bot, turn);
      const { choice, note } = settled(turn, returned instanceof Promise ? await returned : returned);
      if (!isSettled()) {
        this.#ports.answer(match, turn.id, choice, note);
      }
    } catch (error) {
      if (!isSettled()) {
        const name = error instanceof Error ? error.name : "an error";
        this.#ports.answer(match, turn.id, turn.defaultIndex, `default, after ${name}`.slice(0, 80));
        this.#failed(`the bot failed: ${questionLine(turn)}; its default was answered\n${viewText(turn)}`, error);
      }
    }
  }

  #settled({ match, decision }: Settled): void {
    const seat = this.#seats.get(match);
    if (seat?.asked === decision) {
      seat.thinking?.abort();
    }
  }

  /** Reports in every place that a deal is not the one that was promised. */
  #isFalse(match: string, seat: Seat | undefined, problem: FalseDeal): void {
    const text = `THE DEAL IS NOT THE ONE THAT WAS PROMISED (${problem.reason}): ${problem.message}`;
    this.#report(match, `${text}; keep this text, and ask the operator of the referee`);
    this.#ports.trace?.(match, problem);
    if (seat) {
      this.#call(seat, "onFalseDeal", () => seat.bot.onFalseDeal?.(problem));
    }
  }

  #result({ match, promised, ended }: End, seat: Seat | undefined): MatchResult {
    if (seat?.problem) {
      return resultOf(match, ended, "false", seat.problem);
    }
    let deal: DealFinding = "false";
    const problem = falseDeal(() => {
      deal = checkDeal(promised, ended.proof, seat?.witness);
    });
    if (problem) {
      this.#isFalse(match, seat, problem);
    }
    return resultOf(match, ended, deal, problem);
  }

  #end(delivery: End): void {
    const { match, promised } = delivery;
    const result = this.#result(delivery, this.#seats.get(match));
    this.results.push(result);
    const own = result.standings.find((standing) => standing.seat === promised.offered.seat);
    const place = own ? `; place ${own.place} of ${result.standings.length} with $${own.cash}, ${own.status}` : "";
    const receipt = result.receipt ? `; receipt ${result.receipt}` : "";
    this.#report(match, `it is over: ${result.why}${place}${receipt}`);
    const seat = this.#seats.get(match);
    if (seat) {
      this.#seats.delete(match);
      seat.thinking?.abort();
      this.#call(seat, "onEnd", () => seat.bot.onEnd?.(result));
    }
    if (result.problem) {
      this.#ports.fail?.(result.problem);
    }
  }
}

/** What is false about a deal, if anything is. */
function falseDeal(check: () => void): FalseDeal | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof FalseDeal) {
      return error;
    }
    throw error;
  }
}
