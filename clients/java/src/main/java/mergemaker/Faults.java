package mergemaker;

import io.github.mergemaker.v1.DefaultTaken;
import io.github.mergemaker.v1.Evidence;
import io.github.mergemaker.v1.FaultCause;
import io.github.mergemaker.v1.Moment;
import io.github.mergemaker.v1.MomentKind;
import io.github.mergemaker.v1.Problem;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What the referee says of a fault, and the operator's name for it, as a line for the bot's author.
 * A value that is newer than this library is shown as its number.
 */
final class Faults {
  private static final double US_PER_MS = 1_000;

  private Faults() {}

  /** What was wrong with a request. */
  static String problem(Problem problem) {
    String rule = problem.getRule().isEmpty() ? "" : " [" + problem.getRule() + "]";
    return "(" + problem.getReason() + "): " + problem.getText() + rule;
  }

  /** The name by which to ask the operator; nothing if there is none. */
  static String askedBy(String trace) {
    return trace.isEmpty() ? "" : "; ask the operator about " + trace;
  }

  /** A default that was taken in the bot's name. */
  static String defaultTaken(DefaultTaken taken) {
    String said =
        "a default was taken for decision %s (%s): %s; %d more, and the seat is no longer asked"
            .formatted(
                Long.toUnsignedString(taken.getDecision()),
                taken.getCause() == FaultCause.UNRECOGNIZED
                    ? String.valueOf(taken.getCauseValue())
                    : word(taken.getCause().name(), "FAULT_CAUSE_"),
                taken.getText(),
                taken.getDefaultsLeft());
    return taken.hasEvidence() ? said + "; " + evidence(taken.getEvidence()) : said;
  }

  /** Whose fault it was, why, and what happened when. */
  static String evidence(Evidence evidence) {
    StringBuilder text = new StringBuilder(whose(evidence)).append(": ").append(evidence.getText());
    if (evidence.getMomentsCount() > 0) {
      text.append(
          evidence.getMomentsList().stream()
              .map(moment -> kind(moment) + " " + ms(moment.getAtUs()))
              .collect(Collectors.joining(", ", " (in ms: ", ")")));
    }
    if (evidence.getTransportLagUs() != 0 || evidence.getRefereeLagUs() != 0) {
      text.append(
          "; the referee was held up meanwhile, its transport for %s ms, itself for %s ms"
              .formatted(ms(evidence.getTransportLagUs()), ms(evidence.getRefereeLagUs())));
    }
    return text.append(askedBy(evidence.getTrace())).toString();
  }

  private static String whose(Evidence evidence) {
    return switch (evidence.getAtFault()) {
      case AT_FAULT_BOT -> "the bot's fault";
      case AT_FAULT_NETWORK -> "the way's fault";
      case AT_FAULT_REFEREE -> "the referee's fault, and nothing is charged";
      case AT_FAULT_NOBODY -> "nobody's fault";
      case AT_FAULT_UNSPECIFIED, UNRECOGNIZED -> "fault of " + evidence.getAtFaultValue();
    };
  }

  private static String kind(Moment moment) {
    return moment.getKind() == MomentKind.UNRECOGNIZED
        ? String.valueOf(moment.getKindValue())
        : word(moment.getKind().name(), "MOMENT_KIND_");
  }

  private static String ms(long us) {
    return String.format(Locale.ROOT, "%.1f", us / US_PER_MS);
  }

  /** The name of an enum's value as words. */
  static String word(String name, String prefix) {
    return name.replace(prefix, "").toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
