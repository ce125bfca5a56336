package mergemaker;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.StringValue;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;

/**
 * {@code MERGEMAKER_TRACE=FILE}: every message as a line of JSON, with time and direction, and
 * without tokens. A failed write is reported once, and does not stop the bot.
 */
final class Trace implements AutoCloseable {
  private static final String REMOVED = "removed";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().preservingProtoFieldNames().omittingInsignificantWhitespace();

  /** The bearer's token, which is in no message, but is searched for anyway. */
  private final String secret;

  private final Supplier<Instant> now;
  private OutputStream file;

  private Trace(String secret, Supplier<Instant> now, OutputStream file) {
    this.secret = secret;
    this.now = now;
    this.file = file;
  }

  static Trace open(Path path, String secret, Supplier<Instant> now) throws ClientException {
    try {
      // Without a buffer, so that a bot that is killed leaves a whole trace.
      OutputStream file =
          Files.newOutputStream(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      return new Trace(secret, now, file);
    } catch (IOException error) {
      throw ClientException.badSetting(
          "bad-trace", "the trace cannot be written to " + path + ": " + error);
    }
  }

  void sent(Message message) {
    message("sent", message);
  }

  void received(Message message) {
    message("received", message);
  }

  /** A stream's state. */
  void stream(String what) {
    try {
      write("stream", "\"what\": " + PRINTER.print(StringValue.of(what.replace(secret, REMOVED))));
    } catch (InvalidProtocolBufferException error) {
      throw new AssertionError("every text has its JSON", error);
    }
  }

  /** A deal that was not the one promised. */
  void falseDeal(String match, FalseDealException problem) {
    try {
      write(
          "problem",
          "\"match\": %s, \"reason\": %s, \"text\": %s"
              .formatted(
                  PRINTER.print(StringValue.of(match)),
                  PRINTER.print(StringValue.of(problem.reason())),
                  PRINTER.print(StringValue.of(problem.getMessage()))));
    } catch (InvalidProtocolBufferException error) {
      throw new AssertionError("every text has its JSON", error);
    }
  }

  private void message(String direction, Message message) {
    try {
      write(direction, "\"message\": " + PRINTER.print(withoutTokens(message)));
    } catch (InvalidProtocolBufferException error) {
      stream("a message that was " + direction + " has no JSON: " + error.getMessage());
    }
  }

  private synchronized void write(String direction, String rest) {
    if (file == null) {
      return;
    }
    String line =
        "{\"at\": \"%s\", \"direction\": \"%s\", %s}\n"
            .formatted(TIME.format(now.get()), direction, rest);
    try {
      file.write(line.getBytes(UTF_8));
    } catch (IOException error) {
      Mergemaker.complain("the trace ends here, it cannot be written: " + error);
      close();
    }
  }

  @Override
  public synchronized void close() {
    if (file == null) {
      return;
    }
    try {
      file.close();
    } catch (IOException error) {
      Mergemaker.complain("the trace cannot be closed: " + error);
    }
    file = null;
  }

  /** The same message with every field whose name ends in {@code token} emptied. */
  Message withoutTokens(Message message) {
    Message.Builder builder = message.toBuilder();
    for (Map.Entry<FieldDescriptor, Object> entry : message.getAllFields().entrySet()) {
      FieldDescriptor field = entry.getKey();
      if (field.isRepeated()) {
        List<?> values = (List<?>) entry.getValue();
        for (int index = 0; index < values.size(); index++) {
          builder.setRepeatedField(field, index, withoutToken(field, values.get(index)));
        }
      } else {
        builder.setField(field, withoutToken(field, entry.getValue()));
      }
    }
    return builder.build();
  }

  private Object withoutToken(FieldDescriptor field, Object value) {
    if (value instanceof Message message) {
      return withoutTokens(message);
    }
    if (value instanceof String text) {
      return field.getName().endsWith("token") ? REMOVED : text.replace(secret, REMOVED);
    }
    return value;
  }
}
