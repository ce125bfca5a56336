package mergemaker;

import com.google.protobuf.ByteString;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Runs a bot: {@code Mergemaker.run(MyBot::new)} is the one call of its main method. */
public final class Mergemaker {
  /** Who speaks, for records. */
  public static final String LIBRARY = "mergemaker-java 0.1.0";

  /** Exit status of a bot that is done. */
  public static final int DONE = 0;

  /** Exit status after a failure. */
  public static final int FAILED = 1;

  /** Exit status of wrong settings. */
  public static final int WRONG_USE = 2;

  /** Exit status after Ctrl-C, as shells have it: 128 and the number of the signal. */
  public static final int INTERRUPTED = 130;

  /** The time that a bot has to hear how its last match ended. */
  private static final long FAREWELL_MS_MAX = 10_000;

  private Mergemaker() {}

  /**
   * Plays with the usual options until the referee has no more matches, and ends the process.
   *
   * @param factory makes the bot of each match, such as {@code MyBot::new}
   */
  public static void run(Supplier<? extends Bot> factory) {
    run(factory, Options.usual());
  }

  /**
   * Plays until the referee has no more matches for this bot, and ends the process: with status 0
   * when all is played and after SIGTERM, 1 for what failed, 2 for wrong settings, 130 after
   * Ctrl-C. It reports on standard error what stopped it. A deal that was not the one promised is a
   * failure, reported at once and at the end.
   *
   * @param factory makes the bot of each match, such as {@code MyBot::new}
   * @param options what the bot wants of the referee
   */
  public static void run(Supplier<? extends Bot> factory, Options options) {
    CompletableFuture<Integer> stop = new CompletableFuture<>();
    Signals.handle("TERM", () -> stop.complete(DONE));
    Signals.handle("INT", () -> stop.complete(INTERRUPTED));
    int status = DONE;
    try {
      List<MatchResult> results = play(factory, Environment.read(System.getenv()), options, stop);
      if (stop.getNow(DONE) == INTERRUPTED) {
        complain("interrupted");
      }
      status = stop.isDone() ? stop.getNow(DONE) : statusOf(results);
    } catch (ClientException problem) {
      complain(problem.getMessage());
      boolean isSetting = problem.kind() == ClientException.Kind.BAD_SETTING;
      status = isSetting ? WRONG_USE : FAILED;
    } catch (InterruptedException error) {
      complain("interrupted");
      status = INTERRUPTED;
    }
    System.exit(status);
  }

  /**
   * Plays as {@code run} does, in a process that goes on, and touches no signals.
   *
   * @param factory makes the bot of each match
   * @param environment where to go
   * @param options what the bot wants of the referee
   * @return how the matches ended
   * @throws ClientException what stopped it
   * @throws InterruptedException this thread was interrupted; the stream is closed then
   */
  public static List<MatchResult> play(
      Supplier<? extends Bot> factory, Environment environment, Options options)
      throws ClientException, InterruptedException {
    return play(factory, environment, options, new CompletableFuture<>());
  }

  private static List<MatchResult> play(
      Supplier<? extends Bot> factory,
      Environment environment,
      Options options,
      CompletableFuture<Integer> stop)
      throws ClientException, InterruptedException {
    Trace trace =
        environment.trace().isPresent()
            ? Trace.open(environment.trace().get(), environment.token(), Instant::now)
            : null;
    try {
      return play(factory, environment, options, stop, trace);
    } finally {
      if (trace != null) {
        trace.close();
      }
    }
  }

  private static List<MatchResult> play(
      Supplier<? extends Bot> factory,
      Environment environment,
      Options options,
      CompletableFuture<Integer> stop,
      Trace trace)
      throws ClientException, InterruptedException {
    Conversation conversation =
        new Conversation(environment.name(), options, Mergemaker::freshPart);
    CompletableFuture<Output.Close> closed = new CompletableFuture<>();
    Link link = new Link();
    Player player =
        new Player(
            factory,
            (match, answer) -> link.connection.answer(match, answer),
            Mergemaker::complain,
            (match, problem) -> {
              if (trace != null) {
                trace.falseDeal(match, problem);
              }
            });
    link.connection =
        new Connection(
            environment,
            conversation,
            output -> {
              if (output instanceof Output.Notice notice) {
                player.notice(notice);
              } else if (output instanceof Output.ForBot forBot) {
                player.take(forBot);
              } else if (output instanceof Output.Close close) {
                closed.complete(close);
              }
            },
            trace,
            () -> ThreadLocalRandom.current().nextDouble());
    link.connection.start();
    try {
      CompletableFuture.anyOf(closed, stop).get();
    } catch (ExecutionException error) {
      throw new AssertionError("neither is ever completed by an error", error);
    } finally {
      link.connection.close();
      player.finish(stop.isDone() ? 0 : FAREWELL_MS_MAX);
    }
    if (!stop.isDone() && closed.join().problem() != null) {
      throw closed.join().problem();
    }
    return player.results();
  }

  /** Ties player and connection, each of which needs the other. */
  private static final class Link {
    private volatile Connection connection;
  }

  /** The exit status of a bot that has played all. */
  private static int statusOf(List<MatchResult> results) {
    List<String> reasons =
        results.stream()
            .flatMap(each -> each.problem().stream())
            .map(each -> each.reason())
            .toList();
    if (reasons.isEmpty()) {
      return DONE;
    }
    complain(
        "%d of %d deals were not the ones promised: %s"
            .formatted(reasons.size(), results.size(), String.join(", ", new TreeSet<>(reasons))));
    return FAILED;
  }

  private static ByteString freshPart() {
    byte[] part = new byte[Deals.BYTES];
    new SecureRandom().nextBytes(part);
    return ByteString.copyFrom(part);
  }

  /** Writes to standard error, for the bot's author. */
  static void complain(String text) {
    System.err.println("mergemaker: " + text);
  }
}
