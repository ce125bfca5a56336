/**
 * The bot `greedy`: looks one turn ahead, and leaves nothing to chance (`clients/python/GREEDY.md`).
 *
 * Each legal answer has a score. The highest is taken, and of equal ones the first in the documented order.
 */

import type { Answer, Bot } from "../bot.js";
import { CHAINS, LARGEST_PURCHASE, SQUARES } from "../board.js";
import type { TileChoice, Turn } from "../turn.js";
import { Power, type Action } from "../wire/actions_pb.js";
import { EffectKind } from "../wire/answers_pb.js";
import { PurchaseTerms, type ChooseDisposal, type ChooseReply } from "../wire/questions_pb.js";
import { Worth, div, priceAt, sum } from "./worth.js";

/** More than any other score: for the answers that declare the end, negative if that would be wrong. */
const ENDING = 100_000_000;
const STOPPING = -1_000_000_000;
/** The size assumed for a chain that has just been founded, or may be again. */
const FOUNDED_SIZE = 2;
/** Dollars: spending below it counts a quarter more. */
const RESERVE = 3_000;
/** It takes three free shares if three of this price can be had, or when the pile is low. */
const FREE_PRICE = 400;
const LOW_PILE = 30;

/** Takes the answer with the highest score. */
export class GreedyBot implements Bot {
  answer(turn: Turn): Answer {
    if (turn.asked.case === "chooseOffer") {
      return 0; // it makes none
    }
    const score = scorerOf(turn, new Worth(turn));
    let [best, most, index] = [0, -Infinity, 0];
    for (const action of turn.answers) {
      const found = score(action);
      if (found > most) {
        [best, most] = [index, found];
      }
      index += 1;
    }
    return best;
  }
}

type Scorer = (action: Action) => number;

function scorerOf(turn: Turn, worth: Worth): Scorer {
  switch (turn.asked.case) {
    case "chooseTile":
      return tileScorer(turn, worth);
    case "choosePurchase":
      return purchaseScorer(turn, worth, turn.asked.value.terms === PurchaseTerms.THREE_FREE);
    case "chooseDisposal":
      return disposalScorer(turn, worth, turn.asked.value);
    default:
      return (action) => simpleScore(turn, worth, action);
  }
}

/** The score of an answer that needs nothing but itself and the view; one of an unknown kind is taken last. */
function simpleScore(turn: Turn, worth: Worth, { kind }: Action): number {
  switch (kind.case) {
    case "nameFounded":
      return founding(worth, kind.value.chain, FOUNDED_SIZE);
    case "nameSurvivor": {
      const chains = turn.asked.case === "chooseSurvivor" ? turn.asked.value.chains : [];
      return merger(worth, kind.value.chain, chains, 1 + sum((chain) => worth.size(chain), chains));
    }
    case "nameAcquired":
      return worth.mine(kind.value.chain);
    case "exchange":
      return kind.value.exchange ? 1 : 0;
    case "usePower":
      return powerScore(worth, kind.value.power);
    case "tradePair":
      return worth.bought(kind.value.give, -2) + worth.bought(kind.value.take, 1);
    case "reply":
      return kind.value.accept && turn.asked.case === "chooseReply" ? tradeScore(worth, turn.asked.value) : 0;
    case undefined:
      return -Infinity;
    default:
      return 0;
  }
}

function founding(worth: Worth, chain: number, size: number): number {
  return worth.lead(chain, priceAt(chain, size), worth.mine(chain) + (worth.market(chain) > 0 ? 1 : 0));
}

function growing(worth: Worth, chain: number, size: number): number {
  return worth.lead(chain, priceAt(chain, size), worth.mine(chain)) - worth.leadNow(chain);
}

function merger(worth: Worth, survivor: number, chains: readonly number[], size: number): number {
  const acquired = chains.filter((chain) => chain !== survivor);
  return growing(worth, survivor, size) + sum((chain) => worth.paidLead(chain) - worth.leadNow(chain), acquired);
}

/** What it is worth to place a tile; 0 if only a newer client knows what it does. */
function effectScore(worth: Worth, tile: TileChoice): number {
  switch (tile.kind) {
    case EffectKind.GROWS:
      return sum((chain) => growing(worth, chain, tile.size), tile.chains);
    case EffectKind.FOUNDS: {
      const free = Array.from({ length: CHAINS }, (_, chain) => chain).filter((chain) => worth.size(chain) === 0);
      return Math.max(...free.map((chain) => founding(worth, chain, tile.size)));
    }
    case EffectKind.MERGES:
      return Math.max(...tile.survivors.map((survivor) => merger(worth, survivor, tile.chains, tile.size)));
    default:
      return 0;
  }
}

