package mergemaker.bots;

import io.github.mergemaker.v1.PurchaseTerms;
import java.util.List;
import java.util.Optional;
import mergemaker.Action;
import mergemaker.Answer;
import mergemaker.Bot;
import mergemaker.Question;
import mergemaker.TileEffect;
import mergemaker.Turn;
import mergemaker.View;

/**
 * Looks one turn ahead, and leaves nothing to chance: each answer has a score, and the first of the
 * highest is taken. The rule is in {@code clients/python/GREEDY.md}.
 */
public final class GreedyBot implements Bot {
  /** More than any other score: for the answers that declare the end. */
  private static final long ENDING = 100_000_000;

  private static final long STOPPING = -1_000_000_000;

  /** The size assumed for a chain that has just been founded, or may be again. */
  private static final int FOUNDED_SIZE = 2;

  private static final int LARGEST_PURCHASE = 5;
  private static final int SQUARES = 108;

  /** Dollars: spending below it counts a quarter more. */
  private static final long RESERVE = 3_000;

  /** It takes three free shares if three of this price can be had, or the pile is low. */
  private static final long FREE_PRICE = 400;

  private static final int FREE_SHARES = 3;
  private static final int LOW_PILE = 30;

  /** A bot for one match. */
  public GreedyBot() {}

  @Override
  public Answer answer(Turn turn) {
    if (turn.question() instanceof Question.ChooseOffer) {
      return Answer.index(0);
    }
    Scores scores = scores(turn);
    List<Action> answers = turn.answers().list();
    int best = 0;
    long highest = scores.of(answers.get(0));
    for (int index = 1; index < answers.size(); index++) {
      long score = scores.of(answers.get(index));
      if (score > highest) {
        best = index;
        highest = score;
      }
    }
    return Answer.index(best);
  }

  /** The score of each answer to a question. */
  private interface Scores {
    long of(Action action);
  }

  private static Scores scores(Turn turn) {
    Worth worth = new Worth(turn.view());
    Question question = turn.question();
    if (question instanceof Question.ChooseTile) {
      return tiles(turn, worth);
    } else if (question instanceof Question.ChoosePurchase purchase) {
      return purchases(turn, worth, purchase.terms() == PurchaseTerms.PURCHASE_TERMS_THREE_FREE);
    } else if (question instanceof Question.ChooseDisposal disposal) {
      return disposals(turn.view(), worth, disposal);
    }
    return action -> simple(turn, worth, action);
  }

  private static long simple(Turn turn, Worth worth, Action action) {
    View view = turn.view();
    if (action instanceof Action.NameFounded named) {
      return worth.founding(named.chain(), FOUNDED_SIZE);
    } else if (action instanceof Action.NameSurvivor named
        && turn.question() instanceof Question.ChooseSurvivor asked) {
      long size = 1 + asked.chains().stream().mapToLong(chain -> view.sizes().get(chain)).sum();
      return worth.merger(named.chain(), asked.chains(), size);
    } else if (action instanceof Action.NameAcquired named) {
      return worth.mine.get(named.chain());
    } else if (action instanceof Action.Exchange exchange) {
      return exchange.exchange() ? 1 : 0;
    } else if (action instanceof Action.UsePower use) {
      return power(view, worth, use);
    } else if (action instanceof Action.TradePair trade) {
      return worth.bought(trade.give(), -2) + worth.bought(trade.take(), 1);
    } else if (action instanceof Action.Reply reply
        && reply.accept()
        && turn.question() instanceof Question.ChooseReply offer) {
      return trade(worth, offer);
    }
    return 0;
  }

  // Tiles.

  private static Scores tiles(Turn turn, Worth worth) {
    long ending = ending(turn, worth);
    return action -> {
      if (action instanceof Action.Place place) {
        // A tile with an effect that only a newer library knows counts as one that lies alone.
        Optional<TileEffect> effect = turn.effect(place.square());
        long score = effect.isPresent() ? effect(turn.view(), worth, effect.get()) : 0;
        return score + (place.declare() ? ending : 0);
      }
      return action instanceof Action.EndPlacing ? 0 : STOPPING;
    };
  }

  private static long effect(View view, Worth worth, TileEffect effect) {
    long best = Long.MIN_VALUE;
    switch (effect.kind()) {
      case EFFECT_KIND_GROWS -> best = worth.growing(effect.chains().get(0), effect.size());
      case EFFECT_KIND_FOUNDS -> {
        for (int chain = 0; chain < Action.CHAINS; chain++) {
          if (view.sizes().get(chain) == 0) {
            best = Math.max(best, worth.founding(chain, effect.size()));
          }
        }
      }
      case EFFECT_KIND_MERGES -> {
        for (int survivor : effect.survivors()) {
          best = Math.max(best, worth.merger(survivor, effect.chains(), effect.size()));
        }
      }
      default -> best = 0;
    }
    return best;
  }

