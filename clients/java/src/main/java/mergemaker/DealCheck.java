package mergemaker;

import com.google.protobuf.ByteString;
import io.github.mergemaker.v1.DealMode;
import io.github.mergemaker.v1.DealProof;
import io.github.mergemaker.v1.Event;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Whether a deal was the one that the referee promised, as far as one seat can tell. */
final class DealCheck {
  private DealCheck() {}

  /**
   * How far the deal was the one promised; what does not agree is an error. Without a proof there
   * is nothing to check yet; a witness that is null says that no tile was dealt.
   */
  static DealFinding check(Promised promised, Optional<DealProof> told, Witness witness)
      throws FalseDealException {
    DealMode mode = promised.offered.getDealMode();
    boolean isPromised = mode == DealMode.DEAL_MODE_SERVER || mode == DealMode.DEAL_MODE_JOINT;
    if (isPromised && !promised.isMade()) {
      throw new FalseDealException(
          "no-promise",
          "a commitment of %d bytes was to come first, not one of %d"
              .formatted(Deals.BYTES, promised.offered.getCommitment().size()));
    }
    if (promised.isChanged) {
      throw new FalseDealException(
          "promise-changed", "the referee showed one promise first, and another one later");
    }
    if (told.isEmpty()) {
      return DealFinding.NOT_RELEASED;
    }
    DealProof proof = told.get();
    has("the seed", proof.getSeed());
    boolean isAll = !isPromised || isKept(promised, proof, witness != null);
    if (witness == null || !witness.isWhole()) {
      return DealFinding.IN_PART;
    }
    Pile pile = new Pile(proof.getSeed());
    for (Event event : witness.events()) {
      pile.check(event);
    }
    if (!isAll) {
      return DealFinding.IN_PART;
    }
    return isPromised ? DealFinding.PROVEN : DealFinding.NOT_PROMISED;
  }

  private static void has(String what, ByteString bytes) throws FalseDealException {
    if (bytes.size() != Deals.BYTES) {
      throw unreadable("%s has %d bytes, not %d".formatted(what, Deals.BYTES, bytes.size()));
    }
  }

  private static FalseDealException unreadable(String text) {
    return new FalseDealException("unreadable-proof", text);
  }

  /** Whether all of the promise could be checked; what was not kept is an error. */
  private static boolean isKept(Promised promised, DealProof proof, boolean wasDealt)
      throws FalseDealException {
    has("the referee's part of the seed", proof.getServerSeed());
    has("the nonce", proof.getNonce());
    String named = promised.offered.getPromiseMatch();
    String match = named.isEmpty() ? promised.match : named;
    ByteString made = Deals.commitment(match, proof.getNonce(), proof.getServerSeed());
    if (!made.equals(promised.offered.getCommitment())) {
      throw new FalseDealException(
          "promise-broken",
          "before the first tile the referee promised %s; what it tells now makes %s"
              .formatted(hex(promised.offered.getCommitment()), hex(made)));
    }
    if (promised.isJoint()) {
      return isJointKept(promised, proof, wasDealt);
    }
    if (!proof.getSeed().equals(proof.getServerSeed())) {
      throw new FalseDealException(
          "seed-differs", "the deal's seed is not the one that the referee promised");
    }
    return true;
  }

  private static boolean isJointKept(Promised promised, DealProof proof, boolean wasDealt)
      throws FalseDealException {
    List<ByteString> parts = proof.getPartsList();
    if (!wasDealt && parts.isEmpty()) {
      return false; // the match was over before the parts were revealed
    }
    int seats = promised.offered.getSeats();
    if (parts.size() != seats) {
      throw unreadable(
          "there is a part for each of %d seats, not %d of them".formatted(seats, parts.size()));
    }
    for (int seat = 0; seat < seats; seat++) {
      if (!parts.get(seat).isEmpty()) {
        has("the part of seat " + seat, parts.get(seat));
      }
    }
    if (!proof.getSeed().equals(Deals.jointSeed(proof.getServerSeed(), parts))) {
      throw new FalseDealException(
          "seed-differs",
          "the deal's seed does not follow from the referee's part and those of the seats");
    }
    if (promised.seats == null) {
      return false;
    }
    checkParts(promised, parts);
    return !promised.isRefused;
  }

