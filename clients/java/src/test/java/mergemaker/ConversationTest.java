package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.github.mergemaker.v1.AtFault;
import io.github.mergemaker.v1.DealMode;
import io.github.mergemaker.v1.Decision;
import io.github.mergemaker.v1.DefaultTaken;
import io.github.mergemaker.v1.Event;
import io.github.mergemaker.v1.Evidence;
import io.github.mergemaker.v1.FaultCause;
import io.github.mergemaker.v1.Hello;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.MomentKind;
import io.github.mergemaker.v1.PlayRequest;
import io.github.mergemaker.v1.PlayResponse;
import io.github.mergemaker.v1.RequestRefused;
import io.grpc.Status;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConversationTest {
  private static final ByteString PART = ByteString.copyFrom(new byte[32]);
  private final Conversation talk = talk(Options.usual());

  private static Conversation talk(Options options) {
    // The first part is known; another one would show.
    Iterator<ByteString> parts = List.of(PART, ByteString.copyFromUtf8("x".repeat(32))).iterator();
    return new Conversation("Ann", options, parts::next);
  }

  private static List<Output> welcome(Conversation talk, String token, boolean isResumed) {
    talk.hello();
    PlayResponse.Builder response = PlayResponse.newBuilder();
    response.getWelcomeBuilder().setResumeToken(token).setResumed(isResumed);
    response.getWelcomeBuilder().getLimitsBuilder().setMatchesMax(2);
    return talk.received(response.build());
  }

  private static PlayResponse.Builder about(String match) {
    return PlayResponse.newBuilder().setMatch(match);
  }

  private static PlayResponse offered(String match) {
    return about(match).setMatchOffered(MatchOffered.newBuilder().setSeat(1).setSeats(3)).build();
  }

  private static Decision decision(long id) {
    Decision.Builder decision = Decision.newBuilder().setId(id).setDefaultIndex(4);
    decision.getViewBuilder().getAskedBuilder().getChooseExchangeBuilder();
    decision.getAnswersBuilder().setCount(9).getListedBuilder();
    return decision.build();
  }

  private static PlayResponse asked(String match, long id) {
    return about(match).setDecision(decision(id)).build();
  }

  private static io.github.mergemaker.v1.Answer index(long decision, long index) {
    return io.github.mergemaker.v1.Answer.newBuilder()
        .setDecision(decision)
        .setIndex(index)
        .build();
  }

  private static PlayRequest sent(Output output) {
    return assertInstanceOf(Output.Send.class, output).request();
  }

  /** A match is on, and decision 7 is open. */
  private void play() {
    welcome(talk, "one", false);
    talk.received(offered("m"));
    talk.received(asked("m", 7));
  }

  private PlayResponse refused(long decision, int left) {
    PlayResponse.Builder response = about("m");
    response.getAnswerRefusedBuilder().setDecision(decision).setRefusalsLeft(left);
    return response.build();
  }

  private static PlayResponse noSeat(String match) {
    RequestRefused.Builder refused = RequestRefused.newBuilder().setRequest("take_seat");
    refused.getProblemBuilder().setReason("no-match").setText("there is none");
    return about(match).setRequestRefused(refused).build();
  }

  @Test
  void helloSaysWhoSpeaks() {
    Hello hello = talk(Options.usual().withVersion("2").withMatchesAtOnce(3)).hello().getHello();
    assertEquals(List.of(1), hello.getProtocolsList());
    assertEquals("Ann", hello.getBotName());
    assertEquals("2", hello.getBotVersion());
    assertEquals("mergemaker-java 0.1.0", hello.getLibrary());
    assertEquals(3, hello.getMatchesMax());
    assertFalse(hello.hasResume());
  }

  @Test
  void noMoreSeatsAreAskedForThanAreWantedAndAllowed() {
    assertEquals(1, welcome(talk(Options.usual()), "one", false).size());
    assertEquals(2, welcome(talk(Options.usual().withMatchesAtOnce(5)), "one", false).size());
    Options options = Options.usual().withMatchesAtOnce(5).withMatches(1);
    assertEquals(1, welcome(talk(options), "one", false).size());
  }

  @Test
  void aQuestionIsAskedAndItsAnswerSentOnce() {
    welcome(talk, "one", false);
    talk.received(offered("m"));
    Output asked = talk.received(asked("m", 7)).get(0);
    assertEquals(7, assertInstanceOf(Output.Ask.class, asked).decision().getId());
    PlayRequest answer = sent(talk.answered("m", index(7, 2)).get(0));
    assertEquals("m", answer.getMatch());
    assertEquals(index(7, 2), answer.getAnswer());
    assertEquals(List.of(), talk.answered("m", index(7, 2)));
  }

  private static PlayResponse requiring(String match, List<String> names, List<String> knobs) {
    PlayResponse.Builder response = offered(match).toBuilder();
    response.getMatchOfferedBuilder().addAllRequires(names);
    response.getMatchOfferedBuilder().getRulesBuilder().addAllNewerKnobs(knobs);
    return response.build();
  }

  @Test
  void aSeatInAMatchThatRequiresTheUnknownIsDeclined() {
    welcome(talk, "one", false);
    List<Output> outputs =
        talk.received(requiring("a", List.of("joint-deal", "telepathy"), List.of()));
    assertEquals(3, outputs.size());
    String text = assertInstanceOf(Output.Notice.class, outputs.get(0)).text();
    assertTrue(text.contains("'telepathy', which this library does not know"), text);
    PlayRequest declined = sent(outputs.get(1));
    assertEquals("a", declined.getMatch());
    assertEquals("unknown-requirement", declined.getDeclineSeat().getReason());
    assertTrue(sent(outputs.get(2)).hasTakeSeat());
    assertEquals(List.of(), talk.received(asked("a", 7)));
    assertEquals(3, talk.received(requiring("b", List.of(), List.of("weather"))).size());
    outputs = talk.received(requiring("a", List.of("telepathy"), List.of()));
    assertEquals(3, outputs.size());
    ClientException problem = assertInstanceOf(Output.Close.class, outputs.get(2)).problem();
    assertTrue(problem.getMessage().contains("telepathy"), problem.getMessage());
  }

  @Test
  void aMatchThatRequiresWhatIsKnownIsPlayed() {
    welcome(talk, "one", false);
    assertEquals(List.of(), talk.received(requiring("m", List.of("joint-deal"), List.of())));
    assertEquals(1, talk.received(asked("m", 7)).size());
  }

  @Test
  void anAnswerIsDroppedWhenItsTimeIsOver() {
    play();
    PlayResponse.Builder taken = about("m");
    taken.getDefaultTakenBuilder().setDecision(7);
    talk.received(taken.build());
    assertEquals(List.of(), talk.answered("m", index(7, 2)));
    talk.received(asked("m", 8));
    assertEquals(List.of(), talk.answered("m", index(7, 2)));
    assertEquals(List.of(), talk.answered("other", index(8, 2)));
    assertEquals(1, talk.answered("m", index(8, 2)).size());
  }

  @Test
  void whatIsOlderOrOfAnUnknownMatchIsPassedOver() {
    play();
    assertEquals(List.of(), talk.received(asked("m", 6)));
    assertEquals(List.of(), talk.received(asked("stranger", 8)));
    assertEquals(List.of(), talk.received(about("m").build()));
  }

  @Test
  void aRepeatedQuestionGetsTheSameAnswer() {
    play();
    assertEquals(List.of(), talk.received(asked("m", 7)));
    Output first = talk.answered("m", index(7, 2)).get(0);
    assertEquals(List.of(first), talk.received(asked("m", 7)));
  }

  @Test
  void anAnswerIsKeptWhileThereIsNoStream() {
    play();
    talk.broke(Status.Code.UNAVAILABLE, "");
    assertEquals(List.of(), talk.answered("m", index(7, 2)));
    welcome(talk, "two", true);
    assertEquals(index(7, 2), sent(talk.received(asked("m", 7)).get(0)).getAnswer());
  }

  @Test
  void aRefusedAnswerIsFollowedByTheDefaultOnce() {
    play();
    talk.answered("m", index(7, 2));
    List<Output> outputs = talk.received(refused(7, 2));
    assertInstanceOf(Output.Notice.class, outputs.get(0));
    assertEquals(index(7, 4), sent(outputs.get(1)).getAnswer());
    assertEquals(1, talk.received(refused(7, 1)).size());
  }

  @Test
  void eachQuestionIsAnsweredAnew() {
    play();
    talk.answered("m", index(7, 2));
    talk.received(refused(7, 2));
    talk.received(asked("m", 8));
    assertEquals(index(8, 3), sent(talk.answered("m", index(8, 3)).get(0)).getAnswer());
    assertEquals(index(8, 4), sent(talk.received(refused(8, 2)).get(1)).getAnswer());
  }

  @Test
  void aMatchThatIsOverAndOfferedOnceMoreIsTheLast() {
    play();
    PlayResponse.Builder ended = about("m");
    ended.getMatchEndedBuilder();
    assertEquals(2, talk.received(ended.build()).size());
    assertEquals(List.of(new Output.Close(null)), talk.received(offered("m")));
  }

  @Test
  void nothingFollowsARefusalThatIsTheLastOrOfALateAnswer() {
    play();
    talk.answered("m", index(7, 2));
    PlayResponse.Builder late = about("m");
    late.getAnswerRefusedBuilder().setDecision(7);
    assertEquals(1, talk.received(late.build()).size());
    assertEquals(1, talk.received(refused(6, 2)).size());
    assertEquals(1, talk.received(refused(7, 0)).size());
  }

  @Test
  void whatOnlyANewerLibraryKnowsIsAnsweredByItsDefault() {
    play();
    Decision newer = decision(8).toBuilder().clearView().build();
    List<Output> outputs = talk.received(about("m").setDecision(newer).build());
    assertEquals(index(8, 4), sent(outputs.get(1)).getAnswer());
    newer = decision(9).toBuilder().clearAnswers().build();
    outputs = talk.received(about("m").setDecision(newer).build());
    assertEquals(index(9, 4), sent(outputs.get(1)).getAnswer());
  }

  @Test
  void eventsAreToldOnceAndResumedBehindTheLast() {
    welcome(talk, "one", false);
    talk.received(offered("m"));
    Event.Builder first = Event.newBuilder().setNumber(1);
    Event.Builder second = Event.newBuilder().setNumber(2);
    talk.received(about("m").addEvents(first).build());
    List<Output> outputs = talk.received(about("m").addEvents(first).addEvents(second).build());
    assertEquals(List.of(new Output.Tell("m", List.of(second.build()))), outputs);
    talk.broke(Status.Code.UNAVAILABLE, "");
    Hello hello = talk.hello().getHello();
    assertEquals("one", hello.getResume().getResumeToken());
    assertEquals("m", hello.getResume().getSeen(0).getMatch());
    assertEquals(2, hello.getResume().getSeen(0).getLastEvent());
  }

  @Test
  void seatsAreClaimedWhenTheSessionIsLost() {
    play();
    talk.broke(Status.Code.UNAVAILABLE, "");
    List<Output> outputs = welcome(talk, "two", false);
    PlayRequest claim = sent(outputs.get(1));
    assertEquals("m", claim.getMatch());
    assertEquals(1, claim.getTakeSeat().getSeat());
    outputs = talk.received(noSeat("m"));
    assertInstanceOf(Output.End.class, outputs.get(1));
    assertEquals(new Output.Close(null), outputs.get(2));
  }

  @Test
  void inJointModeThePartIsPromisedAndRevealedTheSameAfterABreak() {
    welcome(talk, "one", false);
    MatchOffered joint =
        MatchOffered.newBuilder()
            .setSeat(1)
            .setDealMode(DealMode.DEAL_MODE_JOINT)
            .setCommitment(PART)
            .build();
    PlayResponse offer = about("m").setMatchOffered(joint).build();
    PlayRequest ready = sent(talk.received(offer).get(0));
    // SHA-256 over the label and a byte 0, 32 bytes 0, a byte 1, and 32 bytes 0.
    assertEquals(
        ByteString.fromHex("ed14f7f3fef507dfb632e48b30d5c77805c902f6892a6381c56378e64a44220c"),
        ready.getSeatReady().getCommitment());
    talk.broke(Status.Code.UNAVAILABLE, "");
    welcome(talk, "two", true);
    assertEquals(ready, sent(talk.received(offer).get(0)));
    PlayResponse.Builder committed = about("m");
    committed.getSeatsCommittedBuilder();
    assertEquals(PART, sent(talk.received(committed.build()).get(0)).getSeatReveal().getPart());
  }

  @Test
  void pingsAreAnswered() {
    PlayResponse.Builder ping = PlayResponse.newBuilder();
    ping.getPingBuilder().setId(7);
    assertEquals(7, sent(talk.received(ping.build()).get(0)).getPong().getId());
  }

  @Test
  void theStreamIsClosedWhenNoOtherSeatIsGiven() {
    play();
    PlayResponse.Builder ended = about("m");
    ended.getMatchEndedBuilder();
    List<Output> outputs = talk.received(ended.build());
    assertInstanceOf(Output.End.class, outputs.get(0));
    assertTrue(sent(outputs.get(1)).hasTakeSeat());
    assertEquals(List.of(new Output.Close(null)), talk.received(noSeat("")));
    assertEquals(new Output.Over(null), talk.broke(Status.Code.OK, ""));
  }

  @Test
  void withoutASeatTheRefusalIsTheProblem() {
    welcome(talk, "one", false);
    Output.Close close = assertInstanceOf(Output.Close.class, talk.received(noSeat("")).get(0));
    assertEquals("no-match", close.problem().reason());
  }

  private Output.Broken goodbye(String reason, boolean isReconnect, int afterMs) {
    PlayResponse.Builder response = PlayResponse.newBuilder();
    response
        .getGoodbyeBuilder()
        .setReason(reason)
        .setReconnect(isReconnect)
        .setReconnectAfterMs(afterMs);
    talk.received(response.build());
    return talk.broke(Status.Code.UNAVAILABLE, "");
  }

  private static ClientException.Kind problem(Output.Broken broken) {
    return assertInstanceOf(Output.Over.class, broken).problem().kind();
  }

  @Test
  void whoIsTakenOverNeverComesBack() {
    play();
    assertEquals(ClientException.Kind.TAKEN_OVER, problem(talk.broke(Status.Code.ABORTED, "")));
    assertEquals(ClientException.Kind.TAKEN_OVER, problem(goodbye("taken-over", true, 0)));
  }

  @Test
  void aGoodbyeSaysWhetherAndWhenToComeBack() {
    play();
    assertEquals(new Output.Again(250), goodbye("referee-closing", true, 250));
    assertEquals(ClientException.Kind.REFUSED, problem(goodbye("protocol", false, 0)));
    PlayResponse.Builder ended = about("m");
    ended.getMatchEndedBuilder();
    talk.received(ended.build());
    Output.Over over = assertInstanceOf(Output.Over.class, goodbye("referee-closing", false, 0));
    assertNull(over.problem());
  }

  @Test
  void someStatusesAreForGood() {
    for (Status.Code code :
        List.of(
            Status.Code.UNAUTHENTICATED,
            Status.Code.PERMISSION_DENIED,
            Status.Code.FAILED_PRECONDITION,
            Status.Code.INVALID_ARGUMENT,
            Status.Code.UNIMPLEMENTED,
            Status.Code.NOT_FOUND,
            Status.Code.ALREADY_EXISTS)) {
      assertEquals(ClientException.Kind.REFUSED, problem(talk.broke(code, "no")), code.name());
    }
    play();
    assertEquals(new Output.Again(0), talk.broke(Status.Code.ALREADY_EXISTS, ""));
    assertEquals(new Output.Again(0), talk.broke(Status.Code.OK, ""));
    assertEquals(new Output.Again(0), talk.broke(Status.Code.INTERNAL, ""));
  }

  private static String notice(Output output) {
    return assertInstanceOf(Output.Notice.class, output).text();
  }

  private static DefaultTaken.Builder taken(long decision) {
    DefaultTaken.Builder taken = DefaultTaken.newBuilder().setDecision(decision).setText("late");
    taken.setCause(FaultCause.FAULT_CAUSE_NEVER_JOINED).setDefaultsLeft(4);
    Evidence.Builder evidence = taken.getEvidenceBuilder().setAtFault(AtFault.AT_FAULT_NETWORK);
    evidence.setText("a long way").setTrace("m/1/" + decision);
    evidence.addMomentsBuilder().setKind(MomentKind.MOMENT_KIND_HANDED).setAtUs(250);
    evidence.addMomentsBuilder().setKindValue(99).setAtUs(1_002_000);
    return taken;
  }

  @Test
  void aDefaultIsSaidOnceWithItsEvidence() {
    play();
    String said = notice(talk.received(about("m").setDefaultTaken(taken(7)).build()).get(0));
    assertEquals(
        "a default was taken for decision 7 (never joined): late; 4 more, and the seat is no longer"
            + " asked; the way's fault: a long way (in ms: handed 0.3, 99 1002.0); ask the operator"
            + " about m/1/7",
        said);
    PlayResponse.Builder ended = about("m");
    ended.getMatchEndedBuilder().addDefaults(taken(7)).addDefaults(taken(8).setCauseValue(77));
    ended.getMatchEndedBuilder().getVoidedBuilder().setAtFaultValue(55).setRefereeLagUs(1_500);
    List<Output> outputs = talk.received(ended.build());
    assertTrue(notice(outputs.get(0)).startsWith("a default was taken for decision 8 (77)"));
    assertEquals(
        "the match was voided; fault of 55: ; the referee was held up meanwhile, its transport for"
            + " 0.0 ms, itself for 1.5 ms",
        notice(outputs.get(1)));
    assertInstanceOf(Output.End.class, outputs.get(2));
  }

  @Test
  void aProblemSaysWhatToAskTheOperatorAbout() {
    play();
    PlayResponse.Builder response = about("m");
    response.getAnswerRefusedBuilder().setDecision(7).getProblemBuilder().setReason("not-legal");
    response
        .getAnswerRefusedBuilder()
        .getProblemBuilder()
        .setText("no")
        .setRule("BUY")
        .setTrace("t");
    assertEquals(
        "the answer to decision 7 was refused (not-legal): no [BUY]; ask the operator about t",
        notice(talk.received(response.build()).get(0)));
    PlayResponse.Builder goodbye = PlayResponse.newBuilder();
    goodbye.getGoodbyeBuilder().setReason("protocol").setText("odd").setTrace("s-1");
    assertEquals(
        "the referee ends the stream (protocol): odd; ask the operator about s-1",
        notice(talk.received(goodbye.build()).get(0)));
  }
}
