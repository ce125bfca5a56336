package mergemaker;

import io.github.mergemaker.v1.Event;
import java.util.ArrayList;
import java.util.List;

/** What a seat saw of the tiles, in order. */
final class Witness {
  private final List<Event> events = new ArrayList<>();
  private long last;
  private boolean isWhole = true;

  /** Takes events in order; one that is missing is a false deal. */
  void saw(List<Event> news) throws FalseDealException {
    for (Event event : news) {
      if (event.getNumber() != last + 1) {
        throw new FalseDealException(
            "events-missing",
            "event %s never came: the one after %s was %s"
                .formatted(
                    Long.toUnsignedString(last + 1),
                    Long.toUnsignedString(last),
                    Long.toUnsignedString(event.getNumber())));
      }
      last = event.getNumber();
      isWhole &= event.getKindCase() != Event.KindCase.KIND_NOT_SET;
      events.add(event);
    }
  }

  List<Event> events() {
    return events;
  }

  /** Whether this library knew every event. */
  boolean isWhole() {
    return isWhole;
  }
}
