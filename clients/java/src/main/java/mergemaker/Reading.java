package mergemaker;

import com.google.protobuf.ByteString;
import io.github.mergemaker.v1.ClockTerms;
import io.github.mergemaker.v1.Decision;
import io.github.mergemaker.v1.EffectKind;
import io.github.mergemaker.v1.Event;
import io.github.mergemaker.v1.MatchEnded;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.MatchStarted;
import io.github.mergemaker.v1.MergerView;
import io.github.mergemaker.v1.Receipt;
import io.github.mergemaker.v1.SeatBot;
import io.github.mergemaker.v1.SeatView;
import io.github.mergemaker.v1.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Messages as what a bot is shown. */
final class Reading {
  private static final int SQUARES = 108;

  private Reading() {}

  static MatchInfo match(String id, MatchOffered offered, MatchStarted started)
      throws UnreadableException {
    if (started.getNonce().size() != MatchInfo.NONCE_BYTES) {
      throw new UnreadableException("a nonce of " + started.getNonce().size() + " bytes");
    }
    if (offered.getRules().getChainNamesCount() != Action.CHAINS) {
      throw new UnreadableException("rules with other than seven chains");
    }
    if (offered.getRules().getNewerKnobsCount() > 0) {
      throw new UnreadableException(
          "the rules have the knob '%s', which this library does not know: a newer one may know it"
              .formatted(offered.getRules().getNewerKnobs(0)));
    }
    ClockTerms terms = offered.getClock();
    return new MatchInfo(
        id,
        offered.getRules(),
        offered.getSeats(),
        offered.getSeat(),
        started.getBotsList().stream().map(SeatBot::getName).toList(),
        started.getNonce(),
        new MatchInfo.Clock(
            terms.getName().isEmpty() ? "none" : terms.getName(),
            optional(terms.hasAllowanceMs(), terms.getAllowanceMs()),
            optional(terms.hasBankMs(), terms.getBankMs()),
            terms.getIncrementMs()));
  }

  static Turn turn(MatchInfo match, Decision decision, List<Event> events, long waitedMs)
      throws UnreadableException {
    Answers answers = Listing.of(decision.getAnswers());
    if (Long.compareUnsigned(decision.getDefaultIndex(), answers.count()) >= 0) {
      throw new UnreadableException("a default that is not among the answers");
    }
    View view = view(decision.getView());
    View.Player own = view.seat() == match.seat() ? view.players().get(view.seat()) : null;
    if (own == null || own.cash().isEmpty() || own.shares().isEmpty()) {
      throw new UnreadableException("a view that does not show what its own seat has");
    }
    long left = Math.max(0, decision.getTimeLeftMs() - waitedMs);
    return new Turn(
        match,
        decision.getId(),
        view,
        Kinds.question(decision.getView().getAsked()),
        answers,
        decision.getDefaultIndex(),
        decision.getEffectsList().stream()
            .filter(effect -> effect.getKind() != EffectKind.UNRECOGNIZED)
            .map(Reading::effect)
            .toList(),
        List.copyOf(events),
        optional(decision.hasTimeLeftMs(), left),
        optional(decision.hasBankMs(), decision.getBankMs()));
  }

  private static TileEffect effect(io.github.mergemaker.v1.TileEffect message) {
    return new TileEffect(
        message.getSquare(),
        message.getKind(),
        List.copyOf(message.getChainsList()),
        List.copyOf(message.getSurvivorsList()),
        message.getSize());
  }