function tileScorer(turn: Turn, worth: Worth): Scorer {
  const ending = worth.isAhead() ? ENDING : -ENDING;
  const bySquare = new Map(turn.tiles.map((tile) => [tile.square, effectScore(worth, tile)]));
  return ({ kind }) => {
    switch (kind.case) {
      case "place":
        return (bySquare.get(kind.value.square) ?? 0) + (kind.value.declare ? ending : 0);
      case "endPlacing":
        return 0;
      case "stopPlay":
        return STOPPING;
      default:
        return -Infinity;
    }
  };
}

/** What it is worth to buy 0, 1, 2 … shares of a chain; with `isLast`, in the game's last turn. */
function gains(worth: Worth, chain: number, isFree: boolean, isLast: boolean): number[] {
  const [price, held] = [worth.price(chain), worth.mine(chain)];
  const cost = isFree ? 0 : price;
  const growth = div(200 * worth.pile, 2 + worth.size(chain));
  return Array.from({ length: LARGEST_PURCHASE + 1 }, (_, count) =>
    isLast
      ? worth.closing(chain, held + count) - worth.closing(chain, held) - cost * count
      : worth.bought(chain, count) + (growth - cost) * count,
  );
}

function purchaseScorer(turn: Turn, worth: Worth, isFree: boolean): Scorer {
  const ending = worth.isAhead() ? ENDING : -ENDING;
  const chains = Array.from({ length: CHAINS }, (_, chain) => chain);
  const usual = chains.map((chain) => gains(worth, chain, isFree, false));
  const last = chains.map((chain) => gains(worth, chain, isFree, true));
  return ({ kind }) => {
    if (kind.case !== "buy") {
      return -Infinity;
    }
    const { shares, declare } = kind.value;
    const isLast = declare || turn.view.declared;
    const gain = sum((chain) => (isLast ? last : usual)[chain]?.[shares[chain] ?? 0] ?? 0);
    const cost = sum((chain) => worth.price(chain) * (shares[chain] ?? 0));
    const strain = isLast || isFree ? 0 : div(Math.max(RESERVE - worth.cash + cost, 0), 4);
    return gain + (declare ? ending : 0) - strain;
  };
}

function disposalScorer(turn: Turn, worth: Worth, { acquired, survivor }: ChooseDisposal): Scorer {
  const later = priceAt(survivor, worth.size(acquired) + worth.size(survivor) + 1);
  const owned = worth.mine(survivor);
  const before = worth.own(survivor, later, owned);
  const refounded = priceAt(acquired, FOUNDED_SIZE);
  return ({ kind }) => {
    if (kind.case !== "dispose") {
      return -Infinity;
    }
    const { sell, trade } = kind.value;
    const kept = worth.mine(acquired) - sell - trade;
    const hope = turn.view.declared ? 0 : div(worth.own(acquired, refounded, kept) * worth.pile, SQUARES);
    return sell * worth.price(acquired) + worth.own(survivor, later, owned + div(trade, 2)) - before + hope;
  };
}

function powerScore(worth: Worth, power: Power): number {
  const chains = Array.from({ length: CHAINS }, (_, chain) => chain);
  switch (power) {
    case Power.NONE:
      return 0;
    case Power.TAKE_FIVE:
    case Power.PLACE_FOUR:
      return 1;
    case Power.THREE_FREE: {
      const isDear = chains.some((chain) => worth.market(chain) >= 3 && worth.price(chain) >= FREE_PRICE);
      return worth.pile < LOW_PILE || isDear ? 1 : -1;
    }
    case Power.BUY_FIVE:
      return worth.cash >= RESERVE ? 1 : -1;
    case Power.TRADE_TWO:
      return -1;
    default:
      return -Infinity; // one that only a newer client knows
  }
}

/** What it is worth to accept an offer. */
function tradeScore(worth: Worth, { giveShares, giveCash, takeShares, takeCash }: ChooseReply): number {
  return giveCash - takeCash + sum((chain) => worth.bought(chain, (giveShares[chain] ?? 0) - (takeShares[chain] ?? 0)));
}
