package mergemaker.bots;

import java.util.List;
import java.util.stream.IntStream;
import mergemaker.Action;
import mergemaker.View;

/**
 * What a view's stock is worth to its seat: the numbers that {@code clients/python/GREEDY.md}
 * defines. All are whole, and no dividend is negative.
 */
final class Worth {
  private static final long BONUS_SHARES = 15;

  /** Shares, squared, that nobody has yet and that may still end a lead. */
  private static final long DOUBT = 16;

  private static final long SHARES_PER_CHAIN = 25;
  private static final int CHEAP_CHAINS = 2;
  private static final int CHEAP_AND_MIDDLE_CHAINS = 5;
  private static final int[] ROWS = {3, 4, 5, 6, 11, 21, 31, 41};

  private final View view;
  final long cash;
  final List<Integer> mine;
  private final long rivals;

  /** By chain: the shares that all others have together. */
  private final long[] rest = new long[Action.CHAINS];

  /** By chain: the two largest holdings of one other seat each. */
  private final Tops[] tops = new Tops[Action.CHAINS];

  private record Tops(long first, long second) {}

  Worth(View view) {
    this.view = view;
    View.Player own = view.players().get(view.seat());
    cash = own.cash().orElseThrow();
    mine = own.shares().orElseThrow();
    rivals = view.seats() - 1L;
    boolean isShown = view.players().stream().allMatch(player -> player.shares().isPresent());
    for (int chain = 0; chain < Action.CHAINS; chain++) {
      rest[chain] = SHARES_PER_CHAIN - view.market().get(chain) - mine.get(chain);
      tops[chain] = isShown ? shownTops(chain, view.seat()) : guessedTops(rest[chain]);
    }
  }

  private Tops shownTops(int chain, int seat) {
    long first = 0;
    long second = 0;
    for (int other = 0; other < view.seats(); other++) {
      if (other != seat) {
        long held = view.players().get(other).shares().orElseThrow().get(chain);
        second = Math.max(second, Math.min(first, held));
        first = Math.max(first, held);
      }
    }
    return new Tops(first, second);
  }

  private Tops guessedTops(long rest) {
    long first = rivals == 1 ? rest : (2 * rest + 2) / 3;
    return new Tops(first, rest - first);
  }

  long price(int chain) {
    return view.prices().get(chain);
  }

  long priceAt(int chain, long size) {
    if (size < 2) {
      return 0;
    }
    long tier = chain < CHEAP_CHAINS ? 0 : chain < CHEAP_AND_MIDDLE_CHAINS ? 1 : 2;
    long row = 0;
    for (int from : ROWS) {
      row += from <= size ? 1 : 0;
    }
    return 100 * (2 + row + tier);
  }

  private static long bonusNow(long price, long held, Tops tops) {
    if (held == 0 || held < tops.second()) {
      return 0;
    } else if (tops.first() == 0) {
      return 15 * price;
    } else if (held > tops.first()) {
      return 10 * price;
    } else if (held == tops.first()) {
      return held == tops.second() ? 5 * price : 15 * price / 2;
    }
    return held == tops.second() ? 5 * price / 2 : 5 * price;
  }

  private static long hoped(long price, long held, Tops tops) {
    long squares = held * held + tops.first() * tops.first() + tops.second() * tops.second();
    long part = BONUS_SHARES * price * held * held / (squares + DOUBT);
    return (part + bonusNow(price, held, tops)) / 2;
  }

  private static long rivalsHope(long price, long held, Tops tops) {
    long others = tops.first() * tops.first() + tops.second() * tops.second();
    long part = BONUS_SHARES * price * others / (held * held + others + DOUBT);
    long paid = held > 0 || tops.first() > 0 ? BONUS_SHARES * price : 0;
    return (part + paid - bonusNow(price, held, tops)) / 2;
  }

  /** What this many shares of a chain are worth to this seat at a price. */
  long own(int chain, long price, long held) {
    return price * held + hoped(price, held, tops[chain]);
  }

  /** How much more the shares of a chain are worth with this many more; fewer, if negative. */
  long bought(int chain, long count) {
    long held = mine.get(chain);
    return own(chain, price(chain), held + count) - own(chain, price(chain), held);
  }

  private long lead(int chain, long price, long held) {
    long against = price * rest[chain] + rivalsHope(price, held, tops[chain]);
    return rivals * own(chain, price, held) - against;
  }

  private long leadNow(int chain) {
    return lead(chain, price(chain), mine.get(chain));
  }

  private long paidLead(int chain) {
    long price = price(chain);
    long held = mine.get(chain);
    long bonus = bonusNow(price, held, tops[chain]);
    long paid = held + rest[chain] > 0 ? BONUS_SHARES * price : 0;
    return rivals * (price * held + bonus) - (price * rest[chain] + paid - bonus);
  }

  /** What this many shares of a chain would bring if the game ended now. */
  long closing(int chain, long held) {
    return price(chain) * held + bonusNow(price(chain), held, tops[chain]);
  }

  /** What it is worth to found a chain of this size, with the founder's share. */
  long founding(int chain, long size) {
    long held = mine.get(chain) + (view.market().get(chain) > 0 ? 1L : 0L);
    return lead(chain, priceAt(chain, size), held);
  }

  /** What it is worth that a chain grows to this size. */
  long growing(int chain, long size) {
    return lead(chain, priceAt(chain, size), mine.get(chain)) - leadNow(chain);
  }

  /** What it is worth that one of these chains takes the others over and has this size then. */
  long merger(int survivor, List<Integer> chains, long size) {
    long worth = growing(survivor, size);
    for (int chain : chains) {
      worth += chain == survivor ? 0 : paidLead(chain) - leadNow(chain);
    }
    return worth;
  }

  /** Whether nobody would have more if the game ended now, as far as the view tells. */
  boolean isAhead() {
    for (View.Player player : view.players()) {
      if (player.shares().isEmpty() || player.cash().isEmpty()) {
        return seemsAhead();
      }
    }
    long own = total(view.seat());
    return IntStream.range(0, view.seats()).allMatch(seat -> total(seat) <= own);
  }

  private long total(int seat) {
    View.Player player = view.players().get(seat);
    long total = player.cash().orElseThrow();
    for (int chain = 0; chain < Action.CHAINS; chain++) {
      long held = player.shares().orElseThrow().get(chain);
      total += price(chain) * held + bonusNow(price(chain), held, shownTops(chain, seat));
    }
    return total;
  }

  private boolean seemsAhead() {
    long own = 0;
    long all = 0;
    for (int chain = 0; chain < Action.CHAINS; chain++) {
      long out = mine.get(chain) + rest[chain];
      own += closing(chain, mine.get(chain));
      all += out > 0 ? price(chain) * (out + BONUS_SHARES) : 0;
    }
    return own * view.seats() * 5 >= all * 6;
  }
}
