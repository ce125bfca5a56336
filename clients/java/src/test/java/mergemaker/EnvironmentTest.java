package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvironmentTest {
  private static Map<String, String> variables(String... more) {
    Map<String, String> variables =
        new HashMap<>(
            Map.of("MERGEMAKER_SERVER", "grpc://127.0.0.1:7350", "MERGEMAKER_TOKEN", "secret-1"));
    for (int index = 0; index < more.length; index += 2) {
      variables.put(more[index], more[index + 1]);
    }
    return variables;
  }

  private static ClientException problem(String... more) {
    ClientException problem =
        assertThrows(ClientException.class, () -> Environment.read(variables(more)));
    assertEquals(ClientException.Kind.BAD_SETTING, problem.kind());
    return problem;
  }

  @Test
  void allVariablesAreRead() throws ClientException {
    Environment read =
        Environment.read(
            variables(
                "MERGEMAKER_BOT", "Ann", "MERGEMAKER_CA", "ca.pem", "MERGEMAKER_TRACE", "t.jsonl"));
    assertEquals(new Target("127.0.0.1", 7350, false), read.target());
    assertEquals("secret-1", read.token());
    assertEquals("Ann", read.name());
    assertEquals(Path.of("ca.pem"), read.ca().orElseThrow());
    assertEquals(Path.of("t.jsonl"), read.trace().orElseThrow());
    assertFalse(read.toString().contains("secret-1"));
  }

  @Test
  void anEmptyVariableIsMissing() throws ClientException {
    assertEquals("missing-variable", problem("MERGEMAKER_SERVER", "").reason());
    String said = problem("MERGEMAKER_TOKEN", "").getMessage();
    assertTrue(said.contains("MERGEMAKER_TOKEN"), said);
    assertTrue(Environment.read(variables("MERGEMAKER_CA", "")).ca().isEmpty());
  }

  @Test
  void aTokenIsNotShown() {
    ClientException problem = problem("MERGEMAKER_TOKEN", "secret and more");
    assertEquals("bad-token", problem.reason());
    assertFalse(problem.getMessage().contains("secret"));
    assertEquals("bad-token", problem("MERGEMAKER_TOKEN", "sécret").reason());
  }

  @Test
  void aLongNameIsRefused() throws ClientException {
    assertEquals("bad-name", problem("MERGEMAKER_BOT", "x".repeat(65)).reason());
    // 64 characters, each of two halves in Java.
    String name = "\uD83C\uDFB2".repeat(64);
    assertEquals(name, Environment.read(variables("MERGEMAKER_BOT", name)).name());
  }

  @ParameterizedTest
  @CsvSource({
    "grpc://localhost:1, localhost:1, true",
    "grpc://LOCALHOST:1, LOCALHOST:1, true",
    "grpc://127.8.9.1:65535, 127.8.9.1:65535, true",
    "grpcs://[::1]:7350, [::1]:7350, true",
    "grpcs://[0:0:0:0:0:0:0:1]:7350, [0:0:0:0:0:0:0:1]:7350, true",
    "grpcs://[2001:db8::1]:7350, [2001:db8::1]:7350, false",
    "grpcs://referee.example:7350, referee.example:7350, false",
    "grpcs://localhost.example:7350, localhost.example:7350, false",
    "grpcs://127.0.0.1.example:7350, 127.0.0.1.example:7350, false"
  })
  void addressesAreRead(String text, String address, boolean isLoopback) throws ClientException {
    Target target = Target.parse(text);
    assertEquals(address, target.address());
    assertEquals(isLoopback, target.isLoopback());
    assertEquals(text.startsWith("grpcs"), target.isSecure());
    assertEquals(text, target.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1:7350",
        "http://127.0.0.1:7350",
        "grpc://127.0.0.1",
        "grpc://127.0.0.1:0",
        "grpc://127.0.0.1:65536",
        "grpc://:7350",
        "grpc://::1:7350",
        "grpc://a b:7350",
        "grpc://a/b:7350",
        "grpc://user@host:7350",
        "grpc://127.0.0.1:7350/"
      })
  void otherAddressesAreRefused(String text) {
    assertEquals("bad-server", problem("MERGEMAKER_SERVER", text).reason());
  }

  @Test
  void aTokenIsNotShownToTheNetworkUnlessThatIsAllowed() throws ClientException {
    String server = "grpc://192.0.2.1:7350";
    assertEquals("plain-text", problem("MERGEMAKER_SERVER", server).reason());
    assertEquals(
        "bad-plain-text",
        problem("MERGEMAKER_SERVER", server, "MERGEMAKER_PLAIN_TEXT", "yes").reason());
    Map<String, String> allowed =
        variables("MERGEMAKER_SERVER", server, "MERGEMAKER_PLAIN_TEXT", "allowed");
    assertEquals(server, Environment.read(allowed).target().toString());
  }

  @Test
  void certificatesThatAreNoneAreRefused(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("ca.pem");
    Map<String, String> variables =
        variables("MERGEMAKER_SERVER", "grpcs://localhost:1", "MERGEMAKER_CA", file.toString());
    Environment environment = Environment.read(variables);
    assertEquals("bad-ca", badCa(environment));
    Files.writeString(file, "no certificate");
    assertEquals("bad-ca", badCa(environment));
    Files.writeString(
        file, "-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n");
    assertEquals("bad-ca", badCa(environment));
  }

  private static String badCa(Environment environment) {
    return assertThrows(ClientException.class, () -> new Channels(environment)).reason();
  }
}
