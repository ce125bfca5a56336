package mergemaker.bots;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import mergemaker.Options;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  @Test
  void aBotIsNamed() {
    assertInstanceOf(RandomBot.class, Main.command("random").factory().get());
    assertInstanceOf(GreedyBot.class, Main.command("greedy").factory().get());
    assertEquals(Options.usual(), Main.command("greedy").options());
  }

  @Test
  void optionsAreRead() {
    Main.Command command =
        Main.command("random", "--matches-at-once=3", "--events=immediate", "--think=400");
    assertEquals(
        Options.usual().withMatchesAtOnce(3).withEvents(Options.Events.IMMEDIATE),
        command.options());
    assertEquals("Thinking", command.factory().get().getClass().getSimpleName());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "clever",
        "random --fast",
        "random greedy",
        "random --matches-at-once=0",
        "random --matches-at-once=-1",
        "random --matches-at-once",
        "random --think=long",
        "random --think=99999999999",
        "random --events=later"
      })
  void otherWordsAreRefused(String line) {
    String[] words = line.isEmpty() ? new String[0] : line.split(" ");
    assertThrows(IllegalArgumentException.class, () -> Main.command(words));
  }
}
