package mergemaker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The vectors that all clients are tested with; only in the repository. */
public final class Vectors {
  private Vectors() {}

  /** The folder of the vectors; a test that asks is skipped if it is missing. */
  public static Path folder() {
    Path start = Path.of("").toAbsolutePath();
    for (Path above = start; above != null; above = above.getParent()) {
      for (Path folder : List.of(above.resolve("vectors"), above.resolve("clients/vectors"))) {
        if (Files.isDirectory(folder.resolve("dialogues"))) {
          return folder;
        }
      }
    }
    Assumptions.abort(
        "the vectors are not beside this folder: it was copied out of the repository");
    throw new AssertionError("a test that aborts does not come back");
  }

  /** The lines of a file. */
  public static List<JsonObject> lines(Path file) {
    try (Stream<String> lines = Files.lines(file, UTF_8)) {
      return lines.map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** All dialogues. */
  public static List<Path> dialogues() {
    try (Stream<Path> files = Files.list(folder().resolve("dialogues"))) {
      return files.filter(file -> file.toString().endsWith(".jsonl")).sorted().toList();
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /** What base64 stands for. */
  public static byte[] bytes(JsonObject line, String field) {
    return Base64.getDecoder().decode(line.get(field).getAsString());
  }

  /** What hexadecimal digits stand for. */
  public static ByteString hex(JsonObject line, String field) {
    return ByteString.fromHex(line.get(field).getAsString());
  }
}
