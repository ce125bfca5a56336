/** Actions, by kind. Made by tools/project/generate_sdks.py from the .proto files. Do not edit it. */

import { create } from "@bufbuild/protobuf";

import { ActionSchema, type Action, type Power } from "../wire/actions_pb.js";

/**
 * Place a tile (PLC-1).
 *
 * @param square a square of the hand: 0 to 107
 * @param declare whether the end is declared first (END-2)
 */
export function place(square: number, declare = false): Action {
  return create(ActionSchema, { kind: { case: "place", value: { square, declare } } });
}

/** Declare the end and stop at once, instead of placing a tile (END-2). */
export function stopPlay(): Action {
  return create(ActionSchema, { kind: { case: "stopPlay", value: {} } });
}

/** Place no more tiles in this turn (PWR-5). */
export function endPlacing(): Action {
  return create(ActionSchema, { kind: { case: "endPlacing", value: {} } });
}

/**
 * Give the founded chain its name (FND-1).
 *
 * @param chain a chain that is not on the board: 0 to 6
 */
export function nameFounded(chain: number): Action {
  return create(ActionSchema, { kind: { case: "nameFounded", value: { chain } } });
}

/**
 * Name the chain that survives a merger of equals (MRG-2).
 *
 * @param chain one of the largest chains of the merger
 */
export function nameSurvivor(chain: number): Action {
  return create(ActionSchema, { kind: { case: "nameSurvivor", value: { chain } } });
}

/**
 * Name the next of several equal chains to be settled (MRG-4).
 *
 * @param chain one of the largest of those that are still to be settled
 */
export function nameAcquired(chain: number): Action {
  return create(ActionSchema, { kind: { case: "nameAcquired", value: { chain } } });
}

/**
 * Sell some shares of an acquired chain, give up others two for one, and keep the rest (MRG-6).
 *
 * @param sell how many are sold: 0 to 25
 * @param trade how many are given up, two for each share of the survivor: an even number
 */
export function dispose(sell: number, trade: number): Action {
  return create(ActionSchema, { kind: { case: "dispose", value: { sell, trade } } });
}

/**
 * Buy shares, or none (BUY-1).
 *
 * @param shares seven counts, by chain. An empty list buys nothing
 * @param declare whether the end is declared first (END-2)
 */
export function buy(shares: readonly number[], declare = false): Action {
  return create(ActionSchema, { kind: { case: "buy", value: { shares: [...shares], declare } } });
}

/**
 * Exchange all dead tiles of the hand, or keep them (DRW-2).
 *
 * @param exchange whether they are exchanged
 */
export function exchange(isDone: boolean): Action {
  return create(ActionSchema, { kind: { case: "exchange", value: { exchange: isDone } } });
}

/**
 * Use a special power, or none (PWR-1).
 *
 * @param power which one, or `POWER_NONE`. Unspecified: refused as unreadable
 */
export function usePower(power: Power): Action {
  return create(ActionSchema, { kind: { case: "usePower", value: { power } } });
}

/**
 * Give two shares of a chain to the market for one of another (PWR-4).
 *
 * @param give the chain of which two are given
 * @param take the chain of which one is taken
 */
export function tradePair(give: number, take: number): Action {
  return create(ActionSchema, { kind: { case: "tradePair", value: { give, take } } });
}

/** Make no more trades with this power (PWR-4). */
export function endTrading(): Action {
  return create(ActionSchema, { kind: { case: "endTrading", value: {} } });
}

/** Offer nothing, or nothing more, in this turn (TRD-1). */
export function noOffer(): Action {
  return create(ActionSchema, { kind: { case: "noOffer", value: {} } });
}

/**
 * Answer an offer (TRD-1).
 *
 * @param accept whether it is accepted
 */
export function reply(accept: boolean): Action {
  return create(ActionSchema, { kind: { case: "reply", value: { accept } } });
}
