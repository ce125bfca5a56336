package mergemaker;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;

/**
 * Builds a note that draws: squares, arrows, labels and numbers, which the viewer shows on the
 * board after the match. Squares are numbers, as in actions.
 *
 * <p>Every language's library makes the same note of the same marks, byte for byte.
 */
public final class Drawing {
  /** A note has at most this many marks. */
  public static final int MARKS_MAX = 60;

  /** A label has at most this many characters of Unicode. */
  public static final int LABEL_CHARACTERS_MAX = 12;

  private static final int SQUARES = 108;

  /** What a mark means, shown by its color and form. */
  public enum Tone {
    /** A mark without a meaning of its own. */
    PLAIN(""),
    /** What helps. */
    GOOD(",\"tone\":\"good\""),
    /** What harms. */
    BAD(",\"tone\":\"bad\"");

    private final String json;

    Tone(String json) {
      this.json = json;
    }
  }

  private final String head;
  private final List<String> marks = new ArrayList<>();

  /** Begins a note without a text. */
  public Drawing() {
    this("");
  }

  /**
   * Begins a note with a text.
   *
   * @param text the note in words; it may be empty
   */
  public Drawing(String text) {
    head = text.isEmpty() ? "" : "\"text\":" + quoted(text) + ",";
  }

  /**
   * A frame around a square.
   *
   * @param square from 0
   * @param tone what it means
   * @return this drawing
   */
  public Drawing square(int square, Tone tone) {
    return add(at(square), tone);
  }

  /**
   * An arrow from one square to another.
   *
   * @param from where it begins
   * @param to where it leads
   * @param tone what it means
   * @return this drawing
   */
  public Drawing arrow(int from, int to, Tone tone) {
    String first = name(from);
    String last = name(to);
    if (from == to) {
      throw new BotException(
          "arrow-to-itself", "an arrow leads to another square, not from " + first + " to " + last);
    }
    return add("\"from\":\"" + first + "\",\"to\":\"" + last + "\"", tone);
  }

  /**
   * A short text on a square.
   *
   * @param square from 0
   * @param text 1 to {@link #LABEL_CHARACTERS_MAX} characters
   * @param tone what it means
   * @return this drawing
   */
  public Drawing label(int square, String text, Tone tone) {
    String json = quoted(text);
    int count = text.codePointCount(0, text.length());
    if (count < 1 || count > LABEL_CHARACTERS_MAX) {
      throw new BotException(
          "bad-label", "a label has 1 to " + LABEL_CHARACTERS_MAX + " characters, not " + count);
    }
    return add(at(square) + ",\"text\":" + json, tone);
  }

  /**
   * A whole number on a square.
   *
   * @param square from 0
   * @param number of at most {@link #LABEL_CHARACTERS_MAX} characters
   * @param tone what it means
   * @return this drawing
   */
  public Drawing number(int square, long number, Tone tone) {
    String text = Long.toString(number);
    if (text.length() > LABEL_CHARACTERS_MAX) {
      throw new BotException(
          "bad-label",
          "a number has at most " + LABEL_CHARACTERS_MAX + " characters, not " + text.length());
    }
    return add(at(square) + ",\"text\":" + text, tone);
  }

  /**
   * The note, for {@link Answer#noted}.
   *
   * @return at most {@link Answer#NOTE_BYTES_MAX} bytes of UTF-8
   */
  public String note() {
    String note = "{" + head + "\"marks\":[" + String.join(",", marks) + "]}";
    int size = note.getBytes(UTF_8).length;
    if (size > Answer.NOTE_BYTES_MAX) {
      throw new BotException(
          "note-too-long",
          "a note is at most %d bytes of UTF-8, and %d marks with this text make %d: leave some out"
              .formatted(Answer.NOTE_BYTES_MAX, marks.size(), size));
    }
    return note;
  }

  private Drawing add(String mark, Tone tone) {
    if (marks.size() == MARKS_MAX) {
      throw new BotException(
          "too-many-marks", "a note has at most " + MARKS_MAX + " marks: leave some out");
    }
    marks.add("{" + mark + tone.json + "}");
    return this;
  }

  private static String at(int square) {
    return "\"at\":\"" + name(square) + "\"";
  }

  private static String name(int square) {
    if (square < 0 || square >= SQUARES) {
      throw new BotException(
          "no-such-square",
          "a square is a number from 0 to " + (SQUARES - 1) + ", as in actions, not " + square);
    }
    return Deals.squareName(square);
  }

  /** A text as JSON, in the one way that all libraries write it: only what must be is escaped. */
  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    text.codePoints()
        .forEach(
            character -> {
              if (character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE) {
                throw new BotException(
                    "bad-note", "a note is Unicode, without half of a surrogate pair");
              } else if (character == '"' || character == '\\') {
                out.append('\\').appendCodePoint(character);
              } else if (character < ' ') {
                out.append("\\u%04x".formatted(character));
              } else {
                out.appendCodePoint(character);
              }
            });
    return out.append('"').toString();
  }
}
