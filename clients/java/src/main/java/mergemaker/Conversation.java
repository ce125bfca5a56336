package mergemaker;

import com.google.protobuf.ByteString;
import io.github.mergemaker.v1.AnswerRefused;
import io.github.mergemaker.v1.Decision;
import io.github.mergemaker.v1.DeclineSeat;
import io.github.mergemaker.v1.DefaultTaken;
import io.github.mergemaker.v1.Ending;
import io.github.mergemaker.v1.Event;
import io.github.mergemaker.v1.Goodbye;
import io.github.mergemaker.v1.Hello;
import io.github.mergemaker.v1.LegalAnswers;
import io.github.mergemaker.v1.MatchEnded;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.MatchStarted;
import io.github.mergemaker.v1.PlayRequest;
import io.github.mergemaker.v1.PlayResponse;
import io.github.mergemaker.v1.Pong;
import io.github.mergemaker.v1.Problem;
import io.github.mergemaker.v1.Question;
import io.github.mergemaker.v1.RequestRefused;
import io.github.mergemaker.v1.SeatReady;
import io.github.mergemaker.v1.SeatReveal;
import io.github.mergemaker.v1.SeenMatch;
import io.github.mergemaker.v1.TakeSeat;
import io.github.mergemaker.v1.Welcome;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The client's side of a stream, without I/O: what came goes in, and what is to be done comes out.
 *
 * <p>A conversation outlives its streams. It knows the session, and of each match how far it was
 * seen, what is asked, and what was answered. Its driver opens a stream and sends {@link #hello},
 * hands on every response ({@link #received}), every answer of the bot ({@link #answered}) and
 * every break ({@link #broke}), and does what it is told, in order. It holds no lock: one thread at
 * a time.
 */
final class Conversation {
  /** The version of the protocol that this library speaks. */
  static final int PROTOCOL = 1;

  /** What this library does beyond what every client does. */
  private static final List<String> CAPABILITIES = List.of("joint-deal");

  private static final String UNKNOWN_REQUIREMENT = "unknown-requirement";
  private static final int NAME_CHARACTERS_MAX = 64;

  /** Requests by which a seat takes part in the deal. */
  private static final Set<String> OF_THE_DEAL = Set.of("seat_ready", "seat_reveal");

  private final String name;
  private final Options options;
  private final Supplier<ByteString> freshPart;
  private final Map<String, MatchTalk> matches = new LinkedHashMap<>();

  /** Matches that were played to their end. */
  private final Set<String> over = new HashSet<>();

  /** Matches that require what is unknown here. */
  private final Set<String> declined = new HashSet<>();

  /** What the last of them requires; null if there is none. */
  private ClientException unknown;

  private int played;

  /** Seats that were asked for and neither given nor refused. */
  private int waiting;

  /** Why no other seat is given; null while some may be. */
  private ClientException refusal;

  private String resumeToken = "";
  private boolean isWelcome;

  /** How many matches at once the referee allows. */
  private int allowed = 1;

  /** The goodbye of this stream; null if there was none. */
  private Goodbye goodbye;

  /** That all is done, and how; null before. */
  private Output.Close closing;

  Conversation(String name, Options options, Supplier<ByteString> freshPart) {
    this.name = name;
    this.options = options;
    this.freshPart = freshPart;
  }

  /** Whether the stream's Hello was answered. */
  boolean isWelcome() {
    return isWelcome;
  }

  /** Whether a match goes on. */
  boolean isPlaying() {
    return !matches.isEmpty();
  }

  /** Whether all is done. */
  boolean isClosed() {
    return closing != null;
  }

  /** The first request of a new stream. */
  PlayRequest hello() {
    isWelcome = false;
    goodbye = null;
    Hello.Builder hello =
        Hello.newBuilder()
            .addProtocols(PROTOCOL)
            .addAllCapabilities(CAPABILITIES)
            .setBotName(name)
            .setBotVersion(options.version())
            .setLibrary(Mergemaker.LIBRARY)
            .setEventMode(options.events().message())
            .setMatchesMax(options.matchesAtOnce())
            .setEvict(options.evict());
    if (!resumeToken.isEmpty()) {
      hello.getResumeBuilder().setResumeToken(resumeToken);
      for (MatchTalk match : matches.values()) {
        hello
            .getResumeBuilder()
            .addSeen(SeenMatch.newBuilder().setMatch(match.id).setLastEvent(match.lastEvent));
      }
    }
    return PlayRequest.newBuilder().setHello(hello).build();
  }

  /** Takes a response: what is set, in the order of the fields; unknown fields are skipped. */
  List<Output> received(PlayResponse response) {
    List<Output> outputs = new ArrayList<>();
    String about = response.getMatch();
    if (response.hasWelcome()) {
      welcome(outputs, response.getWelcome());
    }
    if (response.hasMatchOffered()) {
      matchOffered(outputs, about, response.getMatchOffered());
    }
    if (response.hasSeatsCommitted()) {
      seatsCommitted(outputs, about, response.getSeatsCommitted().getCommitmentsList());
    }
    if (response.hasMatchStarted()) {
      matchStarted(outputs, about, response.getMatchStarted());
    }
    if (response.hasAnswerAccepted()) {
      settled(about, response.getAnswerAccepted().getDecision());
    }
    if (response.hasAnswerRefused()) {
      answerRefused(outputs, about, response.getAnswerRefused());
    }
    if (response.hasDefaultTaken()) {
      defaultTaken(outputs, about, response.getDefaultTaken());
    }
    if (response.getEventsCount() > 0) {
      events(outputs, about, response.getEventsList());
    }
    if (response.hasDecision()) {
      decision(outputs, about, response.getDecision());
    }
    if (response.hasMatchEnded()) {
      matchEnded(outputs, about, response.getMatchEnded());
    }
    if (response.hasRequestRefused()) {
      requestRefused(outputs, about, response.getRequestRefused());
    }
    if (response.hasPing()) {
      Pong pong = Pong.newBuilder().setId(response.getPing().getId()).build();
      outputs.add(new Output.Send(PlayRequest.newBuilder().setPong(pong).build()));
    }
    if (response.hasGoodbye()) {
      goodbye = response.getGoodbye();
      String said = "the referee ends the stream (" + goodbye.getReason() + "): ";
      outputs.add(
          new Output.Notice("", said + goodbye.getText() + Faults.askedBy(goodbye.getTrace())));
    }
    closeIfDone(outputs);
    return outputs;
  }

  /**
   * Takes the bot's answer. It is dropped if its time is over, and kept while there is no stream.
   */
  List<Output> answered(String about, io.github.mergemaker.v1.Answer answer) {
    List<Output> outputs = new ArrayList<>();
    MatchTalk match = matches.get(about);
    if (match != null
        && match.isAsked(answer.getDecision())
        && match.isOpen
        && match.answer == null) {
      answer(outputs, match, answer);
    }
    return outputs;
  }

  /** Takes the end of a stream. */
  Output.Broken broke(Status.Code code, String text) {
    isWelcome = false;
    if (closing != null) {
      return new Output.Over(closing.problem());
    }
    if (code == Status.Code.ALREADY_EXISTS && !resumeToken.isEmpty()) {
      // The live session may be our own, whose end the referee has not noticed yet.
      return new Output.Again(0);
    }
    String reason = goodbye == null ? "" : goodbye.getReason();
    if (code == Status.Code.ABORTED || reason.equals(Statuses.TAKEN_OVER)) {
      return new Output.Over(Statuses.takenOver());
    }
    boolean isDone = matches.isEmpty() && played > 0;
    boolean isForGood = goodbye != null && !goodbye.getReconnect();
    if (isDone && (isForGood || code == Status.Code.OK)) {
      return new Output.Over(null);
    }
    Optional<String> advice = Statuses.advice(code, goodbye == null ? text : goodbye.getText());
    if (advice.isPresent()) {
      String kind = code.name().toLowerCase(Locale.ROOT).replace('_', '-');
      return new Output.Over(Statuses.refused(reason.isEmpty() ? kind : reason, advice.get()));
    }
    if (isForGood) {
      String said = "the referee ended the stream for good: " + goodbye.getText();
      return new Output.Over(Statuses.refused(reason, said));
    }
    long least = goodbye == null ? 0 : Integer.toUnsignedLong(goodbye.getReconnectAfterMs());
    return new Output.Again(least);
  }

  // What a response can hold, in the order of its fields.

  private void welcome(List<Output> outputs, Welcome welcome) {
    boolean wasKnown = !resumeToken.isEmpty();
    isWelcome = true;
    resumeToken = welcome.getResumeToken();
    allowed = Math.max(1, welcome.getLimits().getMatchesMax());
    waiting = 0;
    if (wasKnown && !welcome.getResumed()) {
      outputs.add(
          new Output.Notice(
              "", "the referee does not know the session any more: the seats are claimed again"));
      for (MatchTalk match : matches.values()) {
        TakeSeat claim = TakeSeat.newBuilder().setSeat(match.promised.offered.getSeat()).build();
        outputs.add(send(match, PlayRequest.newBuilder().setTakeSeat(claim)));
      }
    }
    takeSeats(outputs);
  }

  private void matchOffered(List<Output> outputs, String about, MatchOffered offered) {
    if (over.contains(about)) {
      // A seat's own token brings the same match again, to show its result: there is no other.
      waiting = Math.max(0, waiting - 1);
      String said = "the match " + about + " is over, and there is no other for this token";
      refusal = Statuses.refused("match-over", said);
      return;
    }
    MatchTalk match = matches.get(about);
    if (match == null) {
      Optional<String> unknown = unknownRequirement(offered);
      if (unknown.isPresent()) {
        decline(outputs, about, unknown.get());
        return;
      }
      match = new MatchTalk(about, offered);
      matches.put(about, match);
      waiting = Math.max(0, waiting - 1);
    }
    Promised promised = match.promised;
    promised.shownAgain(offered);
    if (promised.isJoint() && promised.isMade() && !match.hasBegun) {
      SeatReady ready =
          SeatReady.newBuilder().setCommitment(promised.ownCommitment(freshPart)).build();
      outputs.add(send(match, PlayRequest.newBuilder().setSeatReady(ready)));
    }
  }

  private void seatsCommitted(List<Output> outputs, String about, List<ByteString> commitments) {
    MatchTalk match = matches.get(about);
    if (match != null && !match.promised.part.isEmpty()) {
      match.promised.committed(commitments);
      match.promised.isRevealed = true;
      SeatReveal reveal = SeatReveal.newBuilder().setPart(match.promised.part).build();
      outputs.add(send(match, PlayRequest.newBuilder().setSeatReveal(reveal)));
    }
  }

  private void matchStarted(List<Output> outputs, String about, MatchStarted started) {
    MatchTalk match = matches.get(about);
    if (match != null && !match.hasBegun) {
      match.hasBegun = true;
      outputs.add(new Output.Begin(about, match.promised.offered, started));
    }
  }

  private void settled(String about, long decision) {
    MatchTalk match = matches.get(about);
    if (match != null && match.isAsked(decision)) {
      match.isOpen = false;
    }
  }

  private void answerRefused(List<Output> outputs, String about, AnswerRefused refused) {
    MatchTalk match = matches.get(about);
    String said =
        "the answer to decision %s was refused %s"
            .formatted(
                Long.toUnsignedString(refused.getDecision()), Faults.problem(refused.getProblem()));
    said =
        refused.hasEvidence()
            ? said + "; " + Faults.evidence(refused.getEvidence())
            : said + Faults.askedBy(refused.getProblem().getTrace());
    outputs.add(new Output.Notice(about, said));
    boolean isLeft = refused.hasRefusalsLeft() && refused.getRefusalsLeft() != 0;
    if (match != null
        && match.isAsked(refused.getDecision())
        && isLeft
        && match.isOpen
        && !match.hasFallenBack) {
      match.hasFallenBack = true;
      answerDefault(outputs, match);
    }
  }

  private void defaultTaken(List<Output> outputs, String about, DefaultTaken taken) {
    settled(about, taken.getDecision());
    MatchTalk match = matches.get(about);
    if (match != null) {
      match.toldDefaults.add(taken.getDecision());
    }
    outputs.add(new Output.Notice(about, Faults.defaultTaken(taken)));
    outputs.add(new Output.Settled(about, taken.getDecision()));
  }

  private void events(List<Output> outputs, String about, List<Event> events) {
    MatchTalk match = matches.get(about);
    if (match == null) {
      return;
    }
    // After a resume, events may come again.
    List<Event> fresh =
        events.stream().filter(event -> event.getNumber() > match.lastEvent).toList();
    if (!fresh.isEmpty()) {
      match.lastEvent = fresh.get(fresh.size() - 1).getNumber();
      outputs.add(new Output.Tell(about, fresh));
    }
  }

  private void decision(List<Output> outputs, String about, Decision decision) {
    MatchTalk match = matches.get(about);
    if (match == null || (match.decision != null && decision.getId() < match.decision.getId())) {
      return;
    }
    if (match.isAsked(decision.getId())) {
      // It comes again after a resume. The bot still thinks about it, or its answer may never have
      // arrived.
      if (match.answer != null) {
        match.isOpen = true;
        outputs.add(new Output.Send(match.answer));
      }
      return;
    }
    match.decision = decision;
    match.answer = null;
    match.isOpen = true;
    match.hasFallenBack = false;
    if (decision.getView().getAsked().getKindCase() == Question.KindCase.KIND_NOT_SET
        || decision.getAnswers().getKindCase() == LegalAnswers.KindCase.KIND_NOT_SET) {
      outputs.add(
          new Output.Notice(
              about,
              "decision %s is of a kind that only a newer library knows: answered its default"
                  .formatted(Long.toUnsignedString(decision.getId()))));
      answerDefault(outputs, match);
    } else {
      outputs.add(new Output.Ask(about, decision));
    }
  }

  private void matchEnded(List<Output> outputs, String about, MatchEnded ended) {
    MatchTalk match = matches.remove(about);
    if (match == null) {
      return;
    }
    played++;
    over.add(about);
    refusal = null;
    for (DefaultTaken taken : ended.getDefaultsList()) {
      // Now it hears what was done in its name while it was away.
      if (!match.toldDefaults.contains(taken.getDecision())) {
        outputs.add(new Output.Notice(about, Faults.defaultTaken(taken)));
      }
    }
    if (ended.hasVoided()) {
      String why = Faults.evidence(ended.getVoided());
      outputs.add(new Output.Notice(about, "the match was voided; " + why));
    }
    outputs.add(new Output.End(about, match.promised, ended));
    takeSeats(outputs);
  }

  private void requestRefused(List<Output> outputs, String about, RequestRefused refused) {
    Problem problem = refused.getProblem();
    String why = Faults.problem(problem) + Faults.askedBy(problem.getTrace());
    String said = refused.getRequest() + " was refused " + why;
    if (!refused.getRequest().equals("take_seat")) {
      MatchTalk match = matches.get(about);
      if (match != null && OF_THE_DEAL.contains(refused.getRequest())) {
        match.promised.isRefused = true;
      }
      outputs.add(new Output.Notice(about, said));
      return;
    }
    MatchTalk lost = about.isEmpty() ? null : matches.remove(about);
    if (lost != null) {
      // The seat was claimed after the session was lost, and is lost, too.
      played++;
      outputs.add(new Output.Notice(about, said));
      MatchEnded ended =
          MatchEnded.newBuilder().setEnding(Ending.ENDING_VOIDED).setText(said).build();
      outputs.add(new Output.End(about, lost.promised, ended));
    } else {
      waiting = Math.max(0, waiting - 1);
    }
    refusal = Statuses.refused(problem.getReason(), "the referee gives no seat " + why);
  }

  // What follows from it.

  private void answerDefault(List<Output> outputs, MatchTalk match) {
    io.github.mergemaker.v1.Answer.Builder answer =
        io.github.mergemaker.v1.Answer.newBuilder()
            .setDecision(match.decision.getId())
            .setIndex(match.decision.getDefaultIndex());
    answer(outputs, match, answer.build());
  }

  private void answer(
      List<Output> outputs, MatchTalk match, io.github.mergemaker.v1.Answer answer) {
    match.answer = PlayRequest.newBuilder().setMatch(match.id).setAnswer(answer).build();
    if (isWelcome) {
      outputs.add(new Output.Send(match.answer));
    }
  }

  private static Output send(MatchTalk match, PlayRequest.Builder request) {
    return new Output.Send(request.setMatch(match.id).build());
  }

  /** Asks for as many seats as are wanted and allowed at once. */
  /** What a match requires that is unknown here, such as a knob of its rules. */
  private static Optional<String> unknownRequirement(MatchOffered offered) {
    Stream<String> knobs = offered.getRules().getNewerKnobsList().stream().map("knob:"::concat);
    return Stream.concat(offered.getRequiresList().stream(), knobs)
        .filter(name -> !CAPABILITIES.contains(name))
        .findFirst()
        .map(name -> name.substring(0, Math.min(NAME_CHARACTERS_MAX, name.length())));
  }

  /** Gives a seat back: its match cannot be played by this library. */
  private void decline(List<Output> outputs, String about, String requirement) {
    waiting = Math.max(0, waiting - 1);
    String text =
        "the match requires '%s', which this library does not know: a newer one may know it"
            .formatted(requirement);
    unknown = Statuses.refused(UNKNOWN_REQUIREMENT, "the seat was declined: " + text);
    outputs.add(new Output.Notice(about, text + "; the seat is declined"));
    DeclineSeat seat =
        DeclineSeat.newBuilder().setReason(UNKNOWN_REQUIREMENT).setText(text).build();
    outputs.add(
        new Output.Send(PlayRequest.newBuilder().setMatch(about).setDeclineSeat(seat).build()));
    if (declined.add(about)) {
      takeSeats(outputs);
    }
  }

  private void takeSeats(List<Output> outputs) {
    if (refusal != null) {
      return;
    }
    int taken = matches.size() + waiting;
    int room = Math.min(options.matchesAtOnce(), allowed) - taken;
    if (options.matches().isPresent()) {
      room = Math.min(room, options.matches().getAsInt() - played - taken);
    }
    for (; room > 0; room--) {
      waiting++;
      TakeSeat any = TakeSeat.getDefaultInstance();
      outputs.add(new Output.Send(PlayRequest.newBuilder().setTakeSeat(any).build()));
    }
  }

  private void closeIfDone(List<Output> outputs) {
    if (!matches.isEmpty() || waiting > 0 || closing != null || !isWelcome) {
      return;
    }
    closing = new Output.Close(played > 0 ? null : unknown != null ? unknown : refusal);
    outputs.add(closing);
  }
}