  /** Each seat's part is the one that it promised, and this seat's is the one that it sent. */
  private static void checkParts(Promised promised, List<ByteString> parts)
      throws FalseDealException {
    List<ByteString> commitments = promised.seats;
    if (commitments.size() != parts.size()) {
      throw unreadable(
          "there is a promise for each of %d seats, not %d of them"
              .formatted(parts.size(), commitments.size()));
    }
    ByteString commitment = promised.offered.getCommitment();
    for (int seat = 0; seat < parts.size(); seat++) {
      ByteString part = parts.get(seat);
      if (!part.isEmpty()
          && !Deals.seatCommitment(commitment, seat, part).equals(commitments.get(seat))) {
        throw new FalseDealException(
            "part-differs", "the part of seat %d is not the one that it promised".formatted(seat));
      }
    }
    if (promised.isRefused || !promised.isRevealed) {
      return;
    }
    int own = promised.offered.getSeat();
    if (own >= parts.size() || !promised.ownCommitment().equals(commitments.get(own))) {
      throw new FalseDealException(
          "own-promise-differs", "the referee showed another promise in this seat's name");
    }
    if (!promised.part.equals(parts.get(own))) {
      throw new FalseDealException(
          "own-part-differs", "the referee left out the part of the seed that this seat revealed");
    }
  }

  private static String hex(ByteString bytes) {
    StringBuilder text = new StringBuilder();
    for (byte each : bytes.toByteArray()) {
      text.append("%02x".formatted(each));
    }
    return text.toString();
  }

  private static String names(Collection<Integer> squares) {
    String text =
        new TreeSet<>(squares).stream().map(Deals::squareName).collect(Collectors.joining(" "));
    return text.isEmpty() ? "nothing" : text;
  }

  /**
   * A pile that is drawn from as announced. Everybody knows who draws how many, so every hand can
   * be derived.
   */
  private static final class Pile {
    private final ByteString seed;
    private final List<Integer> order;
    private final Map<Integer, List<Integer>> hands = new HashMap<>();
    private int drawn;
    private int marketDraws;

    /** The tiles drawn last. */
    private List<Integer> last = List.of();

    Pile(ByteString seed) {
      this.seed = seed;
      order = Deals.order(seed);
    }

    /** Compares an announcement with the deal. */
    void check(Event event) throws FalseDealException {
      switch (event.getKindCase()) {
        case START_TILE_PLACED ->
            agree(
                "the start tile of seat " + event.getStartTilePlaced().getSeat(),
                List.of(event.getStartTilePlaced().getSquare()),
                taken(1));
        case TILES_DRAWN -> draw(event.getTilesDrawn().getSeat(), event.getTilesDrawn().getCount());
        case TILES_RECEIVED ->
            agree("what this seat drew", event.getTilesReceived().getSquaresList(), last);
        case TILE_PLACED ->
            leave(
                event.getTilePlaced().getSeat(),
                List.of(event.getTilePlaced().getSquare()),
                "placed");
        case TILES_SET_ASIDE ->
            leave(
                event.getTilesSetAside().getSeat(),
                event.getTilesSetAside().getSquaresList(),
                "set aside");
        case HAND_SHOWN -> {
          int seat = event.getHandShown().getSeat();
          agree("the hand of seat " + seat, event.getHandShown().getSquaresList(), hand(seat));
        }
        case MARKET_DREW ->
            market(
                event.getMarketDrew().hasSquare()
                    ? List.of(event.getMarketDrew().getSquare())
                    : List.of());
        default -> {}
      }
    }

    private List<Integer> hand(int seat) {
      return hands.computeIfAbsent(seat, each -> new ArrayList<>());
    }

    private List<Integer> taken(int count) {
      int until = count < 0 ? order.size() : Math.min(drawn + count, order.size());
      List<Integer> taken = order.subList(drawn, until);
      drawn = until;
      return taken;
    }

    private void draw(int seat, int count) throws FalseDealException {
      last = taken(count);
      if (last.size() != count) {
        throw new FalseDealException(
            "tiles-differ",
            "seat %d drew %d tiles, and %d were left".formatted(seat, count, last.size()));
      }
      hand(seat).addAll(last);
    }

    private void leave(int seat, List<Integer> squares, String how) throws FalseDealException {
      for (Integer square : squares) {
        if (!hand(seat).remove(square)) {
          throw new FalseDealException(
              "tiles-differ",
              "seat %d %s %s; by the deal it had %s"
                  .formatted(seat, how, Deals.squareName(square), names(hand(seat))));
        }
      }
    }

    private void market(List<Integer> seen) throws FalseDealException {
      int left = order.size() - drawn;
      List<Integer> expected = List.of();
      if (left > 0) {
        expected = List.of(order.get(drawn + Deals.marketIndex(seed, marketDraws, left)));
        marketDraws++;
      }
      agree("the tile drawn for the market", seen, expected);
    }

    private static void agree(String what, List<Integer> seen, List<Integer> expected)
        throws FalseDealException {
      if (seen.size() != expected.size() || !names(seen).equals(names(expected))) {
        throw new FalseDealException(
            "tiles-differ",
            "%s was %s; by the deal it is %s".formatted(what, names(seen), names(expected)));
      }
    }
  }
}
