package mergemaker;

import io.github.mergemaker.v1.DealProof;
import io.github.mergemaker.v1.Decision;
import io.github.mergemaker.v1.Event;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A bot's matches: each has a bot and a thread of its own, to which is handed what comes for it, so
 * that one that thinks keeps no other waiting.
 */
final class Player {
  private final Supplier<? extends Bot> factory;
  private final BiConsumer<String, io.github.mergemaker.v1.Answer> answer;
  private final Consumer<String> report;
  private final BiConsumer<String, FalseDealException> trace;
  private final Map<String, Seat> seats = new LinkedHashMap<>();

  /** Seats whose bots are being informed of the end. */
  private final List<Seat> ending = new ArrayList<>();

  private final List<MatchResult> results = Collections.synchronizedList(new ArrayList<>());

  /** Takes a factory, and what receives answers, what the author should read, and false deals. */
  Player(
      Supplier<? extends Bot> factory,
      BiConsumer<String, io.github.mergemaker.v1.Answer> answer,
      Consumer<String> report,
      BiConsumer<String, FalseDealException> trace) {
    this.factory = factory;
    this.answer = answer;
    this.report = report;
    this.trace = trace;
  }

  /** How the matches ended, as far as they have. */
  List<MatchResult> results() {
    synchronized (results) {
      return List.copyOf(results);
    }
  }

  void notice(Output.Notice notice) {
    String about = notice.match().isEmpty() ? "" : "match " + notice.match() + ": ";
    report.accept(about + notice.text());
  }

  /** Hands on what is for a bot. It is called by one thread at a time, and does not wait. */
  synchronized void take(Output.ForBot output) {
    if (output instanceof Output.Begin begin) {
      Seat seat = new Seat(begin);
      seats.put(begin.match(), seat);
      seat.thread.start();
      return;
    }
    if (output instanceof Output.Settled settled) {
      Seat seat = seats.get(settled.match());
      if (seat != null) {
        seat.settleBefore(settled.decision() + 1);
      }
      return;
    }
    boolean isEnd = output instanceof Output.End;
    Seat seat = isEnd ? seats.remove(output.match()) : seats.get(output.match());
    if (seat != null) {
      if (isEnd) {
        ending.removeIf(each -> !each.thread.isAlive());
        ending.add(seat);
        seat.settleBefore(Long.MAX_VALUE);
      } else if (output instanceof Output.Ask ask) {
        seat.settleBefore(ask.decision().getId());
      }
      seat.inbox.add(new Came(output, System.nanoTime()));
    } else if (output instanceof Output.End end) {
      // A match that never began, such as one that was called off.
      ended(end, null, null);
    } else if (output instanceof Output.Ask ask) {
      answerDefault(ask, "");
    }
  }

