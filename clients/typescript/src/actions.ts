/** Answers to questions: how they are made, and how they are compared. */

import { create, equals } from "@bufbuild/protobuf";

import { CHAINS } from "./board.js";
import { ActionSchema, type Action, type Power } from "./wire/actions_pb.js";

/** What one side of a trade gives: seven counts by chain, and dollars. */
export interface Goods {
  readonly shares?: readonly number[];
  readonly cash?: number;
}

/** Places a tile; with `declare`, the end is declared first. */
export function place(square: number, declare = false): Action {
  return create(ActionSchema, { kind: { case: "place", value: { square, declare } } });
}

/** Declares the end and stops at once. */
export function stopPlay(): Action {
  return create(ActionSchema, { kind: { case: "stopPlay", value: {} } });
}

/** Places no more tiles in this turn. */
export function endPlacing(): Action {
  return create(ActionSchema, { kind: { case: "endPlacing", value: {} } });
}

/** Gives the founded chain its name. */
export function nameFounded(chain: number): Action {
  return create(ActionSchema, { kind: { case: "nameFounded", value: { chain } } });
}

/** Names the chain that survives a merger of equals. */
export function nameSurvivor(chain: number): Action {
  return create(ActionSchema, { kind: { case: "nameSurvivor", value: { chain } } });
}

/** Names the chain that is settled next. */
export function nameAcquired(chain: number): Action {
  return create(ActionSchema, { kind: { case: "nameAcquired", value: { chain } } });
}

/** Sells so many shares of an acquired chain, gives up others two for one, and keeps the rest. */
export function dispose(sell: number, trade: number): Action {
  return create(ActionSchema, { kind: { case: "dispose", value: { sell, trade } } });
}

/** Buys shares: seven counts, by chain. */
export function buy(shares: readonly number[], declare = false): Action {
  return create(ActionSchema, { kind: { case: "buy", value: { shares: [...shares], declare } } });
}

/** Exchanges all dead tiles, or keeps them. */
export function exchange(doExchange: boolean): Action {
  return create(ActionSchema, { kind: { case: "exchange", value: { exchange: doExchange } } });
}

/** Uses a special power; `Power.NONE` is none. */
export function usePower(power: Power): Action {
  return create(ActionSchema, { kind: { case: "usePower", value: { power } } });
}

/** Gives two shares of a chain to the market for one of another. */
export function tradePair(give: number, take: number): Action {
  return create(ActionSchema, { kind: { case: "tradePair", value: { give, take } } });
}

/** Makes no more such trades. */
export function endTrading(): Action {
  return create(ActionSchema, { kind: { case: "endTrading", value: {} } });
}

/** Offers no trade, or no more. */
export function noOffer(): Action {
  return create(ActionSchema, { kind: { case: "noOffer", value: {} } });
}

/** Offers a trade to the player of another seat. */
export function offerTrade(partner: number, give: Goods, take: Goods): Action {
  const value = {
    partner,
    giveShares: [...(give.shares ?? NONE)],
    giveCash: give.cash ?? 0,
    takeShares: [...(take.shares ?? NONE)],
    takeCash: take.cash ?? 0,
  };
  return create(ActionSchema, { kind: { case: "offerTrade", value } });
}

/** Accepts an offer, or declines it. */
export function reply(accept: boolean): Action {
  return create(ActionSchema, { kind: { case: "reply", value: { accept } } });
}

const NONE: readonly number[] = Array.from({ length: CHAINS }, () => 0);

/** Whether an answer declares the end. */
export function declaresEnd(action: Action): boolean {
  const kind = action.kind;
  return kind.case === "stopPlay" || ((kind.case === "place" || kind.case === "buy") && kind.value.declare);
}

/** Whether two answers are the same to the engine: an empty list of shares stands for seven times 0. */
export function sameAction(one: Action, other: Action): boolean {
  return one.kind.case !== undefined && equals(ActionSchema, writtenOut(one), writtenOut(other));
}

function writtenOut(action: Action): Action {
  const kind = action.kind;
  const filled = (shares: readonly number[]): readonly number[] => (shares.length === 0 ? NONE : shares);
  if (kind.case === "buy") {
    return buy(filled(kind.value.shares), kind.value.declare);
  }
  if (kind.case === "offerTrade") {
    const { partner, giveShares, giveCash, takeShares, takeCash } = kind.value;
    const give = { shares: filled(giveShares), cash: giveCash };
    return offerTrade(partner, give, { shares: filled(takeShares), cash: takeCash });
  }
  return action;
}
