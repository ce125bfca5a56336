package mergemaker;

import io.github.mergemaker.v1.OfferBounds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * All offers that can be made, none of which is listed: an offer is eight numbers, one for each
 * chain and one for cash, and what is counted is in how many ways they can be chosen.
 */
final class Offers {
  private static final int PLACES = Action.CHAINS + 1;
  private static final int CASH = Action.CHAINS;

  private final OfferBounds bounds;

  /** By place: the most that can be given. */
  private final long[] most = new long[PLACES];

  /** By place: the most that can be asked for. */
  private final long[] asked = new long[PLACES];

  /** By place, by whether something is given before, and whether something is asked for before. */
  private final long[][][] ways = new long[PLACES + 1][2][2];

  Offers(OfferBounds bounds, List<Integer> held) {
    this.bounds = bounds;
    for (int chain = 0; chain < Action.CHAINS; chain++) {
      most[chain] = held.get(chain);
      asked[chain] = Integer.toUnsignedLong(bounds.getAskedSharesMax());
    }
    most[CASH] = Integer.toUnsignedLong(bounds.getCashSteps());
    asked[CASH] = Integer.toUnsignedLong(bounds.getAskedCashStepsMax());
    ways[PLACES][1][1] = 1;
    for (int place = PLACES - 1; place >= 0; place--) {
      long[][] after = ways[place + 1];
      for (int given = 0; given < 2; given++) {
        for (int wanted = 0; wanted < 2; wanted++) {
          long giving = Math.multiplyExact(most[place], after[1][wanted]);
          long asking = Math.multiplyExact(asked[place], after[given][1]);
          ways[place][given][wanted] =
              Math.addExact(after[given][wanted], Math.addExact(giving, asking));
        }
      }
    }
  }

  long count() {
    return Math.addExact(1, Math.multiplyExact((long) bounds.getPartnersCount(), ways[0][0][0]));
  }

  Action at(long index) {
    if (index == 0) {
      return new Action.NoOffer();
    }
    long each = ways[0][0][0];
    int partner = bounds.getPartners((int) ((index - 1) / each));
    long rest = (index - 1) % each;
    List<Integer> gives = new ArrayList<>(Collections.nCopies(PLACES, 0));
    List<Integer> takes = new ArrayList<>(Collections.nCopies(PLACES, 0));
    int given = 0;
    int wanted = 0;
    for (int place = 0; place < PLACES; place++) {
      long[][] after = ways[place + 1];
      if (rest < after[given][wanted]) {
        continue;
      }
      rest -= after[given][wanted];
      if (rest < most[place] * after[1][wanted]) {
        gives.set(place, (int) (1 + rest / after[1][wanted]));
        rest %= after[1][wanted];
        given = 1;
      } else {
        rest -= most[place] * after[1][wanted];
        takes.set(place, (int) (1 + rest / after[given][1]));
        rest %= after[given][1];
        wanted = 1;
      }
    }
    int step = bounds.getCashStep();
    return new Action.OfferTrade(
        partner,
        gives.subList(0, Action.CHAINS),
        gives.get(CASH) * step,
        takes.subList(0, Action.CHAINS),
        takes.get(CASH) * step);
  }
}
