package mergemaker.bots;

import java.util.ArrayList;
import java.util.List;
import mergemaker.Action;
import mergemaker.Answer;
import mergemaker.Bot;
import mergemaker.Turn;

/**
 * Takes any legal answer, each as likely as the others, and declares the end as soon as it may: the
 * rule is in {@code clients/python/RANDOM.md}.
 */
public final class RandomBot implements Bot {
  /** A bot for one match. */
  public RandomBot() {}

  @Override
  public Answer answer(Turn turn) {
    if (turn.mayDeclare()) {
      List<Action> answers = turn.answers().list();
      List<Integer> places = new ArrayList<>();
      for (int index = 0; index < answers.size(); index++) {
        if (declaresEnd(answers.get(index))) {
          places.add(index);
        }
      }
      if (!places.isEmpty()) {
        return Answer.index(places.get((int) turn.chances().below(places.size())));
      }
    }
    return Answer.index(turn.chances().below(turn.answers().count()));
  }

  private static boolean declaresEnd(Action action) {
    return action instanceof Action.StopPlay
        || (action instanceof Action.Place place && place.declare())
        || (action instanceof Action.Buy buy && buy.declare());
  }
}
