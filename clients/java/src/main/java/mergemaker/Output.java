package mergemaker;

import io.github.mergemaker.v1.Decision;
import io.github.mergemaker.v1.Event;
import io.github.mergemaker.v1.MatchEnded;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.MatchStarted;
import io.github.mergemaker.v1.PlayRequest;
import java.util.List;

/** What a conversation wants done, in order. */
sealed interface Output {
  /** A request for the stream. */
  record Send(PlayRequest request) implements Output {}

  /** Everything is done; the stream is closed. The problem is null if all went well. */
  record Close(ClientException problem) implements Output {}

  /** Something that the bot's author should read; about no match where that is empty. */
  record Notice(String match, String text) implements Output {}

  /** Outputs for the bot of one match. */
  sealed interface ForBot extends Output {
    String match();
  }

  /** A match starts: the bot is made, and gets it. */
  record Begin(String match, MatchOffered offered, MatchStarted started) implements ForBot {}

  /** What happened since the last report. */
  record Tell(String match, List<Event> events) implements ForBot {}

  /** The bot is asked. */
  record Ask(String match, Decision decision) implements ForBot {}

  /** The bot's question was settled without it. */
  record Settled(String match, long decision) implements ForBot {}

  /** A match is over; with what was promised of its deal. */
  record End(String match, Promised promised, MatchEnded ended) implements ForBot {}

  /** What follows when a stream broke. */
  sealed interface Broken {}

  /** The next one is to be opened after this many milliseconds, or later. */
  record Again(long leastMs) implements Broken {}

  /** No other stream will follow. The problem is null if all is done. */
  record Over(ClientException problem) implements Broken {}
}