  /** Ends all threads; bots whose matches are over have this long to hear it. */
  void finish(long limitMs) throws InterruptedException {
    List<Seat> left;
    synchronized (this) {
      seats.values().forEach(Seat::stop);
      left = List.copyOf(ending);
    }
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMs);
    for (Seat seat : left) {
      long restMs = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      seat.thread.join(Math.max(1, restMs));
      seat.stop();
    }
  }

  /** Reports in every place that a deal is not the one that was promised. */
  private void falseDeal(String match, FalseDealException problem) {
    report.accept(
        "match %s: THE DEAL IS NOT THE ONE THAT WAS PROMISED (%s): %s; keep this text, and ask"
                .formatted(match, problem.reason(), problem.getMessage())
            + " the operator of the referee");
    trace.accept(match, problem);
  }

  /** How the match ended; an earlier error in its deal is null if there was none. */
  private MatchResult ended(Output.End end, Witness witness, FalseDealException before) {
    DealFinding deal = DealFinding.FALSE;
    FalseDealException problem = before;
    if (problem == null) {
      try {
        Optional<DealProof> proof =
            end.ended().hasProof() ? Optional.of(end.ended().getProof()) : Optional.empty();
        deal = DealCheck.check(end.promised(), proof, witness);
      } catch (FalseDealException found) {
        problem = found;
        falseDeal(end.match(), found);
      }
    }
    MatchResult result =
        Reading.result(end.match(), end.ended(), deal, Optional.ofNullable(problem));
    results.add(result);
    String why = result.text().isEmpty() ? "" : " (" + result.text() + ")";
    report.accept(
        "match "
            + end.match()
            + " is over: "
            + Faults.word(result.ending().name(), "ENDING_")
            + why
            + result.receipt().map(receipt -> "; receipt " + receipt).orElse(""));
    return result;
  }

  private void answerDefault(Output.Ask ask, String note) {
    Decision decision = ask.decision();
    answer.accept(
        ask.match(),
        io.github.mergemaker.v1.Answer.newBuilder()
            .setDecision(decision.getId())
            .setIndex(decision.getDefaultIndex())
            .setNote(note)
            .build());
  }

  private static String stackTrace(Throwable error) {
    StringWriter text = new StringWriter();
    error.printStackTrace(new PrintWriter(text, true));
    return text.toString().stripTrailing();
  }

  /** What came for a seat, and when, in monotonic nanoseconds. */
  private record Came(Output.ForBot output, long atNs) {}

  /** Something that a bot does, and may fail in. */
  private interface Work {
    void run() throws Exception;
  }

  /** One match of a bot. All but the inbox belongs to its thread. */
  private final class Seat {
    final BlockingQueue<Came> inbox = new LinkedBlockingQueue<>();
    final Thread thread;
    private final Output.Begin begin;

    /** Whether the thread was interrupted to end it: bots may have interruptions of their own. */
    private volatile boolean isStopped;

    /** Null where the bot could not be made, or its match not be read. */
    private Bot bot;

    private MatchInfo info;

    /** The first question that is not settled, which can be seen past all that waits. */
    private volatile long openFrom;

    private final List<Event> untold = new ArrayList<>();

    /** What it saw of the tiles. */
    private final Witness witness = new Witness();

    /** The error in the deal found before the end; null if none was. */
    private FalseDealException falseBefore;

    Seat(Output.Begin begin) {
      this.begin = begin;
      thread = new Thread(this::play, "mergemaker-match-" + begin.match());
      thread.setDaemon(true);
    }

    /** Settles all questions before this one. It is called by one thread at a time. */
    void settleBefore(long decision) {
      openFrom = Math.max(openFrom, decision);
    }

    /** Ends the thread, whatever the bot does. */
    void stop() {
      isStopped = true;
      thread.interrupt();
    }

    private void play() {
      try {
        info = Reading.match(begin.match(), begin.offered(), begin.started());
        attempt(
            "the bot cannot be made",
            () -> bot = Objects.requireNonNull(factory.get(), "the factory made none"));
        tell("onStart", () -> bot.onStart(info));
      } catch (UnreadableException error) {
        report.accept(
            about() + "it cannot be read, so its defaults are answered: " + error.getMessage());
      }
      for (Came came = next(); came != null; came = next()) {
        if (came.output() instanceof Output.Tell tell) {
          happened(tell.events());
        } else if (came.output() instanceof Output.Ask ask) {
          asked(ask, came.atNs());
        } else if (came.output() instanceof Output.End end) {
          MatchResult result = ended(end, witness, falseBefore);
          if (falseBefore == null && result.problem().isPresent()) {
            tell("onFalseDeal", () -> bot.onFalseDeal(result.problem().get()));
          }
          tell("onEnd", () -> bot.onEnd(result));
          return;
        }
      }
    }

    /** What comes next; null when the process ends, and the bot with it. */
    private Came next() {
      while (true) {
        try {
          return inbox.take();
        } catch (InterruptedException error) {
          // An interruption that the bot made, or left behind, is no end of its match.
          if (isStopped) {
            return null;
          }
        }
      }
    }

    private void happened(List<Event> events) {
      if (falseBefore == null) {
        try {
          witness.saw(events);
        } catch (FalseDealException problem) {
          falseBefore = problem;
          falseDeal(begin.match(), problem);
          tell("onFalseDeal", () -> bot.onFalseDeal(problem));
        }
      }
      List<Event> known =
          events.stream()
              .filter(event -> event.getKindCase() != Event.KindCase.KIND_NOT_SET)
              .toList();
      untold.addAll(known);
      tell("onEvents", () -> bot.onEvents(known));
    }

    private void asked(Output.Ask ask, long atNs) {
      if (ask.decision().getId() < openFrom) {
        return; // settled before the bot had time for it
      }
      String which = about() + "decision " + Long.toUnsignedString(ask.decision().getId());
      if (bot == null) {
        answerDefault(ask, "");
        return;
      }
      long waitedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - atNs);
      try {
        Turn turn = Reading.turn(info, ask.decision(), untold, waitedMs);
        answer.accept(ask.match(), message(turn, bot.answer(turn)));
      } catch (UnreadableException error) {
        report.accept(which + " cannot be read, so its default is answered: " + error.getMessage());
        answerDefault(ask, "");
      } catch (Throwable error) {
        // The author reads what a bot throws; it costs no match.
        answerDefault(ask, "default, after " + error.getClass().getSimpleName());
        // In brackets: the decision as it is named after the path of the match's record.
        String place =
            " (@seat" + info.seat() + ":" + Long.toUnsignedString(ask.decision().getId()) + ")";
        report.accept(
            which + place + ": the bot failed, so its default is answered\n" + stackTrace(error));
        if (error instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
      }
      untold.clear();
    }

    private static io.github.mergemaker.v1.Answer message(Turn turn, Answer answer) {
      io.github.mergemaker.v1.Answer.Builder message =
          io.github.mergemaker.v1.Answer.newBuilder().setDecision(turn.number());
      Answer bare = answer;
      if (answer instanceof Answer.Noted noted) {
        message.setNote(noted.note());
        bare = noted.answer();
      }
      if (bare instanceof Answer.Index index) {
        if (index.index() < 0 || index.index() >= turn.answers().count()) {
          throw new BotException(
              "bad-index",
              "the bot answered the index %d; there are answers 0 to %d"
                  .formatted(index.index(), turn.answers().count() - 1));
        }
        message.setIndex(index.index());
      } else if (bare instanceof Action action) {
        message.setAction(Kinds.message(action));
      } else {
        throw new BotException(
            "no-answer", "the bot answered nothing; it answers an action, or an index");
      }
      return message.build();
    }

    private void tell(String method, Work work) {
      if (bot != null) {
        attempt("the bot failed in " + method, work);
      }
    }

    private void attempt(String what, Work work) {
      try {
        work.run();
      } catch (Throwable error) {
        // Likewise.
        report.accept(about() + what + "\n" + stackTrace(error));
        if (error instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
      }
    }

    private String about() {
      return "match " + begin.match() + ", seat " + begin.offered().getSeat() + ": ";
    }
  }
}
