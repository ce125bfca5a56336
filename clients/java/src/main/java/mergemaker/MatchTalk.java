package mergemaker;

import com.google.protobuf.ByteString;
import io.github.mergemaker.v1.DealMode;
import io.github.mergemaker.v1.Decision;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.PlayRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;

/** What a conversation knows of one match. */
final class MatchTalk {
  /** A seat's part of the seed, and every commitment, has so many bytes. */
  static final int PART_BYTES = 32;

  private static final byte[] LABEL =
      "mergemaker/seat-commitment/1\0".getBytes(StandardCharsets.US_ASCII);

  final String id;
  final MatchOffered offered;
  boolean hasBegun;

  /** The number of the last event that came. */
  long lastEvent;

  /** What was asked last; it stays behind its answer, which may have to be sent again. */
  Decision decision;

  /** What was answered to it; null as long as nothing was. */
  PlayRequest answer;

  /** Whether an answer of the bot still counts. */
  boolean isOpen;

  /** Whether the default was answered, because the bot's own answer was refused. */
  boolean hasFallenBack;

  /** Decisions of which it was told that a default was taken. */
  final Set<Long> toldDefaults = new HashSet<>();

  /** In joint mode: this seat's part of the seed, the same after every break. */
  private ByteString part = ByteString.EMPTY;

  MatchTalk(String id, MatchOffered offered) {
    this.id = id;
    this.offered = offered;
  }

  boolean isJoint() {
    return offered.getDealMode() == DealMode.DEAL_MODE_JOINT
        && offered.getCommitment().size() == PART_BYTES;
  }

  ByteString part() {
    return part;
  }

  /** The promise of this seat's part, which is drawn if there is none yet. */
  ByteString commitment(Supplier<ByteString> freshPart) {
    if (part.isEmpty()) {
      part = freshPart.get();
    }
    return commitment(offered.getCommitment(), offered.getSeat(), part);
  }

  static ByteString commitment(ByteString promise, int seat, ByteString part) {
    MessageDigest digest = Hashes.sha256();
    digest.update(LABEL);
    digest.update(promise.asReadOnlyByteBuffer());
    digest.update((byte) seat);
    digest.update(part.asReadOnlyByteBuffer());
    return ByteString.copyFrom(digest.digest());
  }

  boolean isAsked(long id) {
    return decision != null && decision.getId() == id;
  }
}
