package mergemaker;

import io.github.mergemaker.v1.Power;
import java.util.Collections;
import java.util.List;

/**
 * Something that can be done at a turn. Squares are numbered 0 to 107 along the rows (12A is 11, 1B
 * is 12), chains 0 to 6 in the order of {@link Turn#names()}.
 */
public sealed interface Action extends Answer {
  /** How many chains there are. */
  int CHAINS = 7;

  /** No share of any chain. */
  List<Integer> NO_SHARES = Collections.nCopies(CHAINS, 0);

  /**
   * Places a tile.
   *
   * @param square a square of the hand
   * @param declare whether the end is declared first
   */
  record Place(int square, boolean declare) implements Action {}

  /** Declares the end and stops at once, instead of placing a tile. */
  record StopPlay() implements Action {}

  /** Places no more tiles in this turn. */
  record EndPlacing() implements Action {}

  /**
   * Gives the founded chain its name.
   *
   * @param chain one that is not on the board
   */
  record NameFounded(int chain) implements Action {}

  /**
   * Names the chain that survives a merger of equals.
   *
   * @param chain one of the largest
   */
  record NameSurvivor(int chain) implements Action {}

  /**
   * Names the next of several equal chains to be settled.
   *
   * @param chain one of the largest of those still to be settled
   */
  record NameAcquired(int chain) implements Action {}

  /**
   * Sells some shares of an acquired chain, gives up others two for one, and keeps the rest.
   *
   * @param sell how many are sold
   * @param trade how many are given up: an even number
   */
  record Dispose(int sell, int trade) implements Action {}

  /**
   * Buys shares, or none.
   *
   * @param shares seven counts, by chain; an empty list buys nothing
   * @param declare whether the end is declared first
   */
  record Buy(List<Integer> shares, boolean declare) implements Action {
    /** Writes an empty list out. */
    public Buy {
      shares = sevenCounts(shares);
    }
  }

  /**
   * Exchanges all dead tiles of the hand, or keeps them.
   *
   * @param exchange whether they are exchanged
   */
  record Exchange(boolean exchange) implements Action {}

  /**
   * Uses a special power, or none.
   *
   * @param power which one; {@code POWER_NONE}: none
   */
  record UsePower(Power power) implements Action {}

  /**
   * Gives two shares of a chain to the market for one of another.
   *
   * @param give the chain of which two are given
   * @param take the chain of which one is taken
   */
  record TradePair(int give, int take) implements Action {}

  /** Makes no more such trades. */
  record EndTrading() implements Action {}

  /** Offers nothing, or nothing more, in this turn. */
  record NoOffer() implements Action {}

  /**
   * Offers a trade. A chain stands on one side at most, and so does cash; no side is empty.
   *
   * @param partner the seat to which it is offered
   * @param giveShares seven counts: what the offerer gives; an empty list gives none
   * @param giveCash dollars that the offerer gives
   * @param takeShares seven counts: what the offerer asks for; an empty list asks for none
   * @param takeCash dollars that the offerer asks for
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
   * Answers an offer.
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
