package mergemaker;

import io.github.mergemaker.v1.EventMode;
import java.util.OptionalInt;

/**
 * What a bot wants of the referee: {@code Options.usual().withMatchesAtOnce(3)}.
 *
 * @param version the bot's own, for records; up to 64 characters
 * @param events when events come
 * @param matches how many matches it plays; empty: as many as there are for it
 * @param matchesAtOnce how many of them at once
 * @param evict whether it takes the place of another live process with the same token
 */
public record Options(
    String version, Events events, OptionalInt matches, int matchesAtOnce, boolean evict) {

  private static final int VERSION_CHARACTERS_MAX = 64;

  /** When events come. */
  public enum Events {
    /** With the next question: the cheapest. */
    HELD(EventMode.EVENT_MODE_HELD),
    /** As they happen: for bots that think while others are asked. */
    IMMEDIATE(EventMode.EVENT_MODE_IMMEDIATE);

    private final EventMode message;

    Events(EventMode message) {
      this.message = message;
    }

    EventMode message() {
      return message;
    }
  }

  /** Refuses what makes no sense. */
  public Options {
    if (version.codePointCount(0, version.length()) > VERSION_CHARACTERS_MAX) {
      throw new BotException(
          "bad-setting", "a version has at most " + VERSION_CHARACTERS_MAX + " characters");
    }
    if (matchesAtOnce < 1 || matches.orElse(1) < 1) {
      throw new BotException("bad-setting", "matches are counted from 1, not less");
    }
  }

  /**
   * One match at a time, as many as there are, events held.
   *
   * @return the usual options
   */
  public static Options usual() {
    return new Options("", Events.HELD, OptionalInt.empty(), 1, false);
  }

  /**
   * The same with the bot's own version.
   *
   * @param version for records
   * @return the options
   */
  public Options withVersion(String version) {
    return new Options(version, events, matches, matchesAtOnce, evict);
  }

  /**
   * The same with another time at which events come.
   *
   * @param events held or immediate
   * @return the options
   */
  public Options withEvents(Events events) {
    return new Options(version, events, matches, matchesAtOnce, evict);
  }

  /**
   * The same with a number of matches, after which the bot ends.
   *
   * @param matches from 1
   * @return the options
   */
  public Options withMatches(int matches) {
    return new Options(version, events, OptionalInt.of(matches), matchesAtOnce, evict);
  }

  /**
   * The same with several matches at once.
   *
   * @param matchesAtOnce from 1; the referee may allow fewer
   * @return the options
   */
  public Options withMatchesAtOnce(int matchesAtOnce) {
    return new Options(version, events, matches, matchesAtOnce, evict);
  }

  /**
   * The same, with or without taking the place of another live process with the same token.
   *
   * @param evict whether it does
   * @return the options
   */
  public Options withEvict(boolean evict) {
    return new Options(version, events, matches, matchesAtOnce, evict);
  }
}