  private static long ending(Turn turn, Worth worth) {
    return turn.mayDeclare() && worth.isAhead() ? ENDING : -ENDING;
  }

  // Shares.

  private static Scores purchases(Turn turn, Worth worth, boolean isFree) {
    long[][] usual = new long[Action.CHAINS][];
    long[][] last = new long[Action.CHAINS][];
    for (int chain = 0; chain < Action.CHAINS; chain++) {
      usual[chain] = gains(turn.view(), worth, chain, isFree);
      last[chain] = lastGains(worth, chain, isFree);
    }
    long ending = ending(turn, worth);
    return action -> {
      Action.Buy buy = (Action.Buy) action;
      boolean isLast = buy.declare() || turn.view().declared();
      long score = buy.declare() ? ending : 0;
      long cost = 0;
      for (int chain = 0; chain < Action.CHAINS; chain++) {
        int count = buy.shares().get(chain);
        score += (isLast ? last : usual)[chain][count];
        cost += worth.price(chain) * count;
      }
      boolean isReserved = !isLast && !isFree;
      return score - (isReserved ? Math.max(RESERVE - worth.cash + cost, 0) / 4 : 0);
    };
  }

  /** What it is worth to buy 0, 1, 2 and more shares of a chain. */
  private static long[] gains(View view, Worth worth, int chain, boolean isFree) {
    long growth = 200L * view.pile() / (2 + view.sizes().get(chain));
    long cost = isFree ? 0 : worth.price(chain);
    long[] gains = new long[LARGEST_PURCHASE + 1];
    for (int count = 0; count < gains.length; count++) {
      gains[count] = worth.bought(chain, count) + (growth - cost) * count;
    }
    return gains;
  }

  /** The same in the game's last turn. */
  private static long[] lastGains(Worth worth, int chain, boolean isFree) {
    long held = worth.mine.get(chain);
    long cost = isFree ? 0 : worth.price(chain);
    long[] gains = new long[LARGEST_PURCHASE + 1];
    for (int count = 0; count < gains.length; count++) {
      gains[count] = worth.closing(chain, held + count) - worth.closing(chain, held) - cost * count;
    }
    return gains;
  }

  private static Scores disposals(View view, Worth worth, Question.ChooseDisposal asked) {
    int acquired = asked.acquired();
    int survivor = asked.survivor();
    long later =
        worth.priceAt(survivor, view.sizes().get(acquired) + view.sizes().get(survivor) + 1);
    long held = worth.mine.get(acquired);
    long owned = worth.mine.get(survivor);
    return action -> {
      Action.Dispose dispose = (Action.Dispose) action;
      long score =
          dispose.sell() * worth.price(acquired)
              + worth.own(survivor, later, owned + dispose.trade() / 2)
              - worth.own(survivor, later, owned);
      if (!view.declared()) {
        long kept = held - dispose.sell() - dispose.trade();
        long price = worth.priceAt(acquired, FOUNDED_SIZE);
        score += worth.own(acquired, price, kept) * view.pile() / SQUARES;
      }
      return score;
    };
  }

  // Powers and trades.

  private static long power(View view, Worth worth, Action.UsePower use) {
    return switch (use.power()) {
      case POWER_NONE -> 0;
      case POWER_TAKE_FIVE, POWER_PLACE_FOUR -> 1;
      case POWER_THREE_FREE -> {
        boolean isDear = false;
        for (int chain = 0; chain < Action.CHAINS; chain++) {
          isDear |= view.market().get(chain) >= FREE_SHARES && worth.price(chain) >= FREE_PRICE;
        }
        yield isDear || view.pile() < LOW_PILE ? 1 : -1;
      }
      case POWER_BUY_FIVE -> worth.cash >= RESERVE ? 1 : -1;
      case POWER_TRADE_TWO, POWER_UNSPECIFIED, UNRECOGNIZED -> -1;
    };
  }

  private static long trade(Worth worth, Question.ChooseReply offer) {
    long score = (long) offer.giveCash() - offer.takeCash();
    for (int chain = 0; chain < Action.CHAINS; chain++) {
      score += worth.bought(chain, offer.giveShares().get(chain) - offer.takeShares().get(chain));
    }
    return score;
  }
}
