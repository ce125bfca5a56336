package mergemaker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.github.mergemaker.v1.Decision;
import io.github.mergemaker.v1.Event;
import io.github.mergemaker.v1.MatchEnded;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.MatchStarted;
import io.github.mergemaker.v1.View;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class PlayerTest {
  /** No test waits this long, unless it hangs. */
  private static final long HANG_S = 60;

  private static final Promised PROMISED = new Promised("m", MatchOffered.getDefaultInstance());

  private final Map<String, FalseDealException> falseDeals = new ConcurrentHashMap<>();
  private final BlockingQueue<io.github.mergemaker.v1.Answer> answers = new LinkedBlockingQueue<>();
  private final List<String> reports = Collections.synchronizedList(new ArrayList<>());
  private final List<String> told = Collections.synchronizedList(new ArrayList<>());

  private Player player(Supplier<Bot> factory) {
    return new Player(
        factory, (match, answer) -> answers.add(answer), reports::add, falseDeals::put);
  }

  private static Output.Begin begin(String match) {
    MatchOffered.Builder offered = MatchOffered.newBuilder().setSeats(2);
    offered.getRulesBuilder().addAllChainNames(List.of("A", "B", "C", "D", "E", "F", "G"));
    ByteString nonce = ByteString.copyFrom(new byte[MatchInfo.NONCE_BYTES]);
    return new Output.Begin(
        match, offered.build(), MatchStarted.newBuilder().setNonce(nonce).build());
  }

  private static Decision decision(long id) {
    Decision.Builder decision = Decision.newBuilder().setId(id).setDefaultIndex(1);
    decision.setTimeLeftMs(60_000);
    View.Builder view = decision.getViewBuilder().setSeats(2);
    view.setBoard(ByteString.copyFrom(new byte[108]));
    view.addAllSizes(Action.NO_SHARES).addAllPrices(Action.NO_SHARES);
    view.addAllMarket(Action.NO_SHARES).setSeat(0).getAskedBuilder().getChooseExchangeBuilder();
    for (int seat = 0; seat < 2; seat++) {
      view.addPlayersBuilder().setCash(6000).getSharesBuilder().addAllCounts(Action.NO_SHARES);
    }
    decision.getAnswersBuilder().setCount(2);
    decision.getAnswersBuilder().getListedBuilder().addActionsBuilder().getExchangeBuilder();
    decision
        .getAnswersBuilder()
        .getListedBuilder()
        .addActionsBuilder()
        .getExchangeBuilder()
        .setExchange(true);
    return decision.build();
  }

  private io.github.mergemaker.v1.Answer answered() throws InterruptedException {
    io.github.mergemaker.v1.Answer answer = answers.poll(HANG_S, TimeUnit.SECONDS);
    assertNotNull(answer, "an answer should have come; reported is " + reports);
    return answer;
  }

  private io.github.mergemaker.v1.Answer answered(Supplier<Bot> factory)
      throws InterruptedException {
    Player player = player(factory);
    player.take(begin("m"));
    player.take(new Output.Ask("m", decision(7)));
    io.github.mergemaker.v1.Answer answer = answered();
    player.take(new Output.End("m", PROMISED, MatchEnded.getDefaultInstance()));
    player.finish(TimeUnit.SECONDS.toMillis(HANG_S));
    assertEquals(1, player.results().size());
    assertEquals(7, answer.getDecision());
    return answer;
  }

  private interface Exchanging extends Bot {
    @Override
    Answer chooseExchange(Turn turn);
  }

  private static Supplier<Bot> exchanging(Exchanging bot) {
    return () -> bot;
  }

  @Test
  void aBotThatSaysNothingAnswersTheDefault() throws Exception {
    assertTrue(answered(() -> new Bot() {}).getAction().getExchange().getExchange());
  }

  @Test
  void anAnswerIsAnActionOrAnIndexWithANote() throws Exception {
    io.github.mergemaker.v1.Answer answer =
        answered(exchanging(turn -> new Action.Exchange(false).noted("why")));
    assertTrue(answer.getAction().hasExchange());
    assertEquals("why", answer.getNote());
    assertEquals(0, answered(exchanging(turn -> Answer.index(0))).getIndex());
    assertEquals(List.of(), reports.stream().filter(text -> !text.contains("is over")).toList());
  }

  private void assertFails(Supplier<Bot> factory, String reported) throws Exception {
    reports.clear();
    io.github.mergemaker.v1.Answer answer = answered(factory);
    assertEquals(1, answer.getIndex());
    assertTrue(answer.getNote().startsWith("default, after "), answer.getNote());
    assertTrue(reports.get(0).contains(reported), reports.toString());
    assertTrue(
        reports.get(0).contains("decision 7 (@seat0:7): the bot failed"), reports.toString());
  }

  @Test
  void whatABotDoesWrongCostsNoMatch() throws Exception {
    assertFails(
        exchanging(
            turn -> {
              throw new IllegalStateException("broken");
            }),
        "IllegalStateException: broken");
    assertFails(exchanging(turn -> null), "the bot answered nothing");
    assertFails(exchanging(turn -> Answer.index(2)), "there are answers 0 to 1");
    assertFails(exchanging(turn -> Answer.index(-1)), "the index -1");
    assertFails(exchanging(turn -> Answer.index(0).noted("ä".repeat(513))), "not 1026");
    assertFails(exchanging(turn -> Answer.index(0).noted("a").noted("b")), "one note, not two");
    assertFails(exchanging(turn -> new Action.Buy(List.of(1), false)), "7 counts");
    assertFails(exchanging(turn -> turn.buy(java.util.Map.of("Z", 1))), "a chain is one of A, B");
  }

  @Test
  void aBotThatCannotBeMadeIsReported() throws Exception {
    Supplier<Bot> factory =
        () -> {
          throw new IllegalStateException("no bot");
        };
    assertEquals(1, answered(factory).getIndex());
    assertTrue(reports.get(0).contains("the bot cannot be made"), reports.toString());
    reports.clear();
    assertEquals(1, answered(() -> null).getIndex());
    assertTrue(reports.get(0).contains("the factory made none"), reports.toString());
  }

  @Test
  void aBotThatIsInterruptedPlaysOn() throws Exception {
    Bot interrupted =
        new Bot() {
          @Override
          public Answer answer(Turn turn) throws InterruptedException {
            if (turn.number() == 7) {
              throw new InterruptedException("a task of its own");
            }
            Thread.currentThread().interrupt();
            return Answer.index(0);
          }
        };
    Player player = player(() -> interrupted);
    player.take(begin("m"));
    for (int id = 7; id < 10; id++) {
      player.take(new Output.Ask("m", decision(id)));
      assertEquals(id == 7 ? 1 : 0, answered().getIndex());
    }
    player.take(new Output.End("m", PROMISED, MatchEnded.getDefaultInstance()));
    player.finish(TimeUnit.SECONDS.toMillis(HANG_S));
    assertEquals(1, player.results().size());
  }

  /** What a bot is asked if all of this comes while it still handles the start. */
  private List<String> askedBehind(Output.ForBot... outputs) throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    List<String> asked = Collections.synchronizedList(new ArrayList<>());
    Bot slow =
        new Bot() {
          @Override
          public void onStart(MatchInfo match) throws InterruptedException {
            goOn.await();
          }

          @Override
          public Answer answer(Turn turn) {
            asked.add(turn.number() + " behind " + turn.events().size());
            return Answer.index(0);
          }
        };
    Player player = player(() -> slow);
    player.take(begin("m"));
    for (Output.ForBot output : outputs) {
      player.take(output);
    }
    goOn.countDown();
    if (!(outputs[outputs.length - 1] instanceof Output.End)) {
      answered();
      player.take(new Output.End("m", PROMISED, MatchEnded.getDefaultInstance()));
    }
    player.finish(TimeUnit.SECONDS.toMillis(HANG_S));
    return asked;
  }

  @Test
  void aQuestionThatWasSettledBeforeTheBotHadTimeForItIsNotAsked() throws Exception {
    Event skipped =
        Event.newBuilder()
            .setPlacingSkipped(io.github.mergemaker.v1.PlacingSkipped.getDefaultInstance())
            .build();
    Output.Tell tell = new Output.Tell("m", List.of(skipped));
    Output.Ask seventh = new Output.Ask("m", decision(7));
    Output.Ask eighth = new Output.Ask("m", decision(8));
    Output.Settled settled = new Output.Settled("m", 7);
    assertEquals(List.of("8 behind 2"), askedBehind(tell, seventh, settled, tell, eighth));
    assertEquals(List.of("8 behind 0"), askedBehind(seventh, eighth, settled));
    Output.End end = new Output.End("m", PROMISED, MatchEnded.getDefaultInstance());
    assertEquals(List.of(), askedBehind(seventh, end));
  }

  @Test
  void aQuestionThatCannotBeReadIsAnsweredByItsDefault() throws Exception {
    Player player = player(() -> new Bot() {});
    player.take(begin("m"));
    player.take(new Output.Ask("m", decision(7).toBuilder().setDefaultIndex(2).build()));
    assertEquals(2, answered().getIndex());
    Decision.Builder miscounted = decision(8).toBuilder();
    miscounted.getAnswersBuilder().setCount(3);
    player.take(new Output.Ask("m", miscounted.build()));
    assertEquals(8, answered().getDecision());
    Decision.Builder blind = decision(9).toBuilder();
    blind.getViewBuilder().getPlayersBuilder(0).clearShares();
    player.take(new Output.Ask("m", blind.build()));
    assertEquals(9, answered().getDecision());
    player.take(new Output.Ask("stranger", decision(10)));
    assertEquals(10, answered().getDecision());
    player.finish(0);
    assertEquals(3, reports.size(), reports.toString());
  }

  /** Writes down what it hears. */
  private final class Listening implements Bot {
    @Override
    public void onStart(MatchInfo match) {
      told.add("start " + match.id());
    }

    @Override
    public void onEvents(List<Event> events) {
      told.add(events.size() + " events");
      throw new IllegalStateException("ears");
    }

    @Override
    public Answer answer(Turn turn) {
      told.add("asked after " + turn.events().size() + " events");
      assertTrue(turn.timeLeftMs().orElseThrow() <= 60_000);
      return turn.defaultAnswer();
    }

    @Override
    public void onEnd(MatchResult result) {
      told.add("end " + result.text());
    }
  }

  @Test
  void aBotIsToldOfAllInOrder() throws Exception {
    Player player = player(Listening::new);
    player.take(begin("m"));
    Event.Builder known = Event.newBuilder().setNumber(1);
    known.getTurnBeganBuilder();
    Event newer = Event.newBuilder().setNumber(2).build();
    player.take(new Output.Tell("m", List.of(known.build(), newer)));
    player.take(new Output.Ask("m", decision(7)));
    answered();
    player.take(new Output.Ask("m", decision(8)));
    answered();
    player.take(
        new Output.End("m", PROMISED, MatchEnded.newBuilder().setText("called off").build()));
    player.finish(TimeUnit.SECONDS.toMillis(HANG_S));
    assertEquals(
        List.of(
            "start m",
            "1 events",
            "asked after 1 events",
            "asked after 0 events",
            "end called off"),
        told);
    assertTrue(reports.get(0).contains("onEvents"), reports.toString());
  }

  @Test
  void aFalseDealIsReportedOnceTracedAndGivenToTheBot() throws Exception {
    Bot bot =
        new Bot() {
          @Override
          public void onFalseDeal(FalseDealException problem) {
            told.add(problem.reason());
          }
        };
    Player player = player(() -> bot);
    player.take(begin("m"));
    player.take(new Output.Tell("m", List.of(Event.newBuilder().setNumber(2).build())));
    player.take(new Output.End("m", PROMISED, MatchEnded.getDefaultInstance()));
    player.finish(TimeUnit.SECONDS.toMillis(HANG_S));
    assertEquals(List.of("events-missing"), told);
    assertEquals("events-missing", falseDeals.get("m").reason());
    assertEquals(DealFinding.FALSE, player.results().get(0).deal());
    assertEquals(
        1, reports.stream().filter(text -> text.contains("THE DEAL IS NOT THE ONE")).count());
  }

  @Test
  void aBotThatThinksKeepsNoOtherMatchWaiting() throws Exception {
    CountDownLatch thinking = new CountDownLatch(1);
    Supplier<Bot> factory =
        () ->
            new Bot() {
              @Override
              public Answer answer(Turn turn) throws InterruptedException {
                if (turn.match().id().equals("slow")) {
                  assertTrue(thinking.await(HANG_S, TimeUnit.SECONDS));
                }
                return turn.defaultAnswer();
              }
            };
    Player player = player(factory);
    player.take(begin("slow"));
    player.take(begin("quick"));
    player.take(new Output.Ask("slow", decision(1)));
    player.take(new Output.Ask("quick", decision(2)));
    assertEquals(2, answered().getDecision());
    thinking.countDown();
    assertEquals(1, answered().getDecision());
    player.finish(0);
  }

  @Test
  void eachMatchHasABotOfItsOwn() throws Exception {
    BlockingQueue<Bot> made = new LinkedBlockingQueue<>();
    Supplier<Bot> factory =
        () -> {
          Bot bot = new Bot() {};
          made.add(bot);
          return bot;
        };
    Player player = player(factory);
    player.take(begin("a"));
    player.take(begin("b"));
    Bot first = made.poll(HANG_S, TimeUnit.SECONDS);
    assertNotNull(first);
    assertNotEquals(first, made.poll(HANG_S, TimeUnit.SECONDS));
    player.finish(0);
  }
}
