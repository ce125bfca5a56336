/** Answers to questions: how they are made, and how they are compared. */

import { create, equals } from "@bufbuild/protobuf";

import { CHAINS } from "./board.js";
import { buy } from "./kinds/actions.js";
import { ActionSchema, type Action } from "./wire/actions_pb.js";

export * from "./kinds/actions.js";

/** What one side of a trade gives: seven counts by chain, and dollars. */
export interface Goods {
  readonly shares?: readonly number[];
  readonly cash?: number;
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
