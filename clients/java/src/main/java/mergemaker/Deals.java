package mergemaker;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.ByteString;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** A deal from its seed ({@code DEAL.md}), and what is promised of it ({@code RECORDS.md}). */
final class Deals {
  /** A seed, a nonce, a seat's part of the seed, and every commitment have this many bytes. */
  static final int BYTES = 32;

  static final int SQUARES = 108;
  private static final int NUMBERS = 12;
  private static final ByteString WITHHELD = ByteString.copyFrom(new byte[BYTES]);

  private Deals() {}

  /** What the referee promises before the first tile. */
  static ByteString commitment(String match, ByteString nonce, ByteString serverSeed) {
    ByteString id = ByteString.copyFrom(match, UTF_8);
    ByteString length = ByteString.copyFrom(new byte[] {(byte) id.size()});
    return hash("mergemaker/commitment/1\0", List.of(length, id, nonce, serverSeed));
  }

  /** What a seat promises in joint mode. */
  static ByteString seatCommitment(ByteString commitment, int seat, ByteString part) {
    ByteString number = ByteString.copyFrom(new byte[] {(byte) seat});
    return hash("mergemaker/seat-commitment/1\0", List.of(commitment, number, part));
  }

  /** The seed of a deal in joint mode; an empty part was not revealed. */
  static ByteString jointSeed(ByteString serverSeed, List<ByteString> parts) {
    List<ByteString> all = new ArrayList<>(List.of(serverSeed));
    parts.forEach(part -> all.add(part.isEmpty() ? WITHHELD : part));
    return hash("mergemaker/joint-deal/1\0", all);
  }

  /** The squares of all tiles, in the order in which they come off the pile. */
  static List<Integer> order(ByteString seed) {
    List<Integer> tiles = new ArrayList<>(IntStream.range(0, SQUARES).boxed().toList());
    Chances chances = Chances.ofLabel(seed, "deal");
    for (int last = SQUARES - 1; last > 0; last--) {
      Collections.swap(tiles, last, (int) chances.below(last + 1L));
    }
    return tiles;
  }

  /**
   * The place in a pile of this size of the tile that a draw of the market shows; draws are
   * numbered from 0 (TWO-1).
   */
  static int marketIndex(ByteString seed, int draw, int left) {
    return (int) Chances.ofLabel(seed, "market/" + draw).below(left);
  }

  /** A square as it is written on the board, such as {@code 7G}. */
  static String squareName(int square) {
    return square % NUMBERS + 1 + String.valueOf((char) ('A' + square / NUMBERS));
  }

  private static ByteString hash(String label, List<ByteString> parts) {
    MessageDigest digest = Hashes.sha256();
    digest.update(label.getBytes(US_ASCII));
    parts.forEach(part -> digest.update(part.asReadOnlyByteBuffer()));
    return ByteString.copyFrom(digest.digest());
  }
}
