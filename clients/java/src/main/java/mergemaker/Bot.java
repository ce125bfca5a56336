package mergemaker;

import io.github.mergemaker.v1.Event;
import java.util.List;

/**
 * Plays one seat of one match. Every method has a default, so that a bot says only what it cares
 * for: the referee's default answers a question that it has no method for. The methods of one bot
 * are called one after the other, in a thread of its match. What a method throws costs no match: it
 * is reported on standard error, and the default is answered.
 */
public interface Bot extends Handlers {
  /**
   * Answers any question: by the method for its kind, unless a bot has its own way.
   *
   * @param turn the question, with all that is needed to answer it
   * @return the answer
   * @throws Exception anything that went wrong; it is reported, and the default is answered
   */
  default Answer answer(Turn turn) throws Exception {
    return Kinds.ask(this, turn);
  }

  /**
   * Gets the match before its first tile.
   *
   * @param match the match
   * @throws Exception anything that went wrong; it is reported, and the match goes on
   */
  default void onStart(MatchInfo match) throws Exception {}

  /**
   * Learns what happened, as far as its seat may know; always before it is asked again.
   *
   * @param events what happened; what only a newer library knows is left out
   * @throws Exception anything that went wrong; it is reported, and the match goes on
   */
  default void onEvents(List<Event> events) throws Exception {}

  /**
   * Learns that the deal is not the one that the referee promised.
   *
   * @param problem what does not agree
   * @throws Exception anything that went wrong; it is reported, and the match goes on
   */
  default void onFalseDeal(FalseDealException problem) throws Exception {}

  /**
   * Learns how the match ended.
   *
   * @param result the result
   * @throws Exception anything that went wrong; it is reported
   */
  default void onEnd(MatchResult result) throws Exception {}
}
