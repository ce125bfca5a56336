package mergemaker.bots;

import java.util.function.Supplier;
import mergemaker.Answer;
import mergemaker.Bot;
import mergemaker.Mergemaker;
import mergemaker.Options;
import mergemaker.Turn;

/** Starts an example bot: {@code random} or {@code greedy}. */
public final class Main {
  private static final String USAGE =
      """
      usage: run random|greedy [--matches-at-once=N] [--events=held|immediate] [--think=MS]

        random               any legal answer, each as likely as the others
        greedy               looks one turn ahead
        --matches-at-once=N  as many matches at once on the stream; usually 1
        --events=immediate   events as they happen; usually held
        --think=MS           waits this many ms before each answer, as a bot that thinks does

      Where to go is in the variables MERGEMAKER_SERVER and MERGEMAKER_TOKEN.\
      """;

  private Main() {}

  /** What the words of the command line say. */
  record Command(Supplier<Bot> factory, Options options) {}

  /**
   * Runs the bot that is named, and ends the process.
   *
   * @param arguments the bot's name, and options
   */
  public static void main(String[] arguments) {
    for (String argument : arguments) {
      if (argument.equals("--help") || argument.equals("-h")) {
        System.out.println(USAGE);
        return;
      }
    }
    try {
      Command command = command(arguments);
      Mergemaker.run(command.factory(), command.options());
    } catch (IllegalArgumentException error) {
      System.err.println("mergemaker: " + error.getMessage() + "\n\n" + USAGE);
      System.exit(Mergemaker.WRONG_USE);
    }
  }

  static Command command(String... arguments) {
    if (arguments.length == 0) {
      throw new IllegalArgumentException("the bot's name is missing");
    }
    Supplier<Bot> factory =
        switch (arguments[0]) {
          case "random" -> RandomBot::new;
          case "greedy" -> GreedyBot::new;
          default -> throw new IllegalArgumentException("there is no bot " + arguments[0]);
        };
    Options options = Options.usual();
    int thinkMs = 0;
    for (int index = 1; index < arguments.length; index++) {
      String[] parts = arguments[index].split("=", 2);
      String value = parts.length == 2 ? parts[1] : "";
      switch (parts[0]) {
        case "--matches-at-once" ->
            options = options.withMatchesAtOnce(number(arguments[index], 1));
        case "--events" -> options = options.withEvents(events(value));
        case "--think" -> thinkMs = number(arguments[index], 0);
        default -> throw new IllegalArgumentException("there is no option " + arguments[index]);
      }
    }
    Supplier<Bot> usual = factory;
    int pauseMs = thinkMs;
    return new Command(pauseMs == 0 ? usual : () -> new Thinking(usual.get(), pauseMs), options);
  }

  private static int number(String argument, int least) {
    String value = argument.substring(argument.indexOf('=') + 1);
    if (!value.matches("[0-9]{1,9}") || Integer.parseInt(value) < least) {
      throw new IllegalArgumentException(
          argument + ": what is expected is a whole number from " + least);
    }
    return Integer.parseInt(value);
  }

  private static Options.Events events(String value) {
    return switch (value) {
      case "held" -> Options.Events.HELD;
      case "immediate" -> Options.Events.IMMEDIATE;
      default ->
          throw new IllegalArgumentException("events are held or immediate, not '" + value + "'");
    };
  }

  /** A bot that takes its time. */
  private record Thinking(Bot bot, int pauseMs) implements Bot {
    @Override
    public Answer answer(Turn turn) throws Exception {
      Thread.sleep(pauseMs);
      return bot.answer(turn);
    }
  }
}