  static View view(io.github.mergemaker.v1.View message) throws UnreadableException {
    ByteString board = message.getBoard();
    if (board.size() != SQUARES || message.getPlayersCount() != message.getSeats()) {
      throw new UnreadableException("a view of another board, or of other seats");
    }
    if (message.getSeat() < 0 || message.getSeat() >= message.getSeats()) {
      throw new UnreadableException("a view of seat " + message.getSeat());
    }
    List<View.Player> players = new ArrayList<>();
    for (SeatView player : message.getPlayersList()) {
      players.add(player(player));
    }
    List<Integer> squares = new ArrayList<>(SQUARES);
    for (byte square : board) {
      squares.add((int) square);
    }
    return new View(
        message.getLastEvent(),
        message.getSeats(),
        message.getSeat(),
        message.getTurn(),
        message.getTurnSeat(),
        List.copyOf(squares),
        byChain(message.getSizesList(), "sizes"),
        byChain(message.getPricesList(), "prices"),
        byChain(message.getMarketList(), "market"),
        message.getPile(),
        List.copyOf(message.getSetAsideList()),
        List.copyOf(message.getHandList()),
        List.copyOf(players),
        message.getDeclared(),
        message.getEndAllowed(),
        message.getPowerUsed(),
        message.getMoved(),
        message.getIdle(),
        message.hasMerger() ? Optional.of(merger(message.getMerger())) : Optional.empty(),
        message.getAgendaList().stream()
            .filter(step -> step.getKindCase() != Step.KindCase.KIND_NOT_SET)
            .toList());
  }

  private static View.Player player(SeatView message) throws UnreadableException {
    return new View.Player(
        message.getHandSize(),
        optional(message.hasCash(), message.getCash()),
        message.hasShares()
            ? Optional.of(byChain(message.getShares().getCountsList(), "shares"))
            : Optional.empty(),
        List.copyOf(message.getPowersUsedList()));
  }

  private static View.Merger merger(MergerView message) {
    return new View.Merger(
        message.getSquare(),
        optional(message.hasSurvivor(), message.getSurvivor()),
        List.copyOf(message.getChainsList()),
        optional(message.hasAcquired(), message.getAcquired()),
        List.copyOf(message.getHoldingsList()));
  }

  static List<Action> actions(List<io.github.mergemaker.v1.Action> messages)
      throws UnreadableException {
    List<Action> actions = new ArrayList<>(messages.size());
    for (io.github.mergemaker.v1.Action message : messages) {
      actions.add(Kinds.action(message));
    }
    return actions;
  }

  static MatchResult result(
      String match, MatchEnded ended, DealFinding deal, Optional<FalseDealException> problem) {
    return new MatchResult(
        match,
        ended.getEnding(),
        ended.getText(),
        ended.getStandingsList().stream()
            .map(
                each ->
                    new MatchResult.Standing(
                        each.getSeat(),
                        each.getBot().getName(),
                        each.getCash(),
                        each.getPlace(),
                        each.getStatus()))
            .toList(),
        deal,
        problem,
        ended.hasProof() ? Optional.of(ended.getProof()) : Optional.empty(),
        receipt(match, ended.getReceipt()));
  }

  /** The text of a match's receipt, if what came is one. */
  private static Optional<String> receipt(String match, Receipt receipt) {
    if (!receipt.getMatch().equals(match)
        || receipt.getLine().size() != Hashes.BYTES
        || receipt.getGame().size() != Hashes.BYTES) {
      return Optional.empty();
    }
    return Optional.of(
        match + ":" + Hashes.text(receipt.getLine()) + ":" + Hashes.text(receipt.getGame()));
  }

  /** Seven counts, all required, none beyond 31 bits. */
  static List<Integer> byChain(List<Integer> counts, String what) throws UnreadableException {
    if (counts.size() != Action.CHAINS || counts.stream().anyMatch(count -> count < 0)) {
      throw new UnreadableException(what + " that are not seven counts: " + counts);
    }
    return List.copyOf(counts);
  }

  static List<Integer> countsOrNone(List<Integer> counts) throws UnreadableException {
    return counts.isEmpty() ? Action.NO_SHARES : byChain(counts, "shares");
  }

  static List<Integer> chains(List<Integer> chains) throws UnreadableException {
    for (int chain : chains) {
      chain(chain);
    }
    return List.copyOf(chains);
  }

  static int chain(int chain) throws UnreadableException {
    if (chain < 0 || chain >= Action.CHAINS) {
      throw new UnreadableException("a chain with the number " + Integer.toUnsignedString(chain));
    }
    return chain;
  }

  private static OptionalInt optional(boolean isSet, int value) {
    return isSet ? OptionalInt.of(value) : OptionalInt.empty();
  }

  private static OptionalLong optional(boolean isSet, long value) {
    return isSet ? OptionalLong.of(value) : OptionalLong.empty();
  }
}
