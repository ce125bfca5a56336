package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.mergemaker.v1.LegalAnswers;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.MatchStarted;
import io.github.mergemaker.v1.PlayResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;
import mergemaker.bots.GreedyBot;
import mergemaker.bots.RandomBot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VectorsTest {
  static List<Path> dialogues() {
    return Vectors.dialogues();
  }

  @ParameterizedTest
  @MethodSource("dialogues")
  void greedyAnswersAsWrittenDown(Path dialogue) throws Exception {
    assertEquals(List.of(), differences(dialogue, "greedy", GreedyBot::new));
  }

  @ParameterizedTest
  @MethodSource("dialogues")
  void randomAnswersAsWrittenDown(Path dialogue) throws Exception {
    assertEquals(List.of(), differences(dialogue, "random", RandomBot::new));
  }

  private static List<String> differences(Path dialogue, String name, Supplier<Bot> factory)
      throws Exception {
    List<JsonObject> lines = Vectors.lines(dialogue);
    JsonObject first = lines.get(0);
    MatchInfo match =
        Reading.match(
            first.get("dialogue").getAsString(),
            MatchOffered.parseFrom(Vectors.bytes(first, "offered")),
            MatchStarted.parseFrom(Vectors.bytes(first, "started")));
    List<String> found = new ArrayList<>();
    Bot bot = factory.get();
    int asked = 0;
    for (JsonObject line : lines) {
      if (!line.has("decision")) {
        continue;
      }
      asked++;
      PlayResponse response = PlayResponse.parseFrom(Vectors.bytes(line, "response"));
      Turn turn = Reading.turn(match, response.getDecision(), response.getEventsList(), 0);
      assertEquals(line.get("count").getAsLong(), turn.answers().count());
      long answered = ((Answer.Index) bot.answer(turn)).index();
      if (answered != line.get(name).getAsLong()) {
        found.add(line.get("decision") + " " + line.get("kind") + ": " + answered);
      }
    }
    assertTrue(asked > 10, "a dialogue has questions");
    return found;
  }

  @Test
  void dialoguesHaveEveryKindOfQuestion() throws Exception {
    TreeSet<String> kinds = new TreeSet<>();
    for (Path dialogue : dialogues()) {
      for (JsonObject line : Vectors.lines(dialogue)) {
        if (line.has("kind")) {
          kinds.add(line.get("kind").getAsString());
        }
      }
    }
    int all = io.github.mergemaker.v1.Question.getDescriptor().getOneofs().get(0).getFieldCount();
    assertEquals(all, kinds.size(), kinds.toString());
  }

  @Test
  void answersAreListedInTheDocumentedOrder() throws Exception {
    List<JsonObject> lines = Vectors.lines(Vectors.folder().resolve("listings.jsonl"));
    assertFalse(lines.isEmpty());
    for (JsonObject line : lines) {
      Answers answers = Listing.of(LegalAnswers.parseFrom(Vectors.bytes(line, "answers")));
      String name = line.get("listing").getAsString();
      for (JsonElement pair : line.getAsJsonArray("actions")) {
        long index = pair.getAsJsonArray().get(0).getAsLong();
        byte[] bytes = Base64.getDecoder().decode(pair.getAsJsonArray().get(1).getAsString());
        io.github.mergemaker.v1.Action expected = io.github.mergemaker.v1.Action.parseFrom(bytes);
        assertEquals(expected, Kinds.message(answers.get(index)), name + ", index " + index);
        assertEquals(Kinds.action(expected), answers.get(index), name + ", index " + index);
      }
    }
  }

  @Test
  void chancesAreDrawnAsWrittenDown() {
    List<JsonObject> lines = Vectors.lines(Vectors.folder().resolve("chances.jsonl"));
    assertFalse(lines.isEmpty());
    for (JsonObject line : lines) {
      Chances chances =
          Chances.of(
              Vectors.hex(line, "nonce"),
              line.get("last_event").getAsLong(),
              line.get("kind").getAsString());
      assertEquals(Vectors.hex(line, "seed"), chances.seed());
      for (JsonElement pair : line.getAsJsonArray("below")) {
        JsonArray drawn = pair.getAsJsonArray();
        long below = chances.below(Long.parseUnsignedLong(drawn.get(0).getAsString()));
        assertEquals(drawn.get(1).getAsString(), Long.toUnsignedString(below));
      }
    }
  }
}
