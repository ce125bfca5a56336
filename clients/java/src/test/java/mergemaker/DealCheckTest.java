package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.github.mergemaker.v1.DealMode;
import io.github.mergemaker.v1.DealProof;
import io.github.mergemaker.v1.Event;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.PlayResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DealCheckTest {
  private static ByteString bytes(int fill, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) fill);
    return ByteString.copyFrom(bytes);
  }

  private static ByteString bytes(int fill) {
    return bytes(fill, 32);
  }

  /** A match that is to be checked, each part of which a test can spoil. */
  private static final class Played {
    final MatchOffered.Builder offered;
    final DealProof.Builder proof;
    final List<Event> events = new ArrayList<>();
    Consumer<Promised> happens = promised -> {};

    Played(MatchOffered offered, DealProof proof) {
      this.offered = offered.toBuilder();
      this.proof = proof.toBuilder();
    }

    DealFinding finding() throws FalseDealException {
      Promised promised = new Promised("classic-2", offered.build());
      happens.accept(promised);
      Witness witness = new Witness();
      witness.saw(events);
      return DealCheck.check(promised, Optional.of(proof.build()), witness);
    }
  }

  /** A whole match of a dialogue, with all that its seat saw; nothing is promised. */
  private static Played played(Path dialogue) throws InvalidProtocolBufferException {
    List<JsonObject> lines = Vectors.lines(dialogue);
    List<PlayResponse> responses = new ArrayList<>();
    for (JsonObject line : lines.subList(1, lines.size())) {
      responses.add(PlayResponse.parseFrom(Vectors.bytes(line, "response")));
    }
    Played played =
        new Played(
            MatchOffered.parseFrom(Vectors.bytes(lines.get(0), "offered")),
            responses.get(responses.size() - 1).getMatchEnded().getProof());
    responses.forEach(response -> played.events.addAll(response.getEventsList()));
    return played;
  }

  private static Played plain() throws InvalidProtocolBufferException {
    return played(Vectors.folder().resolve("dialogues/classic-2.jsonl"));
  }

  private static Played server() throws InvalidProtocolBufferException {
    Played played = plain();
    played.proof.setServerSeed(played.proof.getSeed()).setNonce(bytes(7));
    played
        .offered
        .setDealMode(DealMode.DEAL_MODE_SERVER)
        .setPromiseMatch("")
        .setCommitment(Deals.commitment("classic-2", bytes(7), played.proof.getSeed()));
    return played;
  }

  /** A match in joint mode whose tiles nobody saw. */
  private static Played joint() throws InvalidProtocolBufferException {
    Played played = server();
    played.events.clear();
    played.offered.setDealMode(DealMode.DEAL_MODE_JOINT);
    List<ByteString> parts =
        IntStream.range(0, played.offered.getSeats()).mapToObj(seat -> bytes(seat + 1)).toList();
    played.proof.addAllParts(parts);
    reseed(played);
    played.happens =
        promised -> {
          promised.part = bytes(promised.offered.getSeat() + 1);
          promised.isRevealed = true;
          promised.committed(commitments(promised, parts));
        };
    return played;
  }

  private static List<ByteString> commitments(Promised promised, List<ByteString> parts) {
    ByteString commitment = promised.offered.getCommitment();
    return IntStream.range(0, parts.size())
        .mapToObj(seat -> Deals.seatCommitment(commitment, seat, parts.get(seat)))
        .toList();
  }

  private static void reseed(Played played) {
    DealProof.Builder proof = played.proof;
    proof.setSeed(Deals.jointSeed(proof.getServerSeed(), proof.getPartsList()));
  }

  private static void isFalse(String reason, Played played) {
    assertEquals(reason, assertThrows(FalseDealException.class, played::finding).reason());
  }

  @Test
  void theCommitmentIsTheOneThatRecordsGoesThrough() {
    ByteString nonce =
        ByteString.fromHex("c9abe8fcf8dbb670c765274e23b393695bdbca2651ca90231aba2f0fa998f7a5");
    ByteString seed =
        ByteString.fromHex("06afa8f30ccb4fe2a2d9b38181dcbd9008536dce7c9a2cf74990adce752c2ebe");
    assertEquals(
        ByteString.fromHex("6a2146262786c5d0eb4271adcf4117142cf3cdc1c388c6ac0d8311c4670a6e4b"),
        Deals.commitment("classic-2-market", nonce, seed));
  }

  @Test
  void theTilesOfWholeMatchesAreThoseOfTheirSeeds() throws Exception {
    for (Path dialogue : Vectors.dialogues()) {
      assertEquals(DealFinding.NOT_PROMISED, played(dialogue).finding(), dialogue.toString());
    }
  }

  @Test
  void aPromiseThatWasKeptIsProven() throws Exception {
    assertEquals(DealFinding.PROVEN, server().finding());
    assertEquals(DealFinding.PROVEN, joint().finding());
  }

  @Test
  void whatThisProcessDidNotSeeIsNotHeldAgainstTheReferee() throws Exception {
    Played played = joint();
    played.happens = promised -> {};
    assertEquals(DealFinding.IN_PART, played.finding());
    Promised promised = new Promised("classic-2", played.offered.build());
    DealProof early = played.proof.clone().clearParts().build();
    assertEquals(DealFinding.IN_PART, DealCheck.check(promised, Optional.of(early), null));
    assertEquals(
        DealFinding.NOT_RELEASED, DealCheck.check(promised, Optional.empty(), new Witness()));
  }

  @Test
  void aPromiseThatNeverCameOrChangedIsFalse() throws Exception {
    Played played = server();
    played.offered.clearCommitment();
    isFalse("no-promise", played);
    played = server();
    MatchOffered later = played.offered.clone().setCommitment(bytes(9)).build();
    played.happens = promised -> promised.shownAgain(later);
    isFalse("promise-changed", played);
    played = joint();
    played.happens =
        played.happens.andThen(promised -> promised.committed(List.of(bytes(9), bytes(9))));
    isFalse("promise-changed", played);
  }

  @Test
  void aProofThatDoesNotFollowFromThePromiseIsFalse() throws Exception {
    Played played = server();
    played.proof.setNonce(bytes(9));
    isFalse("promise-broken", played);
    played = server();
    played.proof.setSeed(bytes(9));
    isFalse("seed-differs", played);
    played = server();
    played.proof.setSeed(bytes(9, 31));
    isFalse("unreadable-proof", played);
    played = joint();
    played.proof.setSeed(bytes(9));
    isFalse("seed-differs", played);
    played = joint();
    played.proof.clearParts().addParts(bytes(1));
    isFalse("unreadable-proof", played);
  }

  @Test
  void tilesThatAreNotThoseOfTheDealAreFalse() throws Exception {
    Played played = plain();
    played.proof.setSeed(bytes(9));
    isFalse("tiles-differ", played);
    played = server();
    played.events.remove(3);
    isFalse("events-missing", played);
  }

  @Test
  void partsThatAreNotThoseThatWerePromisedAreFalse() throws Exception {
    Played played = joint();
    int own = played.offered.getSeat();
    played.proof.setParts(1 - own, bytes(9));
    reseed(played);
    isFalse("part-differs", played);
    played = joint();
    played.proof.setParts(own, ByteString.EMPTY);
    reseed(played);
    isFalse("own-part-differs", played);
    played = joint();
    played.happens = played.happens.andThen(promised -> promised.part = bytes(9));
    isFalse("own-promise-differs", played);
  }
}
