// Made by tools/project/generate_sdks.py from the .proto files. Do not edit it.
package mergemaker;

import io.github.mergemaker.v1.Power;
import java.util.Collections;
import java.util.List;

/**
 * An answer to a question. Squares are numbered 0 to 107 along the rows (12A is 11, 1B is 12),
 * chains 0 to 6 in the order of {@link Turn#names()}.
 */
public sealed interface Action extends Answer {
  /** The number of chains. */
  int CHAINS = 7;

  /** No share of any chain. */
  List<Integer> NO_SHARES = Collections.nCopies(CHAINS, 0);

  /**
   * Place a tile (PLC-1).
   *
   * @param square a square of the hand: 0 to 107
   * @param declare whether the end is declared first (END-2)
   */
  record Place(int square, boolean declare) implements Action {}

  /** Declare the end and stop at once, instead of placing a tile (END-2). */
  record StopPlay() implements Action {}

  /** Place no more tiles in this turn (PWR-5). */
  record EndPlacing() implements Action {}

  /**
   * Give the founded chain its name (FND-1).
   *
   * @param chain a chain that is not on the board: 0 to 6
   */
  record NameFounded(int chain) implements Action {}

  /**
   * Name the chain that survives a merger of equals (MRG-2).
   *
   * @param chain one of the largest chains of the merger
   */
  record NameSurvivor(int chain) implements Action {}

  /**
   * Name the next of several equal chains to be settled (MRG-4).
   *
   * @param chain one of the largest of those that are still to be settled
   */
  record NameAcquired(int chain) implements Action {}

  /**
   * Sell some shares of an acquired chain, give up others two for one, and keep the rest (MRG-6).
   *
   * @param sell how many are sold: 0 to 25
   * @param trade how many are given up, two for each share of the survivor: an even number
   */
  record Dispose(int sell, int trade) implements Action {}

  /**
   * Buy shares, or none (BUY-1).
   *
   * @param shares seven counts, by chain. An empty list buys nothing
   * @param declare whether the end is declared first (END-2)
   */
  record Buy(List<Integer> shares, boolean declare) implements Action {
    /** Writes empty lists out. */
    public Buy {
      shares = sevenCounts(shares);
    }
  }

  /**
   * Exchange all dead tiles of the hand, or keep them (DRW-2).
   *
   * @param exchange whether they are exchanged
   */
  record Exchange(boolean exchange) implements Action {}

  /**
   * Use a special power, or none (PWR-1).
   *
   * @param power which one, or {@code POWER_NONE}. Unspecified: refused as unreadable
   */
  record UsePower(Power power) implements Action {}

  /**
   * Give two shares of a chain to the market for one of another (PWR-4).
   *
   * @param give the chain of which two are given
   * @param take the chain of which one is taken
   */
  record TradePair(int give, int take) implements Action {}

  /** Make no more trades with this power (PWR-4). */
  record EndTrading() implements Action {}

  /** Offer nothing, or nothing more, in this turn (TRD-1). */
  record NoOffer() implements Action {}

  /**
   * Offer a trade (TRD-1, TRD-3). A chain stands on one side at most, and so does cash; no side is
   * empty.
   *
   * @param partner the seat to which it is offered
   * @param giveShares seven counts, by chain: what the offerer gives. An empty list gives none
   * @param giveCash dollars that the offerer gives: a multiple of 100, at most 100,000
   * @param takeShares seven counts, by chain: what the offerer asks for. An empty list asks for
   *     none
   * @param takeCash dollars that the offerer asks for: a multiple of 100, at most 100,000
   */
  record OfferTrade(
      int partner, List<Integer> giveShares, int giveCash, List<Integer> takeShares, int takeCash)
      implements Action {
    /** Writes empty lists out. */
    public OfferTrade {
      giveShares = sevenCounts(giveShares);
      takeShares = sevenCounts(takeShares);
    }
  }

  /**
   * Answer an offer (TRD-1).
   *
   * @param accept whether it is accepted
   */
  record Reply(boolean accept) implements Action {}

  private static List<Integer> sevenCounts(List<Integer> counts) {
    if (counts.isEmpty()) {
      return NO_SHARES;
    }
    if (counts.size() != CHAINS) {
      throw new BotException(
          "not-seven-counts", "shares are " + CHAINS + " counts, by chain, not " + counts);
    }
    return List.copyOf(counts);
  }
}
