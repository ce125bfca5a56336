import static org.junit.jupiter.api.Assertions.assertEquals;

import mergemaker.Answer;
import mergemaker.Questions;
import mergemaker.Turn;
import org.junit.jupiter.api.Test;

/** The bot's tests, with the questions of a recorded match. */
class MyBotTest {
  @Test
  void itFoundsTheDearestChain() {
    for (Turn turn : Questions.ofKind("choose_founded")) {
      assertEquals(Answer.index(turn.answers().count() - 1), new MyBot().chooseFounded(turn));
    }
  }
}
