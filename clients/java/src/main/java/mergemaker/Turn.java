package mergemaker;

import io.github.mergemaker.v1.Event;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One question to a bot: what is asked, what may be answered, and what the seat knows.
 *
 * @param match the match
 * @param number the decision's id: counts the questions to this seat
 * @param view all that the seat may know
 * @param question what is asked
 * @param answers every legal answer, in the documented order
 * @param defaultIndex the index of what the referee takes when no answer comes
 * @param effects when a tile is asked for: what each tile that can be placed would do; those of a
 *     kind that only a newer library knows are left out
 * @param events what happened since the bot was last asked
 * @param timeLeftMs milliseconds for this answer, bank included; empty without a limit
 * @param bankMs what of it is the bank's
 */
public record Turn(
    MatchInfo match,
    long number,
    View view,
    Question question,
    Answers answers,
    long defaultIndex,
    List<TileEffect> effects,
    List<Event> events,
    OptionalLong timeLeftMs,
    OptionalLong bankMs) {

  /**
   * What the referee takes when no answer comes.
   *
   * @return the action
   */
  public Action defaultAnswer() {
    return answers.get(defaultIndex);
  }

  /**
   * The bot's own seat.
   *
   * @return from 0
   */
  public int seat() {
    return match.seat();
  }

  /**
   * The bot's own cash.
   *
   * @return dollars
   */
  public int cash() {
    return view.players().get(seat()).cash().orElseThrow();
  }

  /**
   * The bot's own shares.
   *
   * @return seven counts, by chain
   */
  public List<Integer> mine() {
    return view.players().get(seat()).shares().orElseThrow();
  }

  /**
   * The names of the chains.
   *
   * @return seven names, by number
   */
  public List<String> names() {
    return match.rules().getChainNamesList();
  }

  /**
   * The number of the chain with this name.
   *
   * @param name such as {@code Tower}
   * @return 0 to 6
   */
  public int chain(String name) {
    int chain = names().indexOf(name);
    if (chain < 0) {
      throw new BotException(
          "no-such-chain", "a chain is one of " + String.join(", ", names()) + ", not " + name);
    }
    return chain;
  }

  /**
   * What a share of a chain costs now.
   *
   * @param name such as {@code Tower}
   * @return dollars; 0 while it is not on the board
   */
  public int price(String name) {
    return view.prices().get(chain(name));
  }

  /**
   * What a tile would do.
   *
   * @param square a tile that can be placed
   * @return its effect; empty for another tile, and if the effect is of a kind that only a newer
   *     library knows
   */
  public Optional<TileEffect> effect(int square) {
    return effects.stream().filter(effect -> effect.square() == square).findFirst();
  }

  /**
   * Whether this answer may declare the end.
   *
   * @return whether some of the answers do
   */
  public boolean mayDeclare() {
    boolean isAsked =
        question instanceof Question.ChooseTile || question instanceof Question.ChoosePurchase;
    return isAsked && view.endAllowed() && !view.declared();
  }

  /**
   * A purchase of these shares of each chain, as in {@code Map.of("Tower", 2)}.
   *
   * @param shares counts by name
   * @return the action
   */
  public Action.Buy buy(Map<String, Integer> shares) {
    List<Integer> counts = new ArrayList<>(Collections.nCopies(Action.CHAINS, 0));
    shares.forEach((name, count) -> counts.set(chain(name), count));
    return new Action.Buy(counts, false);
  }

  /**
   * Chances that repeat: they depend on nonce, last event seen and kind of question alone.
   *
   * @return the same ones whenever the match is repeated; a new stream at each call
   */
  public Chances chances() {
    return Chances.of(match.nonce(), view.lastEvent(), question.kind());
  }
}
