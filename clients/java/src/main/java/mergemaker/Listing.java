package mergemaker;

import io.github.mergemaker.v1.DisposalBounds;
import io.github.mergemaker.v1.LegalAnswers;
import io.github.mergemaker.v1.OfferBounds;
import io.github.mergemaker.v1.PurchaseBounds;
import java.util.ArrayList;
import java.util.List;

/** Lists legal answers from their bounds, in the documented order. */
final class Listing {
  /** Bounds that allow more are not those of this protocol, and would not fit into memory. */
  static final int PURCHASE_MAX = 5;

  private static final int SHORT_PURCHASE_MAX = 3;
  private static final int HELD_MAX = 108;

  private Listing() {}

  /** The legal answers that a message stands for. */
  static Answers of(LegalAnswers message) throws UnreadableException {
    Answers answers =
        switch (message.getKindCase()) {
          case LISTED -> Answers.listed(Reading.actions(message.getListed().getActionsList()));
          case PURCHASE -> Answers.listed(purchases(message.getPurchase()));
          case DISPOSAL -> Answers.listed(disposals(message.getDisposal()));
          case OFFER -> offers(message.getOffer());
          case KIND_NOT_SET -> throw new UnreadableException("answers of an unknown kind");
        };
    if (answers.count() != message.getCount()) {
      throw new UnreadableException(
          "there should be "
              + Long.toUnsignedString(message.getCount())
              + " answers, and listed are "
              + answers.count());
    }
    return answers;
  }

  private static List<Action> purchases(PurchaseBounds bounds) throws UnreadableException {
    if (bounds.getCountMax() < 0 || bounds.getCountMax() > PURCHASE_MAX) {
      throw new UnreadableException("purchases of up to " + bounds.getCountMax() + " shares");
    }
    Purchases all =
        new Purchases(
            Reading.byChain(bounds.getPricesList(), "prices"),
            Reading.byChain(bounds.getMarketList(), "market"),
            bounds.hasCash() ? bounds.getCash() : Long.MAX_VALUE);
    List<List<Integer>> few = new ArrayList<>();
    List<List<Integer>> many = new ArrayList<>();
    for (int length = bounds.getCountMin(); length <= bounds.getCountMax(); length++) {
      all.list(length, 0, length <= SHORT_PURCHASE_MAX ? few : many);
    }
    List<Action> actions = new ArrayList<>();
    for (List<List<Integer>> part : List.of(few, many)) {
      part.forEach(shares -> actions.add(new Action.Buy(shares, false)));
      if (bounds.getDeclare()) {
        part.forEach(shares -> actions.add(new Action.Buy(shares, true)));
      }
    }
    return actions;
  }

  /** Lists purchases of a length as ascending lists of chains, in the order of these lists. */
  private static final class Purchases {
    private final List<Integer> prices;
    private final List<Integer> market;
    private final int[] counts = new int[Action.CHAINS];
    private long left;

    Purchases(List<Integer> prices, List<Integer> market, long cash) {
      this.prices = prices;
      this.market = market;
      this.left = cash;
    }

    void list(int length, int first, List<List<Integer>> into) {
      if (length == 0) {
        List<Integer> shares = new ArrayList<>(Action.CHAINS);
        for (int count : counts) {
          shares.add(count);
        }
        into.add(shares);
        return;
      }
      for (int chain = first; chain < Action.CHAINS; chain++) {
        if (counts[chain] < market.get(chain) && prices.get(chain) <= left) {
          counts[chain]++;
          left -= prices.get(chain);
          list(length - 1, chain, into);
          left += prices.get(chain);
          counts[chain]--;
        }
      }
    }
  }

  private static List<Action> disposals(DisposalBounds bounds) throws UnreadableException {
    int held = bounds.getHeld();
    int tradeMax = (int) Math.min(held, 2L * bounds.getPairsMax());
    if (held < 0 || held > HELD_MAX || bounds.getPairsMax() < 0) {
      throw new UnreadableException("disposals of " + Integer.toUnsignedString(held) + " shares");
    }
    List<Action> actions = new ArrayList<>();
    for (int sell = 0; sell <= held; sell++) {
      for (int trade = 0; sell + trade <= held && trade <= tradeMax; trade += 2) {
        actions.add(new Action.Dispose(sell, trade));
      }
    }
    return actions;
  }

  private static Answers offers(OfferBounds bounds) throws UnreadableException {
    try {
      Offers offers = new Offers(bounds, Reading.byChain(bounds.getHeldList(), "held"));
      return Answers.computed(offers.count(), offers::at);
    } catch (ArithmeticException error) {
      throw new UnreadableException("more offers than 63 bits can count", error);
    }
  }
}
