/** A bot's handlers. Made by tools/project/generate_sdks.py from the .proto files. Do not edit it. */

import type { Handler } from "../bot.js";

/** One handler for each kind of question. */
export interface Handlers {
  /** Place a tile. */
  chooseTile?: Handler<"chooseTile">;
  /** Name the founded chain. */
  chooseFounded?: Handler<"chooseFounded">;
  /** Name the survivor of a merger of equals. */
  chooseSurvivor?: Handler<"chooseSurvivor">;
  /** Name the chain that is settled next. */
  chooseAcquired?: Handler<"chooseAcquired">;
  /** Keep, sell and trade shares of an acquired chain. */
  chooseDisposal?: Handler<"chooseDisposal">;
  /** Buy shares, or none. */
  choosePurchase?: Handler<"choosePurchase">;
  /** Exchange dead tiles, or keep them. */
  chooseExchange?: Handler<"chooseExchange">;
  /** Use a special power, or none. */
  choosePower?: Handler<"choosePower">;
  /** Trade two shares for one with the market. */
  choosePairTrade?: Handler<"choosePairTrade">;
  /** Offer a trade to another player. */
  chooseOffer?: Handler<"chooseOffer">;
  /** Accept or decline a trade. */
  chooseReply?: Handler<"chooseReply">;
}
