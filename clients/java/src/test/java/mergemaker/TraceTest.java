package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.github.mergemaker.v1.PlayRequest;
import io.github.mergemaker.v1.PlayResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TraceTest {
  private static final String SECRET = "the<secret>=";

  @TempDir private Path folder;

  private Trace open(Path file) throws ClientException {
    return Trace.open(file, SECRET, () -> Instant.parse("2026-11-18T20:15:04.123456Z"));
  }

  @Test
  void everyMessageIsALineWithoutTokens() throws Exception {
    PlayRequest.Builder hello = PlayRequest.newBuilder();
    hello.getHelloBuilder().setBotName("I say " + SECRET).getResumeBuilder();
    hello.getHelloBuilder().getResumeBuilder().setResumeToken("resume-1").addSeenBuilder();
    hello.getHelloBuilder().getResumeBuilder().getSeenBuilder(0).setMatch(SECRET);
    PlayResponse.Builder welcome = PlayResponse.newBuilder();
    welcome.getWelcomeBuilder().setResumeToken("resume-2").setSession("s-\"ä\"");
    Path file = folder.resolve("trace.jsonl");
    Files.writeString(file, "{}\n");
    try (Trace trace = open(file)) {
      trace.sent(hello.build());
      trace.received(welcome.build());
      trace.stream("ended UNAVAILABLE: \"" + SECRET + "\"");
    }
    String text = Files.readString(file);
    assertFalse(text.contains("resume-1") || text.contains("resume-2"), text);
    assertFalse(text.contains("the<secret>") || text.contains("the\\u003c"), text);
    List<JsonObject> lines =
        text.lines().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
    assertEquals(4, lines.size());
    assertEquals("2026-11-18T20:15:04.123456Z", lines.get(1).get("at").getAsString());
    assertEquals("sent", lines.get(1).get("direction").getAsString());
    JsonObject said = lines.get(1).getAsJsonObject("message").getAsJsonObject("hello");
    assertEquals("I say removed", said.get("bot_name").getAsString());
    assertEquals("removed", said.getAsJsonObject("resume").get("resume_token").getAsString());
    assertEquals("received", lines.get(2).get("direction").getAsString());
    JsonObject heard = lines.get(2).getAsJsonObject("message").getAsJsonObject("welcome");
    assertEquals("s-\"ä\"", heard.get("session").getAsString());
    assertEquals("ended UNAVAILABLE: \"removed\"", lines.get(3).get("what").getAsString());
  }

  @Test
  void aFalseDealIsALineOfItsOwn() throws Exception {
    Path file = folder.resolve("false.jsonl");
    try (Trace trace = open(file)) {
      trace.falseDeal("m", new FalseDealException("seed-differs", "it is \"another\""));
    }
    JsonObject line = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertEquals("problem", line.get("direction").getAsString());
    assertEquals("m", line.get("match").getAsString());
    assertEquals("seed-differs", line.get("reason").getAsString());
    assertEquals("it is \"another\"", line.get("text").getAsString());
  }

  @Test
  void aTraceThatCannotBeWrittenIsAWrongSetting() {
    Path file = folder.resolve("missing").resolve("trace.jsonl");
    ClientException problem = assertThrows(ClientException.class, () -> open(file));
    assertEquals("bad-trace", problem.reason());
  }
}
