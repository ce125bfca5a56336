package mergemaker;

import java.util.List;
import java.util.function.LongFunction;

/**
 * Every legal answer to a question, in the documented order. There are millions of offers: each is
 * made on request, and they cannot be listed.
 */
public final class Answers {
  private final long count;
  private final LongFunction<Action> at;

  private Answers(long count, LongFunction<Action> at) {
    this.count = count;
    this.at = at;
  }

  static Answers listed(List<Action> actions) {
    return new Answers(actions.size(), new Listed(List.copyOf(actions)));
  }

  static Answers computed(long count, LongFunction<Action> at) {
    return new Answers(count, at);
  }

  private record Listed(List<Action> actions) implements LongFunction<Action> {
    @Override
    public Action apply(long index) {
      return actions.get((int) index);
    }
  }

  /**
   * How many there are.
   *
   * @return at least 1
   */
  public long count() {
    return count;
  }

  /**
   * The answer with this index.
   *
   * @param index from 0
   * @return the action
   */
  public Action get(long index) {
    if (index < 0 || index >= count) {
      throw new BotException(
          "bad-index", "there are answers 0 to " + (count - 1) + ", not " + index);
    }
    return at.apply(index);
  }

  /**
   * All of them, for any question except that for an offer.
   *
   * @return by index
   */
  public List<Action> list() {
    if (at instanceof Listed listed) {
      return listed.actions();
    }
    throw new BotException(
        "too-many-answers", "there are " + count + " offers: take one by its index");
  }
}
