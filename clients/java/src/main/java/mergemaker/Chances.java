package mergemaker;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/** A stream of chances that repeats, as {@code RANDOM.md} says to the byte. */
public final class Chances {
  private static final byte[] LABEL = "mergemaker bot chance 1".getBytes(US_ASCII);
  private static final byte[] STREAM = "bot".getBytes(US_ASCII);
  private static final int WORD_BITS = 16;

  private final byte[] seed;
  private final byte[] label;
  private ByteBuffer block = ByteBuffer.allocate(0);
  private int blocks;

  private Chances(byte[] seed, byte[] label) {
    this.seed = seed;
    this.label = label;
  }

  /**
   * The chances of a decision.
   *
   * @param nonce the match's nonce for this seat
   * @param lastEvent the number of the last event that the view takes in
   * @param kind the name of the kind of question, such as {@code ChooseTile}
   * @return the stream, at its beginning
   */
  public static Chances of(ByteString nonce, long lastEvent, String kind) {
    MessageDigest digest = Hashes.sha256();
    digest.update(LABEL);
    digest.update(nonce.asReadOnlyByteBuffer());
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, lastEvent));
    return new Chances(digest.digest(kind.getBytes(US_ASCII)), STREAM);
  }

  /** The stream of a seed and a label: each label has numbers of its own. */
  static Chances ofLabel(ByteString seed, String label) {
    return new Chances(seed.toByteArray(), label.getBytes(US_ASCII));
  }

  ByteString seed() {
    return ByteString.copyFrom(seed);
  }

  /**
   * The next draw, each number as likely as the others.
   *
   * @param n how many numbers there are, as a number of 64 bits without sign; not 0
   * @return 0 to n - 1, without sign
   */
  public long below(long n) {
    if (n == 0) {
      throw new IllegalArgumentException("there is no number below 0");
    }
    int words = 1;
    while (words < Long.SIZE / WORD_BITS
        && Long.compareUnsigned(n, 1L << (WORD_BITS * words)) > 0) {
      words++;
    }
    // What is above the last whole run of n numbers is drawn again. With four words 2^64 itself
    // does not fit, so that it is reached by its last number.
    long last = words == Long.SIZE / WORD_BITS ? -1L : (1L << (WORD_BITS * words)) - 1;
    long tooMany = Long.remainderUnsigned(Long.remainderUnsigned(last, n) + 1, n);
    long drawn = draw(words);
    while (Long.compareUnsigned(drawn, last - tooMany) > 0) {
      drawn = draw(words);
    }
    return Long.remainderUnsigned(drawn, n);
  }

  private long draw(int words) {
    long drawn = 0;
    for (int word = 0; word < words; word++) {
      if (!block.hasRemaining()) {
        MessageDigest digest = Hashes.sha256();
        digest.update(seed);
        digest.update(label);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, blocks++));
        block = ByteBuffer.wrap(digest.digest());
      }
      drawn = drawn << WORD_BITS | Short.toUnsignedLong(block.getShort());
    }
    return drawn;
  }
}
