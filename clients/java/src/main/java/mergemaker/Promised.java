package mergemaker;

import com.google.protobuf.ByteString;
import io.github.mergemaker.v1.DealMode;
import io.github.mergemaker.v1.MatchOffered;
import java.util.List;
import java.util.function.Supplier;

/** The promises for a match's deal, by the referee and, in joint mode, by all seats. */
final class Promised {
  final String match;

  /** The first offer: later ones change no promise. */
  final MatchOffered offered;

  /** In joint mode: this seat's part of the seed, the same after every break. */
  ByteString part = ByteString.EMPTY;

  /** In joint mode: the promises of all seats; null if this process did not get it. */
  List<ByteString> seats;

  /** Whether this seat revealed its part. */
  boolean isRevealed;

  /** Whether the referee refused this seat's promise or its part. */
  boolean isRefused;

  /** Whether the referee showed another promise later. */
  boolean isChanged;

  Promised(String match, MatchOffered offered) {
    this.match = match;
    this.offered = offered;
  }

  boolean isJoint() {
    return offered.getDealMode() == DealMode.DEAL_MODE_JOINT;
  }

  /** Whether there is a promise to compare with. */
  boolean isMade() {
    return offered.getCommitment().size() == Deals.BYTES;
  }

  /** Takes a later offer of the same match, as after a break. */
  void shownAgain(MatchOffered later) {
    isChanged |=
        !later.getCommitment().equals(offered.getCommitment())
            || !later.getPromiseMatch().equals(offered.getPromiseMatch())
            || later.getDealModeValue() != offered.getDealModeValue();
  }

  /** Takes the promises of all seats. */
  void committed(List<ByteString> commitments) {
    if (seats == null) {
      seats = List.copyOf(commitments);
    }
    isChanged |= !seats.equals(commitments);
  }

  /** This seat's promise; draws its part if there is none yet. */
  ByteString ownCommitment(Supplier<ByteString> freshPart) {
    if (part.isEmpty()) {
      part = freshPart.get();
    }
    return ownCommitment();
  }

  ByteString ownCommitment() {
    return Deals.seatCommitment(offered.getCommitment(), offered.getSeat(), part);
  }
}
