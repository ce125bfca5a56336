package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class DrawingTest {
  @Test
  void drawingsAreAsWrittenOrRefusedForTheirReason() {
    List<JsonObject> lines = Vectors.lines(Vectors.folder().resolve("drawings.jsonl"));
    assertFalse(lines.isEmpty());
    for (JsonObject line : lines) {
      String name = line.get("drawing").getAsString();
      if (line.get("reason").isJsonNull()) {
        assertEquals(line.get("note").getAsString(), note(line), name);
      } else {
        BotException wrong = assertThrows(BotException.class, () -> note(line), name);
        assertEquals(line.get("reason").getAsString(), wrong.reason(), name);
      }
    }
  }

  private static String note(JsonObject line) {
    Drawing drawing = new Drawing(line.get("text").getAsString());
    for (JsonElement each : line.getAsJsonArray("marks")) {
      JsonObject mark = each.getAsJsonObject();
      int at = mark.get("at").getAsInt();
      Drawing.Tone tone =
          Drawing.Tone.valueOf(mark.get("tone").getAsString().toUpperCase(Locale.ROOT));
      switch (mark.get("kind").getAsString()) {
        case "square" -> drawing.square(at, tone);
        case "arrow" -> drawing.arrow(at, mark.get("to").getAsInt(), tone);
        case "label" -> drawing.label(at, mark.get("text").getAsString(), tone);
        case "number" -> drawing.number(at, mark.get("number").getAsLong(), tone);
        default -> throw new AssertionError(mark);
      }
    }
    return drawing.note();
  }

  @Test
  void halfOfASurrogatePairIsNoText() {
    BotException wrong = assertThrows(BotException.class, () -> new Drawing("\ud800"));
    assertEquals("bad-note", wrong.reason());
  }
}
