package mergemaker;

import static java.nio.charset.StandardCharsets.UTF_8;

/** What a bot answers: an {@link Action}, or the index of one, either with a note if it likes. */
public sealed interface Answer permits Action, Answer.Index, Answer.Noted {
  /** A note has at most this many bytes of UTF-8. */
  int NOTE_BYTES_MAX = 1_024;

  /**
   * The answer with this index in {@link Turn#answers()}.
   *
   * @param index from 0
   * @return the answer
   */
  static Answer index(long index) {
    return new Index(index);
  }

  /**
   * This answer with a note. Notes are recorded, and nobody sees them before the match is over.
   *
   * @param note at most {@link #NOTE_BYTES_MAX} bytes of UTF-8
   * @return the answer with the note
   */
  default Answer noted(String note) {
    return new Noted(this, note);
  }

  /**
   * An answer by its index.
   *
   * @param index from 0
   */
  record Index(long index) implements Answer {}

  /**
   * An answer with a note.
   *
   * @param answer an action, or an index
   * @param note at most {@link #NOTE_BYTES_MAX} bytes of UTF-8
   */
  record Noted(Answer answer, String note) implements Answer {
    /** Refuses a second note, and one that the referee would not take. */
    public Noted {
      if (answer instanceof Noted) {
        throw new BotException("noted-twice", "an answer has one note, not two");
      }
      int size = note.getBytes(UTF_8).length;
      if (size > NOTE_BYTES_MAX) {
        throw new BotException(
            "note-too-long",
            "a note is at most " + NOTE_BYTES_MAX + " bytes of UTF-8, not " + size);
      }
    }
  }
}
