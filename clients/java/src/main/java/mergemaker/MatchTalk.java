package mergemaker;

import io.github.mergemaker.v1.Decision;
import io.github.mergemaker.v1.MatchOffered;
import io.github.mergemaker.v1.PlayRequest;
import java.util.HashSet;
import java.util.Set;

/** What a conversation knows of one match. */
final class MatchTalk {
  final String id;

  /** What was promised of the deal, with the offer as it came first. */
  final Promised promised;

  boolean hasBegun;

  /** The number of the last event that came. */
  long lastEvent;

  /** What was asked last; it stays after its answer, which may have to be sent again. */
  Decision decision;

  /** What was answered to it; null while nothing was. */
  PlayRequest answer;

  /** Whether an answer of the bot still counts. */
  boolean isOpen;

  /** Whether the default was answered, because the bot's own answer was refused. */
  boolean hasFallenBack;

  /** Decisions whose taken default was reported. */
  final Set<Long> toldDefaults = new HashSet<>();

  MatchTalk(String id, MatchOffered offered) {
    this.id = id;
    this.promised = new Promised(id, offered);
  }

  boolean isAsked(long id) {
    return decision != null && decision.getId() == id;
  }
}
