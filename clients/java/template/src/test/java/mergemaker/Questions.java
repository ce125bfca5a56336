package mergemaker;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.MatchStarted;
import io.github.mergemaker.v1.PlayResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** The questions to one seat of a recorded match, as a bot meets them. */
public final class Questions {
  private Questions() {}

  /** The turns of one kind in {@code testdata/questions.jsonl}. */
  public static List<Turn> ofKind(String kind) {
    List<Turn> found = new ArrayList<>();
    try {
      List<JsonObject> lines =
          Files.readAllLines(Path.of("testdata/questions.jsonl")).stream()
              .map(line -> JsonParser.parseString(line).getAsJsonObject())
              .toList();
      MatchInfo match =
          Reading.match(
              "questions",
              MatchOffered.parseFrom(bytes(lines.get(0), "offered")),
              MatchStarted.parseFrom(bytes(lines.get(0), "started")));
      for (JsonObject line : lines.subList(1, lines.size())) {
        if (line.has("kind") && line.get("kind").getAsString().equals(kind)) {
          PlayResponse response = PlayResponse.parseFrom(bytes(line, "response"));
          found.add(Reading.turn(match, response.getDecision(), response.getEventsList(), 0));
        }
      }
    } catch (Exception problem) {
      throw new AssertionError(problem);
    }
    if (found.isEmpty()) {
      throw new AssertionError("no question is a " + kind);
    }
    return found;
  }

  private static byte[] bytes(JsonObject line, String field) {
    return Base64.getDecoder().decode(line.get(field).getAsString());
  }
}
